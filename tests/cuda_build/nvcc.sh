# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests: nvcc's path, or a skip.
nvcc="${MNEME_NVCC:-}"
[[ -x "$nvcc" ]] || nvcc=$(command -v nvcc || true)
[[ -x "$nvcc" ]] || { echo "no nvcc here"; exit 77; }
export LANGUAGES="CXX CUDA" CUDAARCHS="${CUDAARCHS:-90}" CUDACXX="$nvcc"
