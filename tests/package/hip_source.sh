# SPDX-License-Identifier: Apache-2.0
# A HIP source beside a plain one.
project p <<'CMAKE'
add_executable(two main.cpp two.hip)
mneme_add_recordable_kernel(two)
CMAKE
kernel p/two.hip two
sed -i 's/cuda_runtime.h/hip\/hip_runtime.h/' p/two.hip
main_for two > p/main.cpp
configure p b
build b
holds b/two two
b/two || fail "two"
