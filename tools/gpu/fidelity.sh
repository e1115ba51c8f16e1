#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kernel times in a program and in replays of its launches: both are medians of as many runs, by events.
#   tools/gpu/fidelity.sh MNEME PROGRAMS FOLDER
# Fails where the two differ by more than 5 % in the median of all kernels that run longer than 20 us.
set -uo pipefail
mneme=$1 programs=$2 folder=$3 repeats=60
rm -rf "$folder"
mkdir -p "$folder"
"$programs/validation" large 5 >/dev/null  # clocks go up
"$mneme" record --no-check -o "$folder/set" -- "$programs/validation" large >/dev/null 2>"$folder/record.err" || exit 1
"$programs/validation" large $repeats >"$folder/program.txt" || exit 1
for recording in "$folder"/set/*.*.json; do
  "$mneme" replay --device cuda --as image --repeat $repeats --json "$recording" >"$folder/$(basename "$recording").replay"
done
"$programs/validation" large $repeats >"$folder/again.txt" || exit 1

python3 - "$folder" <<'PYTHON'
import glob, json, os, statistics, sys
folder = sys.argv[1]
def program(name):
    return {words[0]: float(words[1]) for words in map(str.split, open(os.path.join(folder, name))) if len(words) == 2}
first, again = program("program.txt"), program("again.txt")
recorded = {}
for path in glob.glob(os.path.join(folder, "set", "*.*.json")):
    recorded[os.path.basename(path).split(".")[0]] = json.load(open(path))["kernel_nanoseconds"]
print("| kernel | in the program (us) | again (us) | the recorded launch (us) | in the replay (us) | replay / program |")
print("|---|---|---|---|---|---|")
ratios = []
for path in sorted(glob.glob(os.path.join(folder, "*.replay"))):
    data = json.load(open(path))
    data = data[0] if isinstance(data, list) else data.get("replays", [data])[0]
    name = os.path.basename(path).split(".")[0]
    if name not in first or not data.get("timed_ns"):
        print(f"| {name} | no times: {data.get('verdict')} {data.get('reason', '')} | | | | |")
        continue
    replay, both = statistics.median(data["timed_ns"]), (first[name] + again[name]) / 2
    print(f"| {name} | {first[name] / 1e3:.2f} | {again[name] / 1e3:.2f} | {recorded.get(name, 0) / 1e3:.2f} | {replay / 1e3:.2f} | {replay / both:.3f} |")
    if both > 20e3:
        ratios.append(replay / both)
if not ratios:
    sys.exit("no kernel longer than 20 us")
middle = statistics.median(abs(ratio - 1) for ratio in ratios)
print(f"\nmedian difference of the {len(ratios)} kernels longer than 20 us: {100 * middle:.1f} % (goal: 5 %)")
sys.exit(0 if middle <= 0.05 else 1)
PYTHON
