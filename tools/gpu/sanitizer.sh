#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compute-sanitizer's memcheck over replays of the test programs' recordings: a replay that touches memory that it was
# not given shows here.   tools/gpu/sanitizer.sh MNEME PROGRAMS FOLDER
set -uo pipefail
mneme=$1 programs=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
command -v compute-sanitizer >/dev/null || { echo "no compute-sanitizer here"; exit 1; }

record() { # NAME PROGRAM [ARGUMENT…]
  local name=$1
  shift
  "$mneme" record --no-check -o "$folder/$name" -- "$@" >"$folder/$name.out" 2>&1
}
record memory_kinds "$programs/memory_kinds"
record launch_kinds "$programs/launch_kinds"
record validation "$programs/validation" small

checked=0 bad=0
check() { # SET OPTION…
  local set=$1 recordings=("$folder/$1"/*.*.json)
  shift
  # The whole command with its workers; an error of memcheck changes its exit code.
  # Asking the driver for one parameter too many is how their number is found out: no error of memory.
  if compute-sanitizer --target-processes all --report-api-errors no --error-exitcode 99 --log-file "$folder/$set$*.log" \
      "$mneme" replay --device cuda "$@" "${recordings[@]}" >"$folder/$set$*.replay" 2>&1 &&
      [ "$(grep -c '^PASS' "$folder/$set$*.replay")" -eq ${#recordings[@]} ] &&
      ! grep -q 'ERROR SUMMARY: [1-9]' "$folder/$set$*.log"; then
    checked=$((checked + ${#recordings[@]}))
  else
    bad=1
    echo "$set $*: not clean"
    grep -v '^PASS' "$folder/$set$*.replay" | head -n 20
    head -n 40 "$folder/$set$*.log"
  fi
}
check memory_kinds
check launch_kinds
check validation
echo "memcheck: $checked replays without an error"
exit $bad
