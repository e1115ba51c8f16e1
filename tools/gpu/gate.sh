#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU and nvcc: is `mneme gate` right? Eight kernels from 5 us to 5 ms, the same code on both
# sides (64 comparisons), and planted slowdowns of 2 % and 5 % (real work). Prints a table for docs/gate.md.
#   tools/gpu/gate.sh MNEME PROGRAMS FOLDER
# PARTS="same planted" (both), or one of them; a later part goes on in the same FOLDER. LIMIT: seconds of each part (540), after
# which fewer comparisons are made.
# SAME: comparisons a kernel (8). PLANTED: a kernel and slowdown (2). KERNELS: a regular expression. PROGRAMS is not used.
set -uo pipefail
mneme=$(realpath "$1") folder=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/gate_kernels.cu
parts=${PARTS:-same planted} kernels=${KERNELS:-.} LIMIT=${LIMIT:-540}
mkdir -p "$folder"
folder=$(realpath "$folder")
export MNEME_REQUIRE_BACKENDS=cuda MNEME_CACHE_DIR=${MNEME_CACHE_DIR:-$folder/cache}

build() { nvcc -std=c++17 -O3 -arch="${ARCH:-native}" -DEXTRA="$1" -o "$folder/extra$1" "$source"; }
for extra in 0 20 50; do [ -x "$folder/extra$extra" ] || build $extra & done
wait
"$folder/extra0" 50 | tee "$folder/program.txt"
[ -d "$folder/set" ] || "$mneme" record --no-check -o "$folder/set" -- "$folder/extra0" 2>"$folder/record.err" || { cat "$folder/record.err"; exit 1; }
recordings=$(ls "$folder"/set/*.*.json | grep -E "$kernels")

status=0
case " $parts " in *" same "*)
  begin=$SECONDS
  "$mneme" gate --calibrate --calibrate-seconds 1 --comparisons 0 2>&1 | grep -q 'not expected' && { echo "this mneme is older than this script: run tools/gpu/pack.sh"; exit 1; }
  left=$(wc -w <<<"$recordings")
  for recording in $recordings; do
    share=$(((LIMIT - (SECONDS - begin)) / left)) left=$((left - 1))
    [ $share -gt 0 ] || { echo "no time for $recording"; status=1; continue; }
    timeout 250 "$mneme" gate "$recording" --calibrate --comparisons "${SAME:-8}" --calibrate-seconds $share \
      --sample-ms "${SAMPLE_MS:-60}" --device cuda --as image --calibration-file "$folder/same.json" 2>>"$folder/same.err" || status=1
  done
  echo "same code on both sides: $((SECONDS - begin)) s" ;;
esac
case " $parts " in *" planted "*)
  begin=$SECONDS
  for round in $(seq "${PLANTED:-2}"); do
    for extra in 20 50; do
      for recording in $recordings; do
        name=$(basename "$recording" .json)
        [ $((SECONDS - begin)) -lt "$LIMIT" ] || { echo "no time for $name, $extra, round $round"; continue; }
        timeout 100 "$mneme" gate "$recording" --code "$folder/extra$extra" --kinds perf --sample-ms "${SAMPLE_MS:-120}" --device cuda \
          --as image --json >"$folder/planted.$extra.$name.$round.json" 2>>"$folder/planted.err"
      done
    done
  done
  echo "planted slowdowns: $((SECONDS - begin)) s" ;;
esac
# The same program again: its machine code is the recorded one's, and nothing is measured.
"$mneme" gate $recordings --code "$folder/extra0" --kinds perf,static --device cuda --as image >"$folder/unchanged.txt" 2>&1
grep -E "unchanged|within|gates" "$folder/unchanged.txt" | tail -n 17

python3 - "$folder" <<'PYTHON' || status=1
import glob, json, os, re, sys
folder = sys.argv[1]
same = {}
if os.path.exists(os.path.join(folder, "same.json")):
    for device in json.load(open(os.path.join(folder, "same.json")))["calibrations"].values():
        same.update(device)
planted = {}
for path in sorted(glob.glob(os.path.join(folder, "planted.*.json"))):
    extra, name = re.match(r"planted\.(\d+)\.(.*)\.\d+\.json", os.path.basename(path)).groups()
    try:
        planted.setdefault((name, int(extra)), []).append(json.load(open(path))[0])
    except (ValueError, IndexError):
        print(f"{os.path.basename(path)}: no result")
def percent(value, digits=2):
    return f"{100 * value:.{digits}f} %"
def found(name, extra):
    runs = planted.get((name, extra), [])
    if not runs:
        return "-"
    ratios = ", ".join(f"{run.get('ratio', 0):.4f}" for run in runs)
    seconds = max(run.get("seconds", 0) for run in runs)
    return f"{sum(run['verdict'] == 'regression' for run in runs)} of {len(runs)} ({ratios}; {seconds:.0f} s)"
names = sorted(set(same) | {name for name, _ in planted}, key=lambda name: same.get(name, {}).get("nanoseconds", 0))
print("| kernel | time, us | caches, launches a sample | between processes | A/A: alarms, undecided of | resampled alarms, at most | s a comparison "
      "| found in 95 % | found in 99.5 % | planted 2 %: found (ratios) | planted 5 % |")
print("|" + "---|" * 11)
alarms = comparisons = 0
for name in names:
    one = same.get(name)
    cells = [re.sub(r"\..*", "", name)]
    if one:
        alarms += one["false_alarms"] + one["undecided"]
        comparisons += one["comparisons"]
        cells += [f"{one['nanoseconds'] / 1e3:.2f}", f"{one['cache']}, {one['batch']}", percent(one["noise"]),
                  f"{one['false_alarms']}, {one['undecided']} of {one['comparisons']}",
                  f"{percent(one['resampled_false_alarms'] + one['resampled_undecided'], 3)}, {percent(one['resampled_alarms_at_most'], 3)}",
                  f"{one['seconds_per_comparison']:.1f}"]
        cells += [percent(one[key] - 1) if one[key] > 1 else "none" for key in ("detectable_95", "detectable_995")]
    else:
        cells += ["-"] * 8
    print("| " + " | ".join(cells + [found(name, 20), found(name, 50)]) + " |")
print(f"\n{alarms} alarms in {comparisons} live comparisons of the same code")
PYTHON
if [ -n "${OUT:-}" ]; then tar -C "$folder" -czf "$OUT/gate.tar.gz" --exclude=set --exclude=cache --exclude='extra*' .; fi
exit $status
