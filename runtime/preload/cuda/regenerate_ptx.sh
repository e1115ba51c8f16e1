#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles snapshot_kernels.cu to PTX that every CUDA 12 driver and every GPU from sm_75 on takes. Needs nvcc.
set -eu
cd "$(dirname "$0")"
nvcc -std=c++17 -O3 -arch=compute_75 -ptx -o snapshot_kernels.ptx.new snapshot_kernels.cu
{
  echo "// SPDX-License-Identifier: Apache-2.0"
  echo "// Made from snapshot_kernels.cu by regenerate_ptx.sh."
  grep -v '^//' snapshot_kernels.ptx.new | sed 's/^\.version .*/.version 7.0/' | sed 's/ \.ptr \.align [0-9]*//' | cat -s
} >snapshot_kernels.ptx
rm snapshot_kernels.ptx.new
