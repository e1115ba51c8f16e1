#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: tunes the kernels of a recorded program in derived spaces, as nvcc's code and as generated
# code, and prints gains, lost trials and the rate of trials.
#   tools/gpu/tune.sh MNEME PROGRAM [FOLDER] [BUDGET]     e.g. tools/gpu/tune.sh build/bin/mneme programs/validation /tmp/tune 200
set -uo pipefail
mneme=$1 program=$2 folder=${3:-$(mktemp -d)} budget=${4:-200}
mkdir -p "$folder"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 77; }
"$mneme" record --require -o "$folder/recordings" -- "$program" >"$folder/record.log" 2>&1 || { cat "$folder/record.log"; exit 1; }
status=0
for kind in default llvm; do
  options=(--device cuda --budget "$budget" --output "$folder/tuned-$kind.json")
  [ $kind = default ] || options+=(--as llvm)
  for recording in "$folder"/recordings/*.*.json; do
    begin=$(date +%s.%N)
    "$mneme" tune "$recording" "${options[@]}" --json >"$folder/result.json" 2>>"$folder/tune.log" || { status=1; cat "$folder/result.json"; continue; }
    end=$(date +%s.%N)
    python3 - "$folder/result.json" "$kind" "$begin" "$end" <<'PYTHON'
import json, sys
result, seconds = json.load(open(sys.argv[1]))[0], float(sys.argv[4]) - float(sys.argv[3])
print(f"{result['name']:40} {sys.argv[2]:8} {result['default_ns'] / 1e3:10.1f} us -> {result['tuned_ns'] / 1e3:10.1f} us  "
      f"{result['gain']['ratio']:.3f} ({result['gain']['low']:.3f} to {result['gain']['high']:.3f})  "
      f"{result['evaluations'] / seconds:.1f} trials/s  lost {result['failures']}  {result['configuration']}")
PYTHON
  done
done
exit $status
