#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/host-coverage.sh counts modules and kernels, and names what is missing.  coverage.sh SCRIPT MNEME CLANG
set -euo pipefail
script=$1 mneme=$2 clang=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {
  "$clang" -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 --cuda-device-only -emit-llvm -O2 -Xclang -disable-llvm-passes \
    -Xclang -target-sdk-version=12.5 -Wno-unknown-cuda-version --cuda-feature=+ptx88 -c -o "$work/modules/$1.bc" -
}
mkdir "$work/modules"
compile good <<<'__attribute__((global)) void one(int* p) { p[0] = 1; } __attribute__((global)) void two(int* p) { p[1] = 2; }'
compile bad <<<'__attribute__((global)) void fine(int* p) { p[0] = 1; }
__attribute__((global)) void strange(int* p) { asm volatile("mma.strange %0;" :: "r"(p[0])); }'
out=$("$script" "$work/modules" "$mneme")
for line in '| modules | 2 | 1 | 50 % |' '| kernels | 4 | 3 | 75 % |' "| 1 | inline assembly 'mma.strange"; do
  [[ $out == *"$line"* ]] || { echo "no line '$line' in:"; echo "$out"; exit 1; }
done
mkdir "$work/empty"
if "$script" "$work/empty" "$mneme" >"$work/out" 2>&1; then echo "a folder without bitcode is no error"; exit 1; fi
