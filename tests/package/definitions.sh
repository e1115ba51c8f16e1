# SPDX-License-Identifier: Apache-2.0
# Two targets share a source with different definitions, some of them added after the call.
project p <<'CMAKE'
add_executable(seven shared.cu)
mneme_add_recordable_kernel(seven)
add_executable(nine shared.cu)
target_compile_definitions(nine PRIVATE STEP=9)
mneme_add_recordable_kernel(nine)
target_compile_definitions(seven PRIVATE STEP=7 "TEXT=\"a b\"")
target_compile_options(seven PRIVATE -DSPACED=1\ +\ 1)
CMAKE
kernel p/shared.cu add
printf '#ifdef SPACED\nstatic_assert(SPACED == 2);\nstatic_assert(sizeof TEXT == 4);\n#endif\n' >> p/shared.cu
main_for add >> p/shared.cu
configure p b
build b
bitcode b/seven add | grep -q 'fadd.* 7.0' || fail "seven does not add 7"
bitcode b/nine add | grep -q 'fadd.* 9.0' || fail "nine does not add 9"
