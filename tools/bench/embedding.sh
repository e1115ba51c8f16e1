#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what the notes cost a build: each source compiled plainly and through mneme-note-compiler, in turn, best of N.
# A full build is judged by processor time (at most 1.5 times), the rebuild of one file by wall time (at most 1.1 times).
#   tools/bench/embedding.sh <build tree of Mneme> [runs] [source.cu ...]
set -euo pipefail
build=$(realpath "$1")
runs=${2:-5}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sources=("${@:3}")
[ ${#sources[@]} -gt 0 ] || sources=("$root"/examples/*/*.cu "$root"/tools/bench/program/big.cu "$root"/tests/host_runtime/programs/{cuda_program,groups}.cu)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
clang=${MNEME_BENCH_CLANG:-clang++-22}
tools=$build/libexec/mneme
include=$root/runtime/include/mneme/host

timed() {  # <file of times> <command...>
  local times=$1
  shift
  { TIMEFORMAT='%U %S %R'; time "$@" >"$scratch/out" 2>&1; } 2>>"$times" || { cat "$scratch/out" >&2; exit 1; }
}
# "CPU WALL" of the fastest of the runs, in seconds.
best() { awk '{ c = $1 + $2; if (NR == 1 || c < cpu) cpu = c; if (NR == 1 || $3 < wall) wall = $3 } END { printf "%.3f %.3f", cpu, wall }' "$1"; }

# Both sides of a CUDA source without notes: PTX, then the host object that carries it. With the runtime's header, which
# nvcc and clang include in every CUDA source.
plainHost() {
  local words=("$clang" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -Xclang -target-sdk-version=12.5
               -Wno-unknown-cuda-version -Wno-unused-command-line-argument -I "$include" -include cuda_runtime.h -O2 -fPIC)
  "${words[@]}" --cuda-device-only -S "$1" -o "$scratch/plain.ptx" &&
    "${words[@]}" --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang "$scratch/plain.ptx" -c "$1" -o "$scratch/plain.o"
}
notedHost() {
  "$tools/mneme-note-compiler" --mode host --clang "$clang" --objcopy "${OBJCOPY:-objcopy}" --include "$include" --arch sm_90 \
    -- c++ -O2 -fPIC -c "$1" -o "$scratch/noted.o"
}
plainNvcc() { nvcc -O2 -arch=sm_90 -c "$1" -o "$scratch/plain.o"; }
notedNvcc() {
  "$tools/mneme-note-compiler" --mode cuda --clang "$clang" --objcopy "${OBJCOPY:-objcopy}" --include "$root/runtime/include/mneme/nvcc" \
    -- nvcc -O2 -arch=sm_90 -c "$1" -o "$scratch/noted.o"
}

table() {  # <title> <plain> <noted>
  local source plain noted i
  printf '\n| %s | plain: CPU, wall (s) | with notes: CPU, wall (s) | CPU (goal 1.5) | wall (goal 1.1) |\n|---|---|---|---|---|\n' "$1"
  for source in "${sources[@]}"; do
    rm -f "$scratch"/*.times
    for ((i = 0; i < runs; ++i)); do
      timed "$scratch/plain.times" "$2" "$source"
      timed "$scratch/noted.times" "$3" "$source"
    done
    plain=$(best "$scratch/plain.times") noted=$(best "$scratch/noted.times")
    awk -v name="$(basename "$source")" -v p="$plain" -v n="$noted" 'BEGIN {
      split(p, a, " "); split(n, b, " ")
      printf "| %s | %s, %s | %s, %s | %.2f | %.2f |\n", name, a[1], a[2], b[1], b[2], b[1] / a[1], b[2] / a[2] }'
  done
}

printf '%s, %s, %s cores, load average %s\n' "$(date -u +%Y-%m-%d)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" \
  "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)"
table "host, by $clang" plainHost notedHost
if command -v nvcc >/dev/null; then table "cuda, by nvcc" plainNvcc notedNvcc; fi
