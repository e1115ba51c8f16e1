# SPDX-License-Identifier: Apache-2.0
# Sources, launchers and link libraries added after the call; SOURCES as a selection; device code in a .cpp.
project p <<'CMAKE'
add_library(plain STATIC plain.cpp)
add_executable(app app.cu unnoted.cu)
target_link_libraries(app plain)
mneme_add_recordable_kernel(app SOURCES app.cu)
target_sources(app PRIVATE late.cu)
set_target_properties(app PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env")
add_executable(cpp device.cpp)
mneme_add_recordable_kernel(cpp SOURCES device.cpp)
CMAKE
kernel p/app.cu add
kernel p/unnoted.cu unnoted
kernel p/late.cu late
kernel p/device.cpp cpp
main_for cpp >> p/device.cpp
main_for add unnoted late >> p/app.cu
echo 'int plain() { return 1; }' > p/plain.cpp
configure p b
build b
holds b/app add
holds b/cpp cpp
b/app && b/cpp || fail "programs"
