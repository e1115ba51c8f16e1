# SPDX-License-Identifier: Apache-2.0
# MNEME_RECORDABLE=OFF: the program is the same, without notes and tests, and the configure says what went.
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDINGS rec)
mneme_add_gate(app)
mneme_add_tuning(app)
mneme_apply_tuning(app TUNED tuned.json)
CMAKE
kernel p/app.cu add
sed -i '1i #include <mneme/tuned/add.h>' p/app.cu  # the values of a tuning stay
main_for add >> p/app.cu
configure p b -DMNEME_RECORDABLE=OFF
tr '\n' ' ' < configure.log | grep -q 'MNEME_RECORDABLE is OFF, left out: app (notes and recorder), app (replay tests), app (gates), app (tuning)' || fail "no summary"
build b
b/app || fail "app"
! readelf -nW b/app | grep -q Mneme || fail "a note"
! "$(dirname "$CMAKE")/ctest" --test-dir b -N 2>&1 | grep -q 'Test *#' || fail "a test"
"$mneme" ir ls b/app 2>&1 | grep -q 'holds no notes' || fail "ir ls is silent"
! ldd b/app | grep -q 'libmneme-host.so' || fail "the recorder is linked"
"$mneme" record -o set -- b/app launch 2> record.log || { cat record.log; fail "the program"; }
[[ ! -e set ]] || fail "it was recorded"
grep -q 'without -DMNEME_RECORDABLE=OFF' record.log || { cat record.log; fail "record does not say why"; }
