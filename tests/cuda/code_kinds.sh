#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# code_kinds.sh MNEME FOLDER PROGRAM [ARGUMENT…]: records a program that was built with notes and replays every recording
# as image, as PTX and as bitcode that is turned into code for this GPU: the recorded code, and the program's own now (the
# image from its fat binaries, the rest from its notes).
# Prints what the self-check said of each. Skips (77) without a GPU.
set -eu
mneme=$1 folder=$2 program=$3
shift 2

. "$(dirname "$0")/gpu.sh"

rm -rf "$folder"
mkdir -p "$folder"
export MNEME_CACHE_DIR=$folder/cache
"$mneme" record --require -o "$folder/set" -- "$@" 2>"$folder/recorded.err" || { cat "$folder/recorded.err"; exit 1; }
cat "$folder/recorded.err"

status=0
replay() { # WHAT OPTION…
  echo "== $1"
  shift
  timeout --kill-after=2 120 "$mneme" replay --device cuda "$@" || status=1
}

all=("$folder"/set/*.*.json)
for recording in "${all[@]}"; do
  grep -q '"kind": *"llvm"' "$recording" || { echo "$recording holds no bitcode"; exit 1; }
done
replay "the recorded image" --as image "${all[@]}"
replay "the recorded PTX" --as ptx "${all[@]}"
replay "the recorded bitcode" --as llvm "${all[@]}"
replay "the program's image" --as image --code "$program" "${all[@]}"
replay "the program's PTX" --as ptx --code "$program" "${all[@]}"
replay "the program's bitcode" --as llvm --code "$program" "${all[@]}"
exit $status
