#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the header-only libraries and the static libzstd that building Mneme needs into _carry/ (ignored by git), with
# CMake packages for them, for a GPU machine that has a compiler, CMake, Ninja and CUDA but not these.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
carry=$root/_carry
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
du -sh "$carry"
