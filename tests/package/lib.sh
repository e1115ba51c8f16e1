# SPDX-License-Identifier: Apache-2.0
# What the package tests share. Each test runs in an empty folder of its own ($PWD) and gets from CTest:
# CMAKE, GENERATOR, MNEME_PREFIX (an install that was moved), MNEME_BUILD, MNEME_SOURCE.
set -eu
export LC_ALL=C CCACHE_DIR="${CCACHE_DIR:-$PWD/ccache}"
unset CMAKE_PREFIX_PATH Mneme_DIR DESTDIR MNEME_RECORD
mneme="$MNEME_PREFIX/bin/mneme"

fail() { echo "FAILED: $*" >&2; exit 1; }

# project FOLDER: CMakeLists.txt from stdin, after the usual head.
project() {
  mkdir -p "$1"
  { printf 'cmake_minimum_required(VERSION 3.25)\nproject(test LANGUAGES %s)\nfind_package(Mneme REQUIRED)\n' "${LANGUAGES:-CXX}"; cat; } > "$1/CMakeLists.txt"
}

# kernel FILE NAME: a device source with one kernel and a function that launches it.
kernel() {
  mkdir -p "$(dirname "$1")"
  cat > "$1" <<SOURCE
#include <cuda_runtime.h>
#ifndef STEP
#define STEP 1
#endif
__global__ void $2(float* a) { a[threadIdx.x] += STEP; }
void launch_$2(float* a) { $2<<<1, 32>>>(a); }
SOURCE
}

# main_for NAME…: a main() that names the launchers, so that linkers keep them.
main_for() {
  for name in "$@"; do echo "void launch_$name(float*);"; done
  echo 'int main(int argc, char**) { if (argc > 1) {'
  for name in "$@"; do echo "  launch_$name(nullptr);"; done
  echo '} return 0; }'
}

configure() { local source="$1" build="$2"; shift 2; "$CMAKE" -G "$GENERATOR" -S "$source" -B "$build" -DCMAKE_PREFIX_PATH="$MNEME_PREFIX" "$@" > configure.log 2>&1 || { cat configure.log; fail "configure"; }; }
build() { "$CMAKE" --build "$@" > build.log 2>&1 || { cat build.log; fail "build"; }; }

# refuses PATTERN FOLDER ARG…: the configure must fail and say PATTERN.
refuses() {
  local pattern="$1" source="$2"; shift 2; rm -rf refused
  if "$CMAKE" -G "$GENERATOR" -S "$source" -B refused -DCMAKE_PREFIX_PATH="$MNEME_PREFIX" "$@" > refused.log 2>&1; then
    cat refused.log; fail "configured, but should have said: $pattern"
  fi
  tr '\n' ' ' < refused.log | tr -s ' ' | grep -qE -- "$pattern" || { cat refused.log; fail "does not say: $pattern"; }
}

# holds BINARY KERNEL…: exactly these kernels (plain names) are in its notes.
holds() {
  local binary="$1"; shift
  readelf -nW "$binary" 2>/dev/null | grep -q '^  Mneme ' || [[ "$binary" == *.a ]] || fail "readelf shows no note in $binary"
  local want got
  want=$(printf '%s\n' "$@" | sort)
  got=$("$mneme" ir ls --json "$binary" | sed -n 's/.*"demangled": "\([^(]*\)(.*/\1/p' | sort)
  [[ "$want" == "$got" ]] || fail "$binary holds [$(echo $got)], not [$(echo $want)]"
}

# bitcode BINARY KERNEL: its text form.
bitcode() {
  rm -rf extracted; "$mneme" ir extract "$1" --kernel "$2" -o extracted > /dev/null
  for file in extracted/*.bc; do llvm-dis-22 "$file" -o -; done
}
