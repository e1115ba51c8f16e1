#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# record_replay.sh MNEME FOLDER KERNELS PROGRAM [ARGUMENT…]: runs the program plain and recorded, compares what it prints
# and its exit code, checks that each of the comma-separated KERNELS (or nothing, for -) was recorded, or was not where
# it has a ! before it (with :N behind it: from compute capability N on), and replays every recording on the GPU as
# image. Skips (77) without a GPU.
set -eu  # no pipefail: grep -q ends a pipe early
mneme=$1 folder=$2 kernels=$3
shift 3

. "$(dirname "$0")/gpu.sh"

rm -rf "$folder"
mkdir -p "$folder"

run() { # NAME COMMAND…: stdout and exit code into files
  local name=$1 code=0
  shift
  timeout --kill-after=2 30 "$@" >"$folder/$name.out" 2>"$folder/$name.err" || code=$?
  echo "$code" >"$folder/$name.code"
}

run plain "$@"
case $(<"$folder/plain.code") in
  124 | 137) echo "the program hangs by itself"; exit 1 ;;
esac
run recorded "$mneme" record --no-check -o "$folder/set" -- "$@"
cat "$folder/recorded.err"
if ! cmp "$folder/plain.out" "$folder/recorded.out" || ! cmp "$folder/plain.code" "$folder/recorded.code"; then
  echo "the program behaves otherwise while it is recorded"
  diff "$folder/plain.out" "$folder/recorded.out" || true
  exit 1
fi

[ "$kernels" = - ] && exit 0
recorded() { find "$folder/set" -name "$1.????????.json" | grep -q .; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
for entry in ${kernels//,/ }; do
  kernel=${entry#!}
  kernel=${kernel%:*}
  case $entry in
    !*) if recorded "$kernel"; then echo "$kernel was recorded, which it cannot be"; exit 1; fi ;;
    *:*) [ "${capability%.*}" -lt "${entry#*:}" ] || recorded "$kernel" || { echo "no recording of $kernel"; ls "$folder/set"; exit 1; } ;;
    *) recorded "$kernel" || { echo "no recording of $kernel"; ls "$folder/set"; exit 1; } ;;
  esac
done
timeout --kill-after=2 40 "$mneme" replay --device cuda --as image "$folder"/set/*.*.json
