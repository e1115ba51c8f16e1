#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# errors.sh PROJECT BUILD_TREE: what mneme_add_gate refuses, it refuses when the project is configured, and says what to write.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$1" "$work/source"
cd "$work"
export Mneme_DIR=$2 LC_ALL=C
cp source/CMakeLists.txt head
refuses() { # CALL PATTERN
  { cat head; echo "$1"; } >source/CMakeLists.txt
  ! cmake -S source -B build -G Ninja >log 2>&1 || { echo "FAILED: accepted: $1"; exit 1; }
  tr '\n' ' ' <log | tr -s ' ' >said
  grep -qE -- "$2" said || { cat log; echo "FAILED: does not say: $2"; exit 1; }
}
refuses 'mneme_add_gate(app KINDS speed)' 'KINDS is one of verify, perf, static, not "speed"'
refuses 'mneme_add_gate(app MAX_SLOWDOWN 0.5)' 'MAX_SLOWDOWN is a ratio such as 1.05, not "0.5"'
refuses 'mneme_add_gate(app MIN_EFFECT soon)' 'MIN_EFFECT is a time such as 200ns'
refuses 'mneme_add_gate(app UNDECIDED never)' 'UNDECIDED is one of fail, skip, pass'
refuses 'mneme_add_gate(app STATIC_LIMITS registers)' 'STATIC_LIMITS takes registers=\+0'
refuses 'mneme_add_gate(app BUDGET 0)' 'BUDGET is a number of seconds'
refuses 'mneme_add_gate(app FOO 1)' 'unknown argument: FOO'
refuses 'mneme_add_gate(nothing)' 'there is no target "nothing"'
refuses 'mneme_add_gate(busy)' 'RECORDINGS is missing'
refuses 'mneme_add_gate(app CODE nothing)' 'mneme_add_gate\(app\): CODE "nothing" is not a target'
