#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What recording and replaying cost on this GPU, each value against its goal, as the table of docs/validation.md.
#   tools/gpu/bench.sh MNEME PROGRAMS FOLDER LOGS
# PAIRS: how many processes of each kind the launches take.
set -uo pipefail
mneme=$1 programs=$2 folder=$3 logs=$4
library=$(dirname "$(dirname "$mneme")")/lib/libmneme-cuda.so
rm -rf "$folder"
mkdir -p "$folder"

# Numbers of the last run's output by name; all of them, one a line.
field() { awk -v name="$1" '$1 == name { print $2 }' "$folder/last.out"; }
nth() { sed -n "$1p"; }
median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
calculate() { awk "BEGIN { printf \"%.${2:-3}f\", $1 }"; }

timed() { # COMMAND…: wall seconds; its output goes to $folder/last.out
  local begin end
  begin=$(date +%s.%N)
  "$@" >"$folder/last.out" 2>"$folder/last.err" || { echo "exit code $? of: $*" >&2; touch "$folder/failed"; }
  end=$(date +%s.%N)
  { echo "== $*"; cat "$folder/last.err"; } >>"$logs/bench.err"
  calculate "$end - $begin"
}

# The program with the recorder in it, but without the command around it.
recording() { # SET COMMAND…
  local set=$1
  shift
  timed env MNEME_RECORD="$folder/$set" CUDA_INJECTION64_PATH="$library" "$@"
}

