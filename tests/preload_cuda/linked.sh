#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# linked.sh PROGRAM LIBRARY: a linked program asks the driver for the recorder where recording is asked for, and else
# finds its environment untouched; what it annotates reaches that library.
set -euo pipefail
program=$1 library=$(readlink -f "$2")
fail() { echo "FAILED: $*" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run() { env -i "$@" "$program" 2>"$scratch/err" | sort >"$scratch/out"; }
lines() { printf '%s\n' "$@" | sort; }

run A=1
diff "$scratch/out" <(lines A=1) || fail "another environment without MNEME_RECORD"
run A=1 MNEME_RECORD=
diff "$scratch/out" <(lines A=1 MNEME_RECORD=) || fail "another environment with an empty MNEME_RECORD"
[ ! -s "$scratch/err" ] || fail "says something: $(cat "$scratch/err")"

run A=1 MNEME_RECORD="$scratch/set"
grep -qxF "A=1" "$scratch/out" || fail "a variable is gone"
asked=$(sed -n 's/^CUDA_INJECTION64_PATH=//p' "$scratch/out")
[ "$(readlink -f "$asked")" = "$library" ] || fail "the driver is asked for '$asked', not $library"
[ "$(wc -l <"$scratch/out")" = 3 ] || fail "more than one variable came: $(cat "$scratch/out")"
[ ! -e "$scratch/set" ] || fail "a set was made though nothing was recorded"

run MNEME_RECORD="$scratch/set" CUDA_INJECTION64_PATH=/opt/profiler.so
diff "$scratch/out" <(lines MNEME_RECORD="$scratch/set" CUDA_INJECTION64_PATH=/opt/profiler.so) || fail "another tool's variable was changed"
[ "$(grep -c 'CUDA_INJECTION64_PATH is /opt/profiler.so already' "$scratch/err")" = 1 ] || fail "the other tool is not named in one line: $(cat "$scratch/err")"

run MNEME_RECORD="$scratch/set" CUDA_INJECTION64_PATH="$library"
[ ! -s "$scratch/err" ] || fail "complains of itself: $(cat "$scratch/err")"

"$program" annotate >"$scratch/out"
[ "$(wc -l <"$scratch/out")" = 5 ] || fail "not every entry point was asked: $(cat "$scratch/out")"
while read -r answers; do
  [ "$(readlink -f "$answers")" = "$library" ] || fail "annotations are answered by '$answers', not $library"
done <"$scratch/out"
