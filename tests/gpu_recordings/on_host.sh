#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# on_host.sh MNEME SET CACHE: every recording that holds bitcode replays on the CPU; one that does not is refused by name.
# All within their default tolerance but validate_bodies, whose reciprocal square roots the GPU approximates and whose sums
# cancel: its tolerance is in the set's tolerance.json.
set -eu
mneme=$1 set=$2
export MNEME_CACHE_DIR=$3
passed=0
for recording in "$set"/*.*.json; do
  name=$(basename "$recording" .json)
  code=0
  answer=$("$mneme" replay --device host "$recording" 2>&1) || code=$?
  echo "$answer"
  if grep -q '"kind": *"llvm"' "$recording"; then
    [ $code -eq 0 ] || { echo "$name: exit code $code"; exit 1; }
    passed=$((passed + 1))
  else
    case "$code $answer" in
      4*"has kernel "*" as image"*"the replay can take llvm"*) ;;
      *) echo "$name: not refused by name (exit code $code)"; exit 1 ;;
    esac
  fi
done
[ $passed -ge 9 ] || { echo "only $passed recordings hold bitcode"; exit 1; }
