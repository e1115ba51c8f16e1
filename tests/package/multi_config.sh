# SPDX-License-Identifier: Apache-2.0
# Ninja Multi-Config: notes and tests of each configuration.
ctest="$(dirname "$CMAKE")/ctest"
project p <<'CMAKE'
add_executable(app app.cu)
target_compile_definitions(app PRIVATE STEP=$<IF:$<CONFIG:Debug>,2,3>)
mneme_add_recordable_kernel(app RECORDINGS rec)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
mkdir p/rec
touch p/rec/add.00000001.json
configure p b
build b --config Debug
build b --config Release
bitcode b/Debug/app add | grep -q 'fadd.* 2.0' || fail "Debug"
bitcode b/Release/app add | grep -q 'fadd.* 3.0' || fail "Release"
"$ctest" --test-dir b -C Release -N -V | grep -q 'b/Release/app' || fail "Release test"
"$ctest" --test-dir b -C Debug -N -V | grep -q 'b/Debug/app' || fail "Debug test"
