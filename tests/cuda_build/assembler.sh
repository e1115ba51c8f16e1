# SPDX-License-Identifier: Apache-2.0
# What clang compiles but no assembler takes is named while the program is built, and its PTX is kept; what refers to
# other units is taken.
source "$MNEME_SOURCE/tests/cuda_build/nvcc.sh"
tools="$MNEME_PREFIX/libexec/mneme"
cat > odd.cu <<'CUDA'
__global__ void odd(int* values) {
#ifdef __clang__
  asm volatile("no_such_instruction.u32 %0, 1;" : "=r"(values[0]));
#else
  values[0] = 1;
#endif
}
CUDA
cat > calls.cu <<'CUDA'
extern __device__ int elsewhere(int);
__global__ void calls(int* values) { values[threadIdx.x] = elsewhere(values[0]); }
CUDA
compile() {  # <source> [option…]: what the launcher says goes to `said`
  "$tools/mneme-note-compiler" --mode cuda --clang "${MNEME_TEST_CLANG:-clang++-22}" --objcopy objcopy \
    --include "$MNEME_PREFIX/include/mneme/nvcc" -- "$nvcc" -arch=sm_90 "${@:2}" -c "$1.cu" -o "$1.o" 2> said || fail "$1 does not compile"
  "$MNEME_PREFIX/bin/mneme" ir ls "$1.o" > listed
}
compile odd
grep 'odd.cu: kept as PTX only, its bitcode cannot become machine code: ptxas: .*no_such_instruction' said || { cat said; fail "not named"; }
grep -w ptx listed || fail "no PTX in odd.o"
! grep -w llvm listed || fail "code that nobody can assemble in odd.o"
compile calls -rdc=true
[[ ! -s said ]] || { cat said; fail "says something of a unit that refers to another"; }
grep -w llvm listed || fail "no bitcode in calls.o"
