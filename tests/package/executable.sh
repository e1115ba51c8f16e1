# SPDX-License-Identifier: Apache-2.0
# An executable of one device source and nothing else, and one made by the call itself.
project p <<'CMAKE'
add_executable(one one.cu)
mneme_add_recordable_kernel(one)
mneme_add_recordable_kernel(three SOURCES one.cu)
CMAKE
kernel p/one.cu one
main_for one >> p/one.cu
configure p b
build b
holds b/one one
holds b/three one
for program in one three; do b/$program || fail "$program"; done
bitcode b/one one | grep -q 'define.* ptx_kernel void @_Z3onePf' || fail "no kernel in the bitcode"
"$mneme" ir extract b/one --kernel none -o x && fail "extracted a kernel that is not there"
"$mneme" ir ls --json b/one | grep -q '"code"' || fail "no code list"
