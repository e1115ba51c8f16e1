#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cuda_static.sh MNEME NVCC SOURCE_TREE: the static gate of recordings made on a GPU against what nvcc builds now: the same
# program is within its limits, as PTX and as image; a kernel with more live values than registers spills, and the line is named.
set -euo pipefail
mneme=$1 nvcc=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { cat "$work/log"; echo "FAILED: $*"; exit 1; }
build() { "$nvcc" -std=c++17 -O2 -arch=sm_90 -lineinfo -Wno-deprecated-gpu-targets -I "$source/tests/cuda" -o "$work/$1" "$work/$1.cu" -lcuda; }
cp "$source/tests/cuda/validation.cu" "$work/now.cu"
# 48 live values and room for 32 registers.
sed 's/^__global__ void validate_triad/__global__ void __launch_bounds__(256, 8) validate_triad/
s/^  if (i < count) c\[i\] += a/  float kept[48];\n#pragma unroll\n  for (int k = 0; k < 48; ++k) kept[k] = a[(i + 7 * k) % count];\n  __syncthreads();\n#pragma unroll\n  for (int k = 0; k < 48; ++k) if (kept[k] * kept[(5 * k + 3) % 48] == -3.0f) c[(i + k) % count] = kept[k];\n&/' \
  "$work/now.cu" >"$work/spills.cu"
build now
build spills
recording=$(ls "$source"/tests/gpu_recordings/h200/validate_triad.*.json)

for kind in ptx image; do
  "$mneme" gate "$recording" --code "$work/now" --kinds static --as $kind >"$work/log" || fail "the same program, as $kind"
  grep -qE "^  sm_90: registers [0-9]+, spills 0" "$work/log" || fail "no figures, as $kind"
done
for kind in ptx image; do
  code=0
  "$mneme" gate "$recording" --code "$work/spills" --kinds static --as $kind --static-limits spills=0 >"$work/log" || code=$?
  [ $code = 1 ] || fail "exit code $code after a spill, as $kind"
  grep -qE 'FAIL static .*spills [1-9][0-9]*, baseline 0, allowed 0' "$work/log" || fail "the spill is not named"
  grep -qE 'spilling starts at .*spills\.cu:[0-9]+' "$work/log" || fail "its line is not named"
done
