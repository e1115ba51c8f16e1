# SPDX-License-Identifier: Apache-2.0
# Plain makefiles and command lines with the stand-in as nvcc.
ln -s "$MNEME_PREFIX" prefix  # makefiles cannot use a path with spaces
nvcc=$(realpath -s prefix/libexec/mneme/host-cuda/bin/nvcc)
cat > main.cu <<'SOURCE'
#include <cstdio>
#include <cstring>
extern __device__ int twice(int);
#ifdef __CUDA_ARCH__
#define MARK device_side
#else
#define MARK host_side
#endif
__global__ void k(int* p) { p[threadIdx.x] = twice(threadIdx.x); }
int main() {
  int *p = nullptr, host[4];
  cudaMalloc(&p, sizeof host);
  k<<<1, 4>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault);
  std::printf("%d\n", host[3]);
  return cudaGetLastError();
}
int MARK;
SOURCE
echo '__device__ int twice(int x) { return 2 * x; }' > twice.cu
cat > Makefile <<'MAKE'
NVCCFLAGS = -O3 -std=c++17 -arch=sm_80 -rdc=true -Xcompiler -Wall,-fPIC --extended-lambda -lineinfo -Xptxas -v
all: app
%.o: %.cu
	$(NVCC) $(NVCCFLAGS) -MD -MF $*.d -c $< -o $@
app: main.o twice.o
	$(NVCC) $(NVCCFLAGS) $^ -o $@ -lm
MAKE
make NVCC="$nvcc" > make.log 2>&1 || { cat make.log; fail "make"; }
[[ "$(./app)" == 6 ]] || fail "app"
grep -q main.cu main.d || fail "no dependencies"
"$nvcc" -o direct main.cu twice.cu -rdc=true && [[ "$(./direct)" == 6 ]] || fail "compiled and linked in one step"
"$nvcc" -E main.cu > both.i
grep -q 'int host_side' both.i && grep -q 'int device_side' both.i || fail "-E shows one side only"
"$nvcc" -ptx twice.cu -o twice.ptx -rdc=true && grep -q '_Z5twicei' twice.ptx || fail "ptx"
"$nvcc" -M main.cu | grep -q cstdio || fail "-M"
"$nvcc" --version | grep -q 'release 12' || fail "version"
"$nvcc" --help | grep -q mneme-no-notes || fail "help"
if "$nvcc" -cubin twice.cu 2> refused.log; then fail "made a cubin"; fi
grep -q 'CPU device has no such output' refused.log || fail "says nothing of cubins"
if "$nvcc" -rdc=true main.cu -o missing 2> missing.log; then fail "linked without a function"; fi
grep -q '_Z5twicei' missing.log || { cat missing.log; fail "does not name what is missing"; }
echo '__global__ void broken(float* p) { p[0] = ; }' > broken.cu
if "$nvcc" -c broken.cu -o broken.o 2> broken.log; then fail "compiled nonsense"; fi
[[ ! -e broken.o ]] || fail "left an object"
if "$nvcc" -c 2> none.log; then fail "no input"; fi
"$nvcc" --mneme-no-notes -c twice.cu -o plain.o
if readelf -nW plain.o | grep -q Mneme; then fail "notes that were not wanted"; fi
