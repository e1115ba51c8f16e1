# SPDX-License-Identifier: Apache-2.0
# What is wrong is refused by name.
kernel p/app.cu add
main_for add >> p/app.cu
expect_refusal() { local pattern="$1"; project p; refuses "$pattern" p; }

expect_refusal 'unknown argument: RECORDING.*rec' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDING rec)'
expect_refusal 'no value after: +LABELS|no value after: +RECORDINGS' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDINGS)'
expect_refusal 'no target "app"' <<<'mneme_add_recordable_kernel(app)'
expect_refusal 'BUILD_FOR is one of auto, host, cuda, hip, not "opencl"' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app BUILD_FOR opencl)'
expect_refusal 'BUILD_FOR cuda, but the CUDA language is not enabled' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app BUILD_FOR cuda)'
expect_refusal '"other.cu" is not a source of "app"' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app SOURCES other.cu)'
expect_refusal 'has no .cu or .hip source' <<<'file(TOUCH ${CMAKE_BINARY_DIR}/a.cpp)
add_executable(app ${CMAKE_BINARY_DIR}/a.cpp)
mneme_add_recordable_kernel(app)'
expect_refusal 'called twice for "app"' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app)
mneme_add_recordable_kernel(app)'
expect_refusal 'alias or imported' <<<'add_executable(app app.cu)
add_executable(ns::app ALIAS app)
mneme_add_recordable_kernel(ns::app)'
expect_refusal 'CODE <executable target>' <<<'add_library(lib STATIC app.cu)
mneme_add_recordable_kernel(lib RECORDINGS rec)'
expect_refusal 'is not a target' <<<'add_library(lib STATIC app.cu)
mneme_add_recordable_kernel(lib RECORDINGS rec CODE nothing)'
expect_refusal 'need RECORDINGS' <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app LABELS fast)'
expect_refusal 'RECORDINGS is missing' <<<'add_executable(app app.cu)
mneme_add_replay_tests(app)'
expect_refusal 'TIMEOUT is a number of seconds' <<<'add_executable(app app.cu)
mneme_add_replay_tests(app RECORDINGS rec TIMEOUT long)'
expect_refusal 'cannot be seen' <<<'add_executable(app app.cu $<$<CONFIG:Debug>:more.cu>)
mneme_add_recordable_kernel(app)'
mkdir -p p/sub
echo 'mneme_add_recordable_kernel(app)' > p/sub/CMakeLists.txt
expect_refusal 'was made in .*call it there' <<<'add_executable(app app.cu)
add_subdirectory(sub)'
project p <<<'add_executable(app app.cu)
mneme_add_recordable_kernel(app)'
refuses 'no clang found .*apt install clang-22' p -DMNEME_CLANG=OFF
