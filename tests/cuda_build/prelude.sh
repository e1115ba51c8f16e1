# SPDX-License-Identifier: Apache-2.0
# The headers are precompiled once for a set of options; the bitcode is the same with them, without a cache, with a damaged
# one, and after a header has changed; what a macro changes in the headers is in it.
source "$MNEME_SOURCE/tests/cuda_build/nvcc.sh"
export MNEME_CACHE_DIR="$PWD/cache"
tools="$MNEME_PREFIX/libexec/mneme"
cp -r "$MNEME_PREFIX/include/mneme/nvcc" stand-ins
cat > add.cu <<'CUDA'
#include <cmath>
#include <vector>
#ifdef CHOSEN
#define STEP 5
#else
#define STEP 3
#endif
__global__ void add(float* values) { values[threadIdx.x] += STEP + std::sqrt(values[0]); }
CUDA

compile() {  # <object> [option…]
  local object=$1
  shift
  "$tools/mneme-note-compiler" --mode cuda --clang "${MNEME_TEST_CLANG:-clang++-22}" --objcopy objcopy --include "$PWD/stand-ins" \
    -- "$nvcc" -arch=sm_90 "$@" -c add.cu -o "$object" 2> warnings || { cat warnings; fail "does not compile"; }
  [[ ! -s warnings ]] || { cat warnings; fail "says something"; }
  mkdir -p "$object.ir"
  "$MNEME_PREFIX/bin/mneme" ir extract "$object" -o "$object.ir" > /dev/null || fail "no code in $object"
  mv "$object.ir"/*.bc "$object.bc" || fail "no bitcode in $object"
}
same() { cmp "$1.bc" "$2.bc" || fail "$1 and $2 differ"; }
made() { find cache/headers -name '*.pch' | wc -l; }

(unset XDG_CACHE_HOME; HOME= MNEME_CACHE_DIR= compile without.o)
compile first.o
[[ $(made) == 1 ]] || fail "nothing was kept"
[[ -z $(find cache/headers -not -name '*.pch' -type f) ]] || fail "left behind: $(ls cache/headers)"
kept=$(stat -c %i cache/headers/*.pch)
compile second.o
[[ $(made) == 1 && $(stat -c %i cache/headers/*.pch) == "$kept" ]] || fail "made twice for one set of options"
for other in first second; do same without.o $other.o; done

compile chosen.o -DCHOSEN
[[ $(made) == 2 ]] || fail "one file for two sets of options"
! cmp -s first.o.bc chosen.o.bc || fail "a macro was lost"

for file in cache/headers/*.pch; do echo damaged > "$file"; done
compile damaged.o
same without.o damaged.o
rm cache/headers/*.pch
compile again.o
sleep 1
echo '#define MNEME_TEST_HEADER_CHANGED' >> stand-ins/declarations.h
compile changed.o
same without.o changed.o
