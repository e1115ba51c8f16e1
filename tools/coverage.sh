#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Line coverage of format/, record/ and replay/ by their own tests: tools/coverage.sh [least percent, by default 85]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
least=${1:-85}
build=$root/build-coverage
modules="format record replay"
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "${launcher[@]}" \
  -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" >/dev/null
# shellcheck disable=SC2086
cmake --build "$build" --parallel "$(nproc)" --target $(printf 'mneme_test_%s ' $modules) >"$build/build.log" ||
  { tail -30 "$build/build.log"; exit 1; }
find "$build" -name '*.gcda' -delete
for module in $modules; do
  "$build/tests/$module/mneme_test_$module" >"$build/$module.log" 2>&1 || { tail -30 "$build/$module.log"; exit 1; }
done

status=0
for module in $modules; do
  percent=$(find "$build/runtime/$module" -name '*.gcda' -print0 | xargs -0 -n 50 gcov --json-format --stdout 2>/dev/null |
    python3 "$root/tools/coverage.py" "$root/runtime/$module/")
  printf '%-8s %s %% of lines\n' "$module" "$percent"
  awk -v p="$percent" -v l="$least" 'BEGIN { exit !(p >= l) }' || status=1
done
exit $status
