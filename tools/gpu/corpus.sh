#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries Mneme on programs that nobody here wrote: every folder of CORPUS with a Makefile that has a `run` target.
#   tools/gpu/corpus.sh CORPUS MNEME [programs at once]
# For each: builds it, runs it alone and under `mneme record`, compares exit codes and output (numbers that look like
# times left out), replays every recording, and prints one line. A table of counts comes last; logs go to $OUT or /tmp.
set -uo pipefail
corpus=$(realpath "$1") mneme=$(realpath "$2") at_once=${3:-4}
export mneme logs=${OUT:-/tmp}/corpus arch=${ARCH:-sm_90} limit=${LIMIT:-40}
mkdir -p "$logs"

# Times and rates differ from run to run: lines that name one are left out, and so is every number with a fraction.
steady() { grep -viE 'time|second|sec\b|[0-9] ?(ms|us|ns)\b|b/s|flop|perf|rate|bandwidth|0x[0-9a-f]{6}' "$1" | sed -E 's/[0-9]+\.[0-9]+(e[-+]?[0-9]+)?//gI'; }
export -f steady

one() {
  local folder=$1 name work command alone recorded replayed counts missed
  name=$(basename "$folder")
  work=$logs/$name
  mkdir -p "$work"
  cd "$folder" || return
  timeout 120 make ARCH="$arch" CUDA_ARCH="$arch" >"$work/build.log" 2>&1 || { echo "$name no-build"; return; }
  command=$(make -n ARCH="$arch" run 2>/dev/null | grep -E '(^|[[:space:]])\./' | tail -n 1)
  [ -n "$command" ] || { echo "$name no-run"; return; }
  timeout "$limit" bash -c "$command" >"$work/alone.out" 2>"$work/alone.err"
  alone=$?
  [ $alone -eq 124 ] && { echo "$name too-long"; return; }
  timeout $((3 * limit)) "$mneme" record --no-check -o "$work/set" -- bash -c "$command" >"$work/recorded.out" 2>"$work/recorded.err"
  recorded=$?
  [ $alone -eq $recorded ] || { echo "$name CHANGED exit code $alone became $recorded"; return; }
  cmp -s <(steady "$work/alone.out") <(steady "$work/recorded.out") || changed=", output differs"
  missed=$(grep -c 'not recorded:' "$work/recorded.err")
  timeout $((4 * limit)) "$mneme" replay --device cuda --timeout "$limit" "$work"/set/*.*.json >"$work/replay.out" 2>&1
  replayed=$?
  counts="pass $(grep -c '^PASS' "$work/replay.out") fail $(grep -c '^FAIL' "$work/replay.out") error $(grep -c '^ERROR' "$work/replay.out") refused $missed"
  echo "$name ran $alone: $counts, replay exit $replayed${changed:-}"
  rm -rf "$work/set/data"
}
export -f one

find "$corpus" -mindepth 1 -maxdepth 1 -type d -exec test -f '{}/Makefile' \; -print | sort |
  xargs -P "$at_once" -I{} bash -c 'one {}' | tee "$logs/lines.txt"

sum() { sed -n "s/.*$1 \([0-9]*\).*/\1/p" "$logs/lines.txt" | awk '{ n += $1 } END { print n + 0 }'; }
cat <<END

| of the programs tried | $(wc -l <"$logs/lines.txt") |
|---|---|
| did not build or run alone | $(grep -cE 'no-build|no-run|too-long' "$logs/lines.txt") |
| ran, exit code unchanged | $(grep -c ' ran ' "$logs/lines.txt") |
| exit code changed | $(grep -c 'CHANGED' "$logs/lines.txt") |
| output differs | $(grep -c 'output differs' "$logs/lines.txt") |
| recordings that replay bit-exactly | $(sum pass) |
| wrong answers | $(sum fail) |
| replays that could not run | $(sum error) |
| kernels refused by name | $(sum refused) |
END
