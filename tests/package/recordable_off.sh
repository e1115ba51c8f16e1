# SPDX-License-Identifier: Apache-2.0
# MNEME_RECORDABLE=OFF: the program is the same, without notes and tests, and the configure says what went.
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app RECORDINGS rec)
CMAKE
kernel p/app.cu add
main_for add >> p/app.cu
configure p b -DMNEME_RECORDABLE=OFF
tr '\n' ' ' < configure.log | grep -q 'MNEME_RECORDABLE is OFF, left out: app (notes and recorder), app (replay tests)' || fail "no summary"
build b
b/app || fail "app"
! readelf -nW b/app | grep -q Mneme || fail "a note"
! "$(dirname "$CMAKE")/ctest" --test-dir b -N 2>&1 | grep -q 'Test *#' || fail "a test"
"$mneme" ir ls b/app 2>&1 | grep -q 'holds no notes' || fail "ir ls is silent"
