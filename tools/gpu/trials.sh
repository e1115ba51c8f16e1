#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records and replays what real programs use: PyTorch and Triton, CuPy, cuBLAS, Thrust, two contexts, the device heap, a
# texture, CUDA IPC between two MPI ranks, dynamic parallelism, and a program that a profiler looks at.   tools/gpu/trials.sh MNEME
# Prints a line a trial: whether output and exit code stayed, recordings by self-check, kernels refused by name. TRIALS
# names those that are wanted.
set -uo pipefail
mneme=$(realpath "$1")
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$tools/trials
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
  printf '%-16s program %s; %s, not recorded %d\n' "$name" "$same" \
    "$("$tools/count_recordings.py" "$work/$name.set")" "$(grep -c '^  not recorded:' "$logs/$name.err")"
  grep -E '^  not recorded:|NOT reproduced|refused' "$logs/$name.err" | cut -c 1-200
}

wanted() { [ -z "${TRIALS:-}" ] || case " $TRIALS " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

compiled() { # NAME [nvcc options…]
  wanted "$1" || return 0
  if build "$@"; then trial "$1" "$work/$1"; else echo "$1: nvcc cannot build it, see $1.build"; fi
}

compiled cublas_gemm -lcublas
compiled thrust_sort
compiled two_contexts -lcuda
compiled device_heap
compiled texture
compiled parent_child -rdc=true -lcudadevrt
if wanted mpi_ipc; then
  if mpi=$(mpicxx --showme:compile 2>/dev/null) &&
      build mpi_ipc $mpi $(mpicxx --showme:link | sed 's/-Wl,/-Xlinker /g; s/-pthread//'); then
    trial mpi_ipc mpirun --allow-run-as-root --oversubscribe -n 2 "$work/mpi_ipc"
  else
    echo "mpi_ipc: no MPI here, or nvcc cannot build it"
  fi
fi
wanted cupy_raw && trial cupy_raw python3 "$here/cupy_raw.py"
wanted torch_triton && trial torch_triton python3 "$here/torch_triton.py"
# Nsight Compute holds the program from outside: both get what they came for, or the recorder's one line says why not.
if wanted profiler && command -v ncu >/dev/null && build two_contexts -lcuda; then
  timeout 240 ncu --launch-count 1 --section LaunchStats "$mneme" record -o "$work/profiler.set" -- "$work/two_contexts" \
    >"$logs/profiler.out" 2>"$logs/profiler.err"
  printf '%-16s exit code %d; %s; ncu: %s\n' profiler $? "$("$tools/count_recordings.py" "$work/profiler.set")" \
    "$(grep -cE 'Launch Statistics' "$logs/profiler.out") profiled, $(grep -m 1 -E '==ERROR==' "$logs/profiler.out" | cut -c 1-120)"
  grep -h '^mneme' "$logs/profiler.err" | head -n 5
fi
exit 0
