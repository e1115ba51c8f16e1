# SPDX-License-Identifier: Apache-2.0
# A changed header, also one that only the device side includes, and a changed source rebuild the note; nothing else does.
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
sed -i '1i #include "step.h"\n#ifdef __CUDA_ARCH__\n#include "device_step.h"\n#endif' p/app.cu
echo '#define STEP 2' > p/step.h
touch p/device_step.h
configure p b
build b
bitcode b/app add | grep -q 'fadd.* 2.0' || fail "first build"
stamp=$(stat -c %Y.%y b/app)
build b
[[ "$stamp" == "$(stat -c %Y.%y b/app)" ]] || fail "built again without a change"
expect() { sleep 1; build b; bitcode b/app add | grep -q "fadd.* $1.0" || fail "stale note: not $1"; }
sleep 1; echo '#define STEP 3' > p/step.h; expect 3
sleep 1; printf '#undef STEP\n#define STEP 4\n' > p/device_step.h; expect 4
sleep 1; sed -i 's/+= STEP/+= STEP + 1/' p/app.cu; expect 5
sleep 1; echo 'broken' > p/step.h
"$CMAKE" --build b > build.log 2>&1 && fail "built a broken header"
sleep 1; echo '#define STEP 2' > p/step.h; expect 5
