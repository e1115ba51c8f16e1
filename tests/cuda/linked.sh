#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# linked.sh MNEME FOLDER PROGRAM: a program that is linked with the recorder records with MNEME_RECORD alone, does what it
# does without, and its annotations are in the recording. Skips (77) without a GPU.
set -eu
mneme=$1 folder=$2 program=$3

. "$(dirname "$0")/gpu.sh"

rm -rf "$folder"
mkdir -p "$folder"
fail() { echo "FAILED: $*"; cat "$folder/recorded.err"; exit 1; }

"$program" >"$folder/plain.out"
[ ! -e "$folder/set" ] || fail "recorded without being asked"
MNEME_RECORD=$folder/set timeout --kill-after=2 60 "$program" >"$folder/recorded.out" 2>"$folder/recorded.err" ||
  fail "the program ends with $? while it is recorded"
cmp "$folder/plain.out" "$folder/recorded.out" || fail "another output"

recordings=("$folder"/set/scale.*.json)
[ -e "${recordings[0]}" ] && [ ${#recordings[@]} -eq 1 ] || fail "not one recording: ${recordings[*]}"
python3 - "${recordings[0]}" <<'PYTHON' || fail "annotations are missing"
import json, sys
recording = json.load(open(sys.argv[1]))
print(recording["identity"], recording["annotations"], recording["regions"])
assert recording["identity"]["tag"] == "warm-up"
assert [one["buffer"] for one in recording["annotations"]] == ["scaled values"]
assert recording["annotations"][0]["rtol"] == 1e-4
assert [region["size"] for region in recording["regions"]["listed"]] == [4096]  # the block, not the pool
PYTHON
timeout --kill-after=2 60 "$mneme" replay --device cuda --as image "${recordings[0]}"
