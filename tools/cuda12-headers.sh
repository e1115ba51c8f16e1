#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles what needs CUDA's headers (the cuda back-end and its recorder) against those of CUDA 12, which PyPI has as
# packages: tools/cuda12-headers.sh BUILD [VERSION]. BUILD is a configured build folder (for mneme/version.h).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "$1") version=${2:-12.1.105}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for package in runtime cupti; do
  python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$folder" "nvidia-cuda-$package-cu12==$version"
done
for wheel in "$folder"/*.whl; do python3 -m zipfile -e "$wheel" "$folder/unpacked"; done
includes=(-isystem "$folder/unpacked/nvidia/cuda_runtime/include" -isystem "$folder/unpacked/nvidia/cuda_cupti/include")
grep -h 'define CUDA_VERSION' "$folder/unpacked/nvidia/cuda_runtime/include/cuda.h"
status=0
for source in "$root"/runtime/backend/cuda/*.cpp "$root"/runtime/preload/cuda/*.cpp; do
  "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror "${includes[@]}" -I"$root/runtime" -I"$root/runtime/include" \
    -I"$build/include" "$source" || { echo "$source does not compile"; status=1; }
done
[ $status -eq 0 ] && echo "all of it compiles"
exit $status
