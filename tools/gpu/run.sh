#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: builds Mneme, runs every test labelled gpu-nvidia, and measures the recorder.
#   tools/gpu/run.sh [--tests-only | --bench-only] [BUILD]
# Uses _carry/ (tools/gpu/pack.sh) where the machine lacks the libraries. Prints one table; logs go to $OUT or BUILD.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
what=all
case ${1:-} in --tests-only) what=tests; shift ;; --bench-only) what=bench; shift ;; esac
build=${1:-$root/build-gpu}
logs=${OUT:-$build}
mkdir -p "$build" "$logs"
export MNEME_REQUIRE_BACKENDS=cuda
export MNEME_CACHE_DIR=$build/cache

configure() {
  local carried=()
  if [ -d "$root/_carry" ]; then
    carried=(-DCMAKE_PREFIX_PATH="$root/_carry/cmake" -DCMAKE_INCLUDE_PATH="$root/_carry/include")
    for package in nlohmann_json CLI11 zstd; do carried+=("-D${package}_DIR=$root/_carry/cmake"); done
    export CPLUS_INCLUDE_PATH=$root/_carry/include C_INCLUDE_PATH=$root/_carry/include
  fi
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${carried[@]}" -DMNEME_BACKENDS=cuda
}

step() { # NAME COMMAND…: into a log; shown where it fails
  local name=$1 begin=$SECONDS
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf '%-28s ok      %4d s\n' "$name" $((SECONDS - begin))
    return 0
  fi
  printf '%-28s FAILED  %4d s (%s)\n' "$name" $((SECONDS - begin)) "$logs/$name.log"
  tail -n 60 "$logs/$name.log"
  return 1
}

field() { awk -v name="$1" '$1 == name { print $2 }' "$2"; }
seconds() { # COMMAND…: wall time; its output goes to $logs/last.out
  local begin end
  begin=$(date +%s.%N)
  "$@" >"$logs/last.out" 2>"$logs/last.err" || echo "exit code $? of: $*" >&2
  end=$(date +%s.%N)
  awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.3f", b - a }'
}

bench() {
  local mneme=$build/bin/mneme program=$build/tests/cuda/bench_triad set=$build/bench-set
  local plain recorded
  rm -rf "$set"
  printf '\n%-58s %12s\n' 'measured' 'value'
  row() { printf '%-58s %12s %s\n' "$1" "$2" "$3"; }

  "$program" 64 3 >"$logs/warm.out" 2>&1
  seconds "$program" 512 20 >/dev/null; cp "$logs/last.out" "$logs/plain512.out"
  seconds "$mneme" record --no-check -o "$set/512" --kernel triad -- "$program" 512 20 >/dev/null
  cp "$logs/last.out" "$logs/recorded512.out"; cp "$logs/last.err" "$logs/recorded512.err"
  plain=$(grep launch_us "$logs/plain512.out" | sed -n 2p | cut -d' ' -f2)
  recorded=$(grep launch_us "$logs/recorded512.out" | sed -n 1p | cut -d' ' -f2)
  row 'a launch, 3 x 512 MB, not recorded' "$plain" us
  row 'the recorded launch, 3 x 512 MB (target: +10000)' "$recorded" us
  row 'next launch while it is written' "$(grep launch_us "$logs/recorded512.out" | sed -n 2p | cut -d' ' -f2)" us
  row 'a small launch, no recorder' "$(field small_launch_us "$logs/plain512.out")" us
  row 'a small launch, recorder on (target: +0.5)' "$(field small_launch_us "$logs/recorded512.out")" us

  plain=$(seconds "$program" 64 20)
  row 'whole process, 3 x 64 MB, 20 launches, plain' "$plain" s
  recorded=$(seconds "$mneme" record --no-check --max 0 -o "$set/64" --kernel triad -- "$program" 64 20)
  cp "$logs/last.err" "$logs/recorded64.err"
  row 'the same, all 20 recorded (target: 3)' "$recorded" s
  row 'bytes on disk of the 20 recordings' "$(du -sb "$set/64" 2>/dev/null | cut -f1)" B
  row 'whole process, recorder on, nothing selected' \
      "$(seconds "$mneme" record --no-check --kernel no_such_kernel -o "$set/none" -- "$program" 64 20)" s
  row 'a small launch, recorder on, nothing being written' "$(field small_launch_us "$logs/last.out")" us
  row 'replay and verify, 3 x 512 MB (target: 2)' "$(seconds "$mneme" replay --device cuda "$set"/512/*.*.json)" s
  cat "$logs/last.out" "$logs/last.err" | tail -n 5
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 77; }
step configure configure || exit 1
step build cmake --build "$build" --parallel "$(nproc)" \
  --target mneme_cli mneme_cuda mneme_test_cuda_programs || exit 1
status=0
if [ $what != bench ]; then
  step tests ctest --test-dir "$build" -L gpu-nvidia --timeout 60 --output-on-failure --no-tests=error || status=1
  grep -E '^ *[0-9]+/[0-9]+ Test' "$logs/tests.log"
fi
[ $what != tests ] && bench
exit $status
