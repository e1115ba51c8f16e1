#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: runs every CUDA test, the conformance suite, compute-sanitizer over replays, compares
# kernel times in programs and in replays, and measures the recorder. Prints the tables for docs/validation.md.
#   tools/gpu/run.sh [--build | --build-recorder] [--only tests,conformance,sanitizer,fidelity,bench,host-set] [FOLDER]
# Uses what tools/gpu/pack.sh made (_carry/mneme.tar.xz). With --build it builds Mneme there instead, and the tests that
# need notes are left out; with --build-recorder only the library that is loaded into programs is built there. Logs go to $OUT (as one archive, logs.tar.gz) or FOLDER.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=no only=tests,conformance,sanitizer,fidelity,bench,host-set
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=yes; shift ;;
    --build-recorder) build=recorder; shift ;;
    --only) only=$2; shift 2 ;;
    *) break ;;
  esac
done
folder=${1:-$root/build-gpu}
logs=$folder/logs
mkdir -p "$logs"
export MNEME_REQUIRE_BACKENDS=cuda MNEME_CACHE_DIR=$folder/cache

configure() {
  local carried=()
  if [ -d "$root/_carry" ]; then
    carried=(-DCMAKE_PREFIX_PATH="$root/_carry/cmake" -DCMAKE_INCLUDE_PATH="$root/_carry/include")
    for package in nlohmann_json CLI11 zstd; do carried+=("-D${package}_DIR=$root/_carry/cmake"); done
    export CPLUS_INCLUDE_PATH=$root/_carry/include C_INCLUDE_PATH=$root/_carry/include
  fi
  cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${carried[@]}" -DMNEME_BACKENDS=cuda
}

step() { # NAME COMMAND…: into a log; shown where it fails
  local name=$1 begin=$SECONDS
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf '%-28s ok      %4d s\n' "$name" $((SECONDS - begin))
    return 0
  fi
  printf '%-28s FAILED  %4d s (%s)\n' "$name" $((SECONDS - begin)) "$name.log"
  tail -n 60 "$logs/$name.log"
  return 1
}

wanted() { case ",$only," in *,"$1",*) return 0 ;; *) return 1 ;; esac; }

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || { echo "no GPU here"; exit 77; }
date -u +%Y-%m-%d
if [ $build = yes ]; then
  step configure configure || exit 1
  step build cmake --build "$folder" --parallel "$(nproc)" \
    --target mneme_cli mneme_cuda mneme_test_cuda_programs mneme_test_conformance || exit 1
  mneme=$folder/bin/mneme programs=$folder/tests/cuda tests=$folder
  conformance=$folder/tests/conformance/mneme_test_conformance
else
  mkdir -p "$folder/mneme"
  tar -C "$folder/mneme" -xJf "$root/_carry/mneme.tar.xz" || { echo "no _carry/mneme.tar.xz: run tools/gpu/pack.sh"; exit 1; }
  mneme=$folder/mneme/bin/mneme programs=$folder/mneme/programs tests=$folder/cuda-tests
  conformance=$folder/mneme/bin/mneme_test_conformance
  if [ $build = recorder ]; then
    step configure-source configure || exit 1
    step build cmake --build "$folder" --parallel "$(nproc)" --target mneme_cuda || exit 1
    cp "$folder/lib/libmneme-cuda.so" "$folder/mneme/lib/"
  fi
  step configure cmake -S "$root/tests/cuda" -B "$tests" -DMNEME_TEST_CLI="$mneme" -DMNEME_TEST_PROGRAMS="$programs" || exit 1
fi
"$mneme" --version

status=0
if wanted tests; then
  step tests ctest --test-dir "$tests" -L gpu-nvidia --timeout 100 --output-on-failure --no-tests=error || status=1
  grep -E '^ *[0-9]+/[0-9]+ Test' "$logs/tests.log"
  cp "$tests"/Testing/Temporary/LastTest.log "$logs/tests-full.log" 2>/dev/null
fi
if wanted conformance; then
  if step conformance "$conformance" --gtest_filter='*cuda'; then tail -n 1 "$logs/conformance.log"; else status=1; fi
fi
for name in sanitizer fidelity; do
  wanted $name || continue
  if step $name "$root/tools/gpu/$name.sh" "$mneme" "$programs" "$folder/$name"; then cat "$logs/$name.log"; else status=1; fi
done
if wanted host-set && [ -n "${OUT:-}" ]; then
  # To be checked in below tests/cuda/recorded: it has to replay on machines without a GPU.
  step host-set "$mneme" record --require -o "$folder/recorded" -- "$programs/validation" small || status=1
  cat "$logs/host-set.log"
  tar -C "$folder" -cJf "$OUT/recorded.tar.xz" recorded
fi
wanted bench && "$root/tools/gpu/bench.sh" "$mneme" "$programs" "$folder/bench" "$logs"
[ -z "${OUT:-}" ] || tar -C "$folder" -czf "$OUT/logs.tar.gz" logs
exit $status
