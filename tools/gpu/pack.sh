#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills _carry/ (ignored by git) with what a GPU machine that has a compiler, CMake, Ninja and CUDA lacks:
#   mneme.tar.xz   Mneme, built here with LLVM inside, its conformance test, and the CUDA tests' programs built by nvcc
#                  with notes by clang: tools/gpu/run.sh needs no build there
#   include, lib, cmake   the libraries that a build there needs (tools/gpu/run.sh --build)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
carry=$root/_carry
build=$root/build-carry
arch=${ARCH:-sm_90}
clang=${CLANG:-clang++-22}
rm -rf "$carry"
mkdir -p "$carry/include" "$carry/lib" "$carry/cmake"

cp -r /usr/include/nlohmann /usr/include/CLI "$carry/include/"
cp /usr/include/xxhash.h /usr/include/xxh3.h /usr/include/zstd.h /usr/include/zstd_errors.h /usr/include/zdict.h \
   "$carry/include/" 2>/dev/null || cp /usr/include/xxhash.h /usr/include/zstd*.h "$carry/include/"
cp "$(gcc -print-file-name=libzstd.a)" "$carry/lib/"

package() { # NAME TARGET KIND [PROPERTY VALUE]…
  local name=$1 target=$2 kind=$3
  shift 3
  cat >"$carry/cmake/${name}Config.cmake" <<EOF
if(NOT TARGET $target)
  add_library($target $kind IMPORTED)
  set_target_properties($target PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "\${CMAKE_CURRENT_LIST_DIR}/../include" $*)
endif()
EOF
}
package nlohmann_json nlohmann_json::nlohmann_json INTERFACE
package CLI11 CLI11::CLI11 INTERFACE
package zstd zstd::libzstd_static STATIC IMPORTED_LOCATION '"${CMAKE_CURRENT_LIST_DIR}/../lib/libzstd.a"'

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMNEME_BACKENDS=cuda -DMNEME_STATIC_LLVM=ON -DMNEME_BUILD_TESTS=ON \
      -DMNEME_TEST_CUDA_ARCH="$arch" >"$carry/configure.log"
cmake --build "$build" --parallel "${JOBS:-2}" --target mneme_cli mneme_cuda mneme_code_library mneme_bitcode \
      mneme_note_compiler mneme_test_conformance >"$carry/build.log" || { tail -n 30 "$carry/build.log"; exit 1; }

packed=$build/packed
rm -rf "$packed"
mkdir -p "$packed/bin" "$packed/lib" "$packed/libexec/mneme" "$packed/programs"
cp "$build/bin/mneme" "$(find "$build/tests" -name mneme_test_conformance -type f)" "$packed/bin/"
cp "$build/lib/libmneme-cuda.so" "$packed/lib/"
cp "$build/libexec/mneme/libmneme-code.so" "$build/libexec/mneme/mneme-bitcode" "$packed/libexec/mneme/"
strip "$packed"/bin/* "$packed"/lib/* "$packed"/libexec/mneme/*

for source in "$root"/tests/cuda/*.cu; do
  name=$(basename "$source" .cu)
  object=$build/$name.o
  if [ "$object" -ot "$source" ] || [ "$object" -ot "$root/tests/cuda/check.h" ]; then
    "$build/libexec/mneme/mneme-note-compiler" --mode cuda --clang "$clang" --objcopy objcopy --compiler nvcc \
      --cuda-root "$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")" --arch "$arch" -- \
      nvcc -std=c++17 -O2 -arch="$arch" -I "$root/runtime/include" -c -o "$object" "$source"
  fi
  linked=()
  [ "$name" != annotated ] || linked=(-Xlinker --no-as-needed -Xlinker "$packed/lib/libmneme-cuda.so" -Xlinker '-rpath=$ORIGIN/../lib')
  nvcc -arch="$arch" -o "$packed/programs/$name" "$object" -lcuda "${linked[@]}"
done
strip "$packed"/programs/*

# What all of it needs of a system, to be compared with the GPU machine's.
for file in "$packed"/bin/* "$packed"/lib/* "$packed"/libexec/mneme/* "$packed"/programs/*; do
  printf '%s: glibc %s, needs %s\n' "${file#"$packed/"}" \
    "$(objdump -T "$file" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1 | cut -d_ -f2)" \
    "$(objdump -p "$file" | awk '/NEEDED/ { printf "%s ", $2 }')"
done >"$carry/needs.txt"
tar -C "$packed" -c . | xz -T0 -2 >"$carry/mneme.tar.xz"
du -sh "$carry" "$carry/mneme.tar.xz"
