#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries Mneme on programs that nobody here wrote: every folder of CORPUS with a Makefile that has a `run` target.
#   tools/gpu/corpus.sh CORPUS MNEME [programs at once]
# For each: builds it, runs it alone and under `mneme record` with its self-check, compares exit codes and output (numbers
# that look like times left out), replays every recording once more, and prints one line. A table of counts comes last;
# logs go to $OUT or /tmp. LIMIT: seconds a run alone may take; BUDGET: seconds for all; what does not fit is not tried.
set -uo pipefail
corpus=$(realpath "$1") mneme=$(realpath "$2") at_once=${3:-4}
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export mneme tools logs=${OUT:-/tmp}/corpus arch=${ARCH:-sm_90} limit=${LIMIT:-40}
mkdir -p "$logs"

# Times and rates differ from run to run: lines that name one are left out, and so is every number with a fraction.
steady() { grep -viE 'time|second|sec\b|[0-9] ?(ms|us|ns)\b|b/s|flop|perf|rate|bandwidth|0x[0-9a-f]{6}' "$1" | sed -E 's/[0-9]+\.[0-9]+(e[-+]?[0-9]+)?//gI'; }

prepare() {
  local work=$logs/$(basename "$1")
  mkdir -p "$work"
  cd "$1" && timeout 120 make ARCH="$arch" CUDA_ARCH="$arch" >"$work/build.log" 2>&1 && touch "$work/built"
}

try() {
  local folder=$1 name work command alone recorded replayed changed=
  name=$(basename "$folder")
  work=$logs/$name
  [ -e "$work/built" ] || { echo "$name no-build"; return; }
  [ "$(date +%s)" -lt "$last" ] || { echo "$name not-tried"; return; }
  cd "$folder" || return
  command=$(make -n ARCH="$arch" run 2>/dev/null | grep -E '(^|[[:space:]])\./' | tail -n 1)
  [ -n "$command" ] || { echo "$name no-run"; return; }
  timeout "$limit" bash -c "$command" >"$work/alone.out" 2>"$work/alone.err"
  alone=$?
  [ $alone -eq 124 ] && { echo "$name too-long"; return; }
  timeout $((6 * limit)) "$mneme" record -o "$work/set" -- bash -c "$command" >"$work/recorded.out" 2>"$work/recorded.err"
  recorded=$?
  [ $recorded -eq 124 ] && { echo "$name recorded-too-long"; return; }
  [ $alone -eq $recorded ] || { echo "$name CHANGED exit code $alone became $recorded"; return; }
  cmp -s <(steady "$work/alone.out") <(steady "$work/recorded.out") || changed=", output differs"
  replay "$name" "$alone" "$changed"
  rm -rf "$work/set/data"
}

replay() { # NAME ITS-EXIT-CODE CHANGED
  local work=$logs/$1 replayed
  if ! compgen -G "$work/set/*.*.json" >/dev/null; then
    echo "$1 ran $2: nothing recorded, refused $(grep -c '^  not recorded:' "$work/recorded.err")$3"
    return
  fi
  timeout $((6 * limit)) "$mneme" replay --json --device cuda --timeout "$limit" "$work/set" >"$work/replay.json" 2>"$work/replay.err"
  replayed=$?
  echo "$1 ran $2: $("$tools/count_recordings.py" "$work/set" "$work/replay.json" 2>"$work/wrong.txt"), refused" \
    "$(grep -c '^  not recorded:' "$work/recorded.err"), replay exit $replayed$3"
}
export -f steady prepare try replay

folders() { find "$corpus" -mindepth 1 -maxdepth 1 -type d -exec test -f '{}/Makefile' \; -print | sort; }
export last=$(($(date +%s) + ${BUDGET:-3600}))
folders | xargs -P "$(nproc)" -I{} bash -c 'prepare {}'
echo "built within $SECONDS s"
folders | xargs -P "$at_once" -I{} bash -c 'try {}' | tee "$logs/lines.txt"

sum() { sed -nE "s/.*$1 ([0-9]+).*/\1/p" "$logs/lines.txt" | awk '{ n += $1 } END { print n + 0 }'; }
count() { grep -cE "$1" "$logs/lines.txt"; }
cat <<END

| of the programs tried | $(grep -vc not-tried "$logs/lines.txt") |
|---|---|
| did not build or run alone | $(count 'no-build|no-run| too-long') |
| ran, exit code unchanged | $(count ' ran ') |
| took too long while recorded | $(count 'recorded-too-long') |
| exit code changed | $(count 'CHANGED') |
| output differs | $(count 'output differs') |
| recordings that reproduce bit-exactly | $(sum ': reproduced') |
| within a tolerance that the self-check states | $(sum 'within a tolerance') |
| called not reproduced by the self-check | $(sum 'not reproduced') |
| refused at replay by name | $(sum 'refused at replay') |
| not checked | $(sum 'not checked') |
| wrong in a later replay and not called so | $(sum 'silently wrong') |
| kernels refused by name | $(sum ', refused') |
END
grep -hs . "$logs"/*/wrong.txt
grep -hs '^  not recorded:\|NOT reproduced' "$logs"/*/recorded.err | cut -c 1-200
exit 0