row() { # WHAT VALUE UNIT [GOAL: at most]
  local met=
  if [ -e "$folder/failed" ] || [ -z "$2" ]; then
    printf '| %s | failed | | no |\n' "$1"
    rm -f "$folder/failed"
    return
  fi
  if [ $# -gt 3 ]; then
    met=no
    awk -v value="$2" -v goal="$4" 'BEGIN { exit !(value <= goal) }' && met=yes
    printf '| %s | %s %s | at most %s %s | %s |\n' "$1" "$2" "$3" "$4" "$3" "$met"
  else
    printf '| %s | %s %s | | |\n' "$1" "$2" "$3"
  fi
}

triad512() {
  local plain recorded
  timed "$programs/bench_triad" 512 6 >/dev/null
  plain=$(field launch_us | tail -n +2 | median)
  recording 512 MNEME_RECORD_KERNEL=triad "$programs/bench_triad" 512 6 >/dev/null
  recorded=$(field launch_us | nth 1)
  row '3 x 512 MB: the kernel, launch to end' "$plain" us
  row '3 x 512 MB: program stopped by the recording beyond the kernel' "$(calculate "($recorded - $plain) / 1000")" ms 10
  row '3 x 512 MB: the next launch, while the recording is written' "$(field launch_us | nth 2)" us
  row '3 x 512 MB: replay and verify, process start to end' \
      "$(timed "$mneme" replay --device cuda "$folder"/512/*.*.json)" s 2
}

triad64() {
  row '3 x 64 MB, 20 launches: whole process without recorder' "$(timed "$programs/bench_triad" 64 20)" s
  row '3 x 64 MB, all 20 launches recorded: whole process' \
      "$(timed "$mneme" record --no-check --max 0 -o "$folder/64" -- "$programs/bench_triad" 64 20)" s 3
  row 'the same of values that do not compress: whole process' \
      "$(timed "$mneme" record --no-check --max 0 -o "$folder/random-20" -- "$programs/bench_triad" 64 20 random)" s
  row 'disk per further recording of in-place updates, in sizes of the array' "$(diskPerLaunch 64)" times 1.0
  row 'the same of values that do not compress: each chunk as it is, and its table entries' "$(diskPerLaunch random-20 random)" times
}

# The set of all 20 launches against one of the first alone, in sizes of the array that each launch updates in place.
diskPerLaunch() { # SET [random]
  timed "$mneme" record --no-check --max 1 -o "$folder/$1-first" -- "$programs/bench_triad" 64 20 "${@:2}" >/dev/null
  local all first
  all=$(du -sb "$folder/$1" | cut -f1) first=$(du -sb "$folder/$1-first" | cut -f1)
  calculate "($all - $first) / 19 / (64 * 1048576)"
}

quartile() { # 1|2|3 VALUE…
  local which=$1
  shift
  printf '%s\n' "$@" | sort -g | nth $((($which * $# + 3) / 4))
}

error_of() { # VALUE…: the standard error of their median, from the quartiles
  calculate "1.25 * 0.74 * ($(quartile 3 "$@") - $(quartile 1 "$@")) / sqrt($#)" 0
}

# A library whose callbacks do nothing: what the profiling interface costs by itself.
build_empty() {
  local cuda
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
  nvcc -shared -Xcompiler -fPIC -I"$cuda/extras/CUPTI/include" -L"$cuda/extras/CUPTI/lib64" -o "$folder/libempty.so" \
    "$(dirname "${BASH_SOURCE[0]}")/empty_callbacks.c" -lcupti -Xlinker -rpath="$cuda/extras/CUPTI/lib64" >>"$logs/bench.err" 2>&1
}

# Processes differ by more than what is looked for (where they run, where their memory lies), so all kinds take turns on
# one processor and the median of the differences within a turn counts.
launches() {
  local turn off pairs=${PAIRS:-40} pinned=() differences=() plain=() empty=() runtime=()
  command -v taskset >/dev/null && pinned=(taskset -c "$(($(nproc) / 2))")
  build_empty || echo "no library with empty callbacks" >&2
  for turn in $(seq "$pairs"); do
    timed "${pinned[@]}" "$programs/bench_launch" >/dev/null
    off=$(field launch_ns)
    plain+=("$off")
    recording "none-$turn" MNEME_RECORD_KERNEL=no_such_kernel "${pinned[@]}" "$programs/bench_launch" >/dev/null
    differences+=("$(calculate "$(field launch_ns) - $off" 1)")
    [ -e "$folder/libempty.so" ] || continue
    timed env CUDA_INJECTION64_PATH="$folder/libempty.so" "${pinned[@]}" "$programs/bench_launch" >/dev/null
    empty+=("$(calculate "$(field launch_ns) - $off" 1)")
    timed env EMPTY_CALLBACKS=runtime CUDA_INJECTION64_PATH="$folder/libempty.so" "${pinned[@]}" "$programs/bench_launch" >/dev/null
    runtime+=("$(calculate "$(field launch_ns) - $off" 1)")
  done
  row "a small launch, no recorder (median of $pairs processes)" "$(quartile 2 "${plain[@]}")" ns
  row "a small launch that is not selected, beyond that (median of $pairs pairs)" "$(quartile 2 "${differences[@]}")" ns 500
  row 'its standard error' "$(error_of "${differences[@]}")" ns
  if [ ${#empty[@]} -gt 0 ]; then
    row 'of that, callbacks of CUPTI that return at once' "$(quartile 2 "${empty[@]}")" ns
    row 'the same, listening to two calls of the runtime interface too' "$(quartile 2 "${runtime[@]}")" ns
  fi
  timed "$programs/bench_launch" many >/dev/null
  row '100 000 small launches, no recorder' "$(field many_ms)" ms
  recording many MNEME_RECORD_KERNEL=no_such_kernel "$programs/bench_launch" many >/dev/null
  row '100 000 small launches, recorder on' "$(field many_ms)" ms
}

startup() {
  local turn on=() off=()
  for turn in 1 2 3 4 5 6 7; do
    off+=("$(timed "$programs/hazards" exits)")
    on+=("$(recording "start-$turn" MNEME_RECORD_KERNEL=no_such_kernel "$programs/hazards" exits)")
  done
  local plain
  plain=$(printf '%s\n' "${off[@]}" | median)
  row 'a program of one launch, start to end, no recorder' "$(calculate "1000 * $plain" 0)" ms
  row 'the same with the recorder on, nothing selected, beyond that' \
      "$(calculate "1000 * ($(printf '%s\n' "${on[@]}" | median) - $plain)" 0)" ms 150
}

memory() {
  local size plain
  for size in 20 60; do
    timed "$programs/bench_memory" live $size >/dev/null
    plain=$(field reaches_one_second_ms)
    recording live-$size "$programs/bench_memory" live $size >/dev/null
    row "$size GB of live memory, the kernel reaches 1 GB: launch without recorder" "$plain" ms
    row "$size GB of live memory: program stopped by the recording" "$(calculate "$(field reaches_one_first_ms) - $plain")" ms
    rm -rf "$folder/live-$size"
  done
  timed "$programs/bench_memory" allocations 10000 >/dev/null
  row '10 000 allocations: making them, no recorder' "$(field making_ms)" ms
  plain=$(field reaches_one_second_ms)
  recording allocations "$programs/bench_memory" allocations 10000 >/dev/null
  row '10 000 allocations: making them, recorder on' "$(field making_ms)" ms
  row '10 000 allocations: program stopped by recording a kernel that reaches one' \
      "$(calculate "$(field reaches_one_first_ms) - $plain")" ms
  row '10 000 allocations: program stopped by recording a kernel that reaches all' \
      "$(calculate "$(field reaches_all_first_ms) - $plain")" ms
}

"$programs/bench_launch" >/dev/null  # clocks go up
echo "$(date -u +%Y-%m-%d), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | sed 's/, /, driver /'), $(nproc) CPU cores"
echo
echo '| measured | value | goal | met |'
echo '|---|---|---|---|'
triad512
triad64
launches
startup
memory
