#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lost_trials.sh <example> <build tree>: a space in which one choice hangs, one writes where it must not, one reads nothing,
# one does not compile and one is wrong. Each loses its trial, with its reason; the ones that work are found.
set -euo pipefail
example=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$example" "$work/source"
cd "$work"
rm -rf source/recordings source/tuned.json
export Mneme_DIR=$build PATH=$build/bin:$PATH MNEME_CACHE_DIR=$work/cache
fail() { echo "FAILED: $*"; cat out.txt err.txt log.txt 2>/dev/null; exit 1; }

sed -i 's|  const int x = blockIdx.x|#ifdef TROUBLE\
#if TROUBLE == 4\
#error "this choice does not compile"\
#endif\
  if (TROUBLE == 1) for (volatile int spin = 0; spin >= 0;) spin = 1;\
  if (TROUBLE == 2) *reinterpret_cast<volatile float*>(64) = 1;\
  if (TROUBLE == 3 \&\& threadIdx.x == 0) out[0] = 7;\
#endif\
&|' source/stencil.cu
grep -q TROUBLE source/stencil.cu || fail "the kernel was not changed"
cmake -S source -B build -G Ninja >log.txt 2>&1 && cmake --build build >log.txt 2>&1 || fail "the build"
mneme record -o recordings -- build/tuned_stencil >log.txt 2>&1 || fail "recording"

cat >space.json <<'END'
{"mneme_space": 1, "parameters": {"trouble": [0, 1, 2, 3, 4]}, "macros": {"TROUBLE": "trouble"}}
END
mneme tune recordings --code build/tuned_stencil --space space.json --strategy exhaustive --timeout 4 --json >out.txt 2>err.txt || fail "tuning"
for trouble in 'trouble=0$' 'timeout  trouble=1' '(crash|launch)  trouble=2' 'wrong  trouble=3' 'compile  trouble=4'; do
  mneme results recordings >log.txt
  grep -qE "$trouble" log.txt || fail "no '$trouble'"
done
grep -q "this choice does not compile" recordings/tuning/*.jsonl || fail "the compiler's words are lost"
grep -q '"evaluations": 5' out.txt || fail "not all were tried"
