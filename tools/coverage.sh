#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Line coverage of format/, record/ and replay/ by the tests: tools/coverage.sh [least percent, by default 85]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
least=${1:-85}
build=$root/build-coverage
"$root/tools/setup/build.sh" "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic"
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" --output-on-failure -LE 'fuzz|package' --parallel "$(nproc)" >"$build.log" 2>&1 || { tail -30 "$build.log"; exit 1; }

status=0
for module in format record replay; do
  percent=$(find "$build/runtime/$module" -name '*.gcda' -print0 | xargs -0 -n 50 gcov --json-format --stdout 2>/dev/null |
    python3 "$root/tools/coverage.py" "$root/runtime/$module/")
  printf '%-8s %s %% of lines\n' "$module" "$percent"
  awk -v p="$percent" -v l="$least" 'BEGIN { exit !(p >= l) }' || status=1
done
exit $status
