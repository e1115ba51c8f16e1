#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# record_replay.sh MNEME FOLDER KERNELS PROGRAM [ARGUMENT…]: runs the program plain and recorded, compares what it prints
# and its exit code, checks that each of the comma-separated KERNELS (or nothing, for -) was recorded, or was not where
# it has a ! before it, and replays every recording on the GPU as image. Skips (77) without a GPU.
set -eu  # no pipefail: grep -q ends a pipe early
mneme=$1 folder=$2 kernels=$3
shift 3

if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  case ",${MNEME_REQUIRE_BACKENDS:-}," in
    *,cuda,*) echo "MNEME_REQUIRE_BACKENDS asks for cuda, and there is no GPU"; exit 1 ;;
    *) echo "no NVIDIA GPU here"; exit 77 ;;
  esac
fi

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
for kernel in ${kernels//,/ }; do
  found=$(find "$folder/set" -name "*${kernel#!}.*.json")
  case $kernel in
    !*) [ -z "$found" ] || { echo "${kernel#!} was recorded, which it cannot be"; exit 1; } ; continue ;;
  esac
  if ! ls "$folder/set/" | grep -q "${kernel}.*\.json\$"; then
    echo "no recording of $kernel"
    ls "$folder/set"
    exit 1
  fi
done
timeout --kill-after=2 40 "$mneme" replay --device cuda --as image "$folder"/set/*.*.json
