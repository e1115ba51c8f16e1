# SPDX-License-Identifier: Apache-2.0
# An executable of one device source and nothing else; one with a HIP source; one made by the call itself.
project p <<'CMAKE'
add_executable(one one.cu)
mneme_add_recordable_kernel(one)
add_executable(two main.cpp two.hip)
mneme_add_recordable_kernel(two)
mneme_add_recordable_kernel(three SOURCES one.cu)
CMAKE
kernel p/one.cu one
main_for one >> p/one.cu
kernel p/two.hip two
sed -i 's/cuda_runtime.h/hip\/hip_runtime.h/' p/two.hip
main_for two > p/main.cpp
configure p b
build b
holds b/one one
holds b/two two
holds b/three one
for program in one two three; do b/$program || fail "$program"; done
bitcode b/one one | grep -q 'define.* ptx_kernel void @_Z3onePf' || fail "no kernel in the bitcode"
"$mneme" ir extract b/one --kernel none -o x && fail "extracted a kernel that is not there"
"$mneme" ir ls --json b/one | grep -q '"code"' || fail "no code list"
