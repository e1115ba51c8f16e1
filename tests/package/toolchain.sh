# SPDX-License-Identifier: Apache-2.0
# An unmodified CUDA project, compiled by the stand-in for nvcc: all kinds of targets, relocatable code, header changes.
nvcc=$("$mneme" host-toolchain)
ctest="$(dirname "$CMAKE")/ctest"
mkdir p
cat > p/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(unmodified LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
find_package(CUDAToolkit REQUIRED)
if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
  message(FATAL_ERROR "compiler is ${CMAKE_CUDA_COMPILER_ID}")
endif()
add_library(requirement INTERFACE)
target_compile_options(requirement INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xptxas=-v;-lineinfo>)
target_compile_definitions(requirement INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:ONLY_CUDA>)
add_library(stat STATIC stat.cu)
add_library(shar SHARED shar.cu)
add_library(obj OBJECT obj.cu)
add_library(device STATIC device.cu)
add_executable(app main.cpp app.cu $<TARGET_OBJECTS:obj>)
add_executable(separate separate.cu)
set_target_properties(device separate PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
set_target_properties(stat PROPERTIES CUDA_ARCHITECTURES "75;80-real;90-virtual")
target_link_libraries(stat PRIVATE requirement)
target_link_libraries(app PRIVATE stat shar CUDA::cudart)
target_link_libraries(separate PRIVATE device)
CMAKE
for name in stat shar obj app; do
  cat > p/$name.cu <<SOURCE
#include "step.h"
__global__ void $name(float* a) { a[threadIdx.x] += STEP; }
void launch_$name(float* a) { $name<<<1, 32>>>(a); }
SOURCE
done
printf '#ifndef ONLY_CUDA\n#error no usage requirement\n#endif\n' >> p/stat.cu
echo '#define STEP 1' > p/step.h
cat > p/main.cpp <<'SOURCE'
#include <cuda_runtime.h>
#include <cstdio>
void launch_stat(float*); void launch_shar(float*); void launch_obj(float*); void launch_app(float*);
int main() {
  float* a = nullptr;
  if (cudaMalloc(&a, 128) != cudaSuccess) return 1;
  cudaMemset(a, 0, 128);
  launch_stat(a); launch_shar(a); launch_obj(a); launch_app(a);
  float last = 0;
  cudaMemcpy(&last, a + 31, 4, cudaMemcpyDeviceToHost);
  std::printf("%g\n", last);
  return cudaGetLastError();
}
SOURCE
cat > p/device.cu <<'SOURCE'
__device__ int offset = 5;
static __device__ int own = 1;
__device__ int shifted(int x) { return x + offset + own; }
SOURCE
cat > p/separate.cu <<'SOURCE'
#include <cstdio>
extern __device__ int offset;
extern __device__ int shifted(int);
static __device__ int own = 100;
static __device__ int named = 0;  // by host code, after the kernel
__managed__ int shared = 1000;
__global__ void shift(int* a) { a[threadIdx.x] = shifted(threadIdx.x) + own + offset + named + shared; }
int main() {
  int *a = nullptr, last = 0, seven = 7;
  cudaMalloc(&a, 128);
  cudaMemcpyToSymbol(offset, &seven, 4);
  cudaMemcpyToSymbol(named, &seven, 4);
  if (shared != 1000) return 1;
  shared = 2000;
  shift<<<1, 32>>>(a);
  cudaMemcpy(&last, a + 31, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", last);
  return cudaGetLastError();
}
SOURCE
# Newer CMakes look for the runtime in system folders first; a machine may have NVIDIA's there.
"$CMAKE" -G "$GENERATOR" -S p -B b -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_PREFIX_PATH="${nvcc%/bin/nvcc}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > configure.log 2>&1 ||
  { cat configure.log; fail "configure"; }
where=b; options=()
[[ "$GENERATOR" != *Multi-Config ]] || { where=b/Release; options=(--config Release); }
build b "${options[@]}"
[[ "$($where/app)" == 4 ]] || fail "app"
[[ "$($where/separate)" == $((31 + 7 + 1 + 100 + 7 + 7 + 2000)) ]] || fail "separate says $($where/separate)"
[[ "$GENERATOR" == *Multi-Config ]] || grep -q 'bin/nvcc.*stat.cu' b/compile_commands.json || fail "compile commands"
echo '#define STEP 2' > p/step.h
build b "${options[@]}"
[[ "$($where/app)" == 8 ]] || fail "a changed header was not seen"
for program in app separate; do
  "$mneme" record -o rec-$program -- $where/$program > /dev/null || fail "record $program"
  "$mneme" replay rec-$program/*.*.json --code $where/$program || fail "replay $program"
done
[[ $(ls rec-app/*.*.json | wc -l) == 4 ]] || fail "not every kernel was recorded"
# Its code was linked for the host device: no registers to compare. An update keeps the linked code, so that it replays alone.
code=0; "$mneme" gate rec-separate/*.*.json --code $where/separate --kinds static > static.log || code=$?
[[ $code == 77 ]] && grep -q 'SKIP static .*linked for the host device' static.log || { cat static.log; fail "static gate: exit code $code"; }
"$mneme" baseline update rec-separate/*.*.json --code $where/separate > update.log || { cat update.log; fail "baseline update"; }
grep -q 'self-check: llvm reproduced' update.log || { cat update.log; fail "the update does not reproduce"; }
"$mneme" replay rec-separate/*.*.json || fail "replay of the updated recording"
"$mneme" replay rec-separate/*.*.json --code $where/separate || fail "replay after the update"
code=0; "$mneme" gate rec-separate/*.*.json --code $where/separate --kinds static > static.log || code=$?
[[ $code == 0 ]] || { [[ $code == 77 ]] && grep -q 'no assembler' static.log; } || { cat static.log; fail "static gate after the update: exit code $code"; }
