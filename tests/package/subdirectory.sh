# SPDX-License-Identifier: Apache-2.0
# Mneme inside another build, by FetchContent (which is add_subdirectory): the tools are built before they are used.
mkdir p
cat > p/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(test LANGUAGES C CXX)
include(FetchContent)
FetchContent_Declare(Mneme SOURCE_DIR "$MNEME_SOURCE" OVERRIDE_FIND_PACKAGE)
find_package(Mneme REQUIRED)
add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDINGS rec)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
# Mneme is compiled once more here: only the host device, and without optimising.
configure p b -DMNEME_BACKENDS=host -DMNEME_INSTALL=OFF
build b --target app
holds b/app add
b/app || fail "app"
"$(dirname "$CMAKE")/ctest" --test-dir b -N | grep -q app.no-recordings || fail "test"
[[ $("$(dirname "$CMAKE")/ctest" --test-dir b -N | grep -c 'Test *#') == 1 ]] || fail "Mneme's own tests are in the user's build"
