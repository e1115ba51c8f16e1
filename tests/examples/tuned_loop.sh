#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tuned_loop.sh <example> <build tree>: record, tune, apply, rebuild, tune, rebuild: the program uses what was found, the
# second tuning changes no file and the second build compiles nothing; an edit of the kernel is tuned. Then tuned.json is put in by hand and taken away.
set -euo pipefail
example=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$example" "$work/source"
cd "$work"
rm -rf source/recordings source/tuned.json
echo '__device__ inline float scaled(float sum) { return 0.2f * sum; }' >source/scaled.h
sed -i -e 's|^#include <cmath>|#include "scaled.h"\n&|' -e 's|0.2f \* (at\[0\]|scaled(at[0]|' source/stencil.cu
export Mneme_DIR=$build PATH=$build/bin:$PATH MNEME_CACHE_DIR=$work/cache
header=build/mneme/tuned_stencil-tuned/mneme/tuned/stencil.h
fail() { echo "FAILED: $*"; cat log.txt; exit 1; }
build() { cmake --build build "$@" >log.txt 2>&1 || fail "the build"; }
prints() { build/tuned_stencil >out.txt || fail "the program"; grep -q "$1" out.txt || { cat out.txt; fail "the program does not print '$1'"; }; }

cmake -S source -B build -G Ninja >log.txt 2>&1 || fail "the configuration"
build
prints "block 32 x 8, 1 rows a thread: right"
mneme record -o source/recordings -- build/tuned_stencil >log.txt 2>&1 || fail "recording"

build --target mneme-tune
grep -q "TUNED stencil" log.txt || fail "nothing was tuned"
grep -q '"default_ns"' source/tuned.json || fail "tuned.json has no times"
cp source/tuned.json first.json
build
cp -p "$header" first.h
build/tuned_stencil >out.txt || fail "the tuned program"
grep -q ": right" out.txt || fail "the tuned program is wrong"
ctest --test-dir build -L mneme-replay --output-on-failure --no-tests=error >log.txt 2>&1 || fail "the replay of the tuned build"

build --target mneme-tune-tuned_stencil
grep -q "nothing new was tried" log.txt || fail "the second tuning tried something"
cmp source/tuned.json first.json || fail "the second tuning changed tuned.json"
build
cmp "$header" first.h || fail "the second tuning changed the header"
grep -q "Building" log.txt && fail "the second build compiled something"

# An edit of the kernel is noticed from wherever it is tuned, also one in a header; then there is nothing new again.
grep -q 'scaled(at\[0\]' source/stencil.cu || fail "the kernel does not use the header"
echo '__device__ inline float scaled(float sum) { volatile float factor = 0.2f; return factor * sum; }' >source/scaled.h
build --target mneme-tune
grep -q "TUNED stencil" log.txt || fail "the edited kernel was not tuned"
grep -q "nothing new was tried" log.txt && fail "the edited kernel was not noticed"
build
build --target mneme-tune
grep -q "nothing new was tried" log.txt || fail "the edited kernel was tuned twice"

# What tuned.json says is what the program does; an entry that makes no sense is passed over with the reason.
python3 - <<'PYTHON'
import json
tuned = json.load(open("source/tuned.json"))
entry = tuned["kernels"][0]
entry["configuration"] = {"block_x": 64, "block_y": 2, "rows": 4}
tuned["kernels"].append({"name": "stencil"})
json.dump(tuned, open("source/tuned.json", "w"))
PYTHON
build
grep -q "an entry of .*tuned.json is ignored: it has no" log.txt || fail "the stale entry was not named"
prints "block 64 x 2, 4 rows a thread: right"
rm source/tuned.json
build
prints "block 32 x 8, 1 rows a thread: right"
echo "{" >source/tuned.json
cmake --build build >log.txt 2>&1 && fail "a damaged tuned.json was taken"
grep -q "is not a file of tunings" log.txt || fail "a damaged tuned.json is not named"
