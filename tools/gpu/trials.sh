#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records and replays what real programs use: PyTorch and Triton, CuPy, cuBLAS, Thrust, two contexts, the device heap, a
# texture, CUDA IPC between two MPI ranks, dynamic parallelism.   tools/gpu/trials.sh MNEME
# Prints a line a trial: whether output and exit code stayed, recordings by self-check, kernels refused by name.
set -uo pipefail
mneme=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/trials" && pwd)
work=$(mktemp -d)
logs=${OUT:-$work}/trials
mkdir -p "$logs"
trap 'rm -rf "$work"' EXIT

build() { # NAME [nvcc options…]
  local name=$1
  shift
  nvcc -std=c++17 -arch="${ARCH:-sm_90}" "$here/$name.cu" -o "$work/$name" "$@" >"$logs/$name.build" 2>&1
}

trial() { # NAME COMMAND…
  local name=$1 alone recorded
  shift
  timeout 120 "$@" >"$logs/$name.alone" 2>"$logs/$name.alone.err"
  alone=$?
  timeout 240 "$mneme" record -o "$work/$name.set" --ranks all -- "$@" >"$logs/$name.out" 2>"$logs/$name.err"
  recorded=$?
  local same=same
  [ $alone -eq $recorded ] && cmp -s "$logs/$name.alone" "$logs/$name.out" || same="CHANGED ($alone, $recorded)"
  printf '%-16s program %s; reproduced %d, within a tolerance %d, not reproduced %d, not recorded %d\n' "$name" "$same" \
    "$(grep -c 'image reproduced\(,\|$\)' "$logs/$name.err")" "$(grep -c 'reproduced within' "$logs/$name.err")" \
    "$(grep -cE 'NOT reproduced' "$logs/$name.err")" "$(grep -c -E 'not recorded:|cannot be recorded' "$logs/$name.err")"
}

build cublas_gemm -lcublas
build thrust_sort
build two_contexts -lcuda
build device_heap
build texture
build parent_child -rdc=true -lcudadevrt
mpi=$(mpicxx --showme:compile 2>/dev/null) && build mpi_ipc $mpi $(mpicxx --showme:link | sed 's/-Wl,/-Xlinker /g; s/-pthread//')

for name in cublas_gemm thrust_sort two_contexts device_heap texture parent_child; do trial "$name" "$work/$name"; done
trial mpi_ipc mpirun --allow-run-as-root --oversubscribe -n 2 "$work/mpi_ipc"
trial cupy_raw python3 "$here/cupy_raw.py"
trial torch_triton python3 "$here/torch_triton.py"
