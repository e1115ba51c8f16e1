# SPDX-License-Identifier: Apache-2.0
# An unmodified HIP project, compiled by the stand-in for HIP's clang: all kinds of targets, relocatable code, header changes;
# then hipcc's command lines.
hip=$("$mneme" host-toolchain --hip)
root=${hip%/bin/clang++}
mkdir p
cat > p/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(unmodified LANGUAGES CXX HIP)
set(CMAKE_HIP_STANDARD 17)
find_package(hip 5 REQUIRED)
if(NOT CMAKE_HIP_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "compiler is ${CMAKE_HIP_COMPILER_ID}")
endif()
add_library(requirement INTERFACE)
target_compile_definitions(requirement INTERFACE $<$<COMPILE_LANGUAGE:HIP>:ONLY_HIP>)
target_compile_options(requirement INTERFACE $<$<COMPILE_LANGUAGE:HIP>:-munsafe-fp-atomics>)
add_library(stat STATIC stat.hip)
add_library(shar SHARED shar.hip)
add_library(obj OBJECT obj.cpp)
set_source_files_properties(obj.cpp PROPERTIES LANGUAGE HIP)
add_executable(app main.cpp app.hip $<TARGET_OBJECTS:obj>)
set_target_properties(stat PROPERTIES HIP_ARCHITECTURES "gfx90a;gfx1100")
target_link_libraries(stat PRIVATE requirement)
target_link_libraries(app PRIVATE stat shar hip::host)
CMAKE
for source in stat.hip shar.hip obj.cpp app.hip; do
  name=${source%.*}
  cat > p/$source <<SOURCE
#include <hip/hip_runtime.h>
#include "step.h"
#if !defined(__HIP__) || !defined(__HIPCC__)
#error this is HIP
#endif
__global__ void $name(float* a) { a[threadIdx.x] += STEP * (__shfl(1, 3) + __popcll(__ballot(1)) - 32); }
void launch_$name(float* a) { hipLaunchKernelGGL($name, dim3(1), dim3(32), 0, 0, a); }
SOURCE
done
printf '#ifndef ONLY_HIP\n#error no usage requirement\n#endif\n' >> p/stat.hip
echo '#define STEP 1' > p/step.h
cat > p/main.cpp <<'SOURCE'
#include <hip/hip_runtime.h>
#include <cstdio>
void launch_stat(float*); void launch_shar(float*); void launch_obj(float*); void launch_app(float*);
int main() {
  float* a = nullptr;
  if (hipMalloc(&a, 128) != hipSuccess) return 1;
  (void)hipMemset(a, 0, 128);
  launch_stat(a); launch_shar(a); launch_obj(a); launch_app(a);
  float last = 0;
  (void)hipMemcpy(&last, a + 31, 4, hipMemcpyDeviceToHost);
  std::printf("%g\n", last);
  return hipGetLastError();
}
SOURCE
"$CMAKE" -G "$GENERATOR" -S p -B b -DCMAKE_HIP_COMPILER="$hip" -DCMAKE_PREFIX_PATH="$root" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > configure.log 2>&1 ||
  { cat configure.log; fail "configure"; }
build b
[[ "$(b/app)" == 4 ]] || fail "app says $(b/app)"
grep -q 'bin/clang++.*stat.hip' b/compile_commands.json || fail "compile commands"
echo '#define STEP 2' > p/step.h
build b
[[ "$(b/app)" == 8 ]] || fail "a changed header was not seen"
"$mneme" record -o rec -- b/app > /dev/null || fail "record"
"$mneme" replay rec/*.*.json --code b/app || fail "replay"
[[ $(ls rec/*.*.json | wc -l) == 4 ]] || fail "not every kernel was recorded"

# hipcc takes plain C++ sources for HIP; relocatable code is joined when it links.
cat > device.cpp <<'SOURCE'
#include <hip/hip_runtime.h>
__device__ int offset = 5;
__device__ int shifted(int x) { return x + offset; }
SOURCE
cat > separate.cpp <<'SOURCE'
#include <hip/hip_runtime.h>
#include <cstdio>
extern __device__ int shifted(int);
__global__ void shift(int* a) { a[threadIdx.x] = shifted(threadIdx.x); }
int main() {
  int *a = nullptr, last = 0;
  (void)hipMalloc(&a, 128);
  shift<<<1, 32>>>(a);
  (void)hipMemcpy(&last, a + 31, 4, hipMemcpyDeviceToHost);
  std::printf("%d\n", last);
  return hipGetLastError();
}
SOURCE
"$root/bin/hipcc" -O2 --offload-arch=gfx906 -fgpu-rdc -c device.cpp -o device.o || fail "hipcc -c"
"$root/bin/hipcc" -O2 --offload-arch=gfx906 -fgpu-rdc --hip-link separate.cpp device.o -o separate -lamdhip64 || fail "hipcc links"
[[ "$(./separate)" == 36 ]] || fail "separate says $(./separate)"
"$root/bin/hipcc" --version | grep -q clang || fail "hipcc --version"

# With Mneme's own functions: notes, the runtime and replay tests by the stand-in alone.
mkdir own
cat > own/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(own LANGUAGES CXX HIP)
find_package(Mneme REQUIRED)
find_package(hip REQUIRED)
enable_testing()
add_executable(own ../p/app.hip main.cpp)
target_link_libraries(own PRIVATE hip::host)
mneme_add_recordable_kernel(own RECORDINGS rec)
CMAKE
cat > own/main.cpp <<'SOURCE'
#include <hip/hip_runtime.h>
#include <mneme/mneme.h>
void launch_app(float*);
int main() {
  float* a = nullptr;
  if (hipMalloc(&a, 128) != hipSuccess) return 1;
  mneme::annotate(a, {mneme::Element::f32, 1e-6, 1e-4, mneme::any, "forces"});
  launch_app(a);
  return hipDeviceSynchronize();
}
SOURCE
"$CMAKE" -G "$GENERATOR" -S own -B o -DCMAKE_HIP_COMPILER="$hip" -DCMAKE_PREFIX_PATH="$root;$MNEME_PREFIX" > configure.log 2>&1 ||
  { cat configure.log; fail "configure with Mneme"; }
build o
"$mneme" record -o own/rec -- o/own > /dev/null || fail "record with Mneme"
"$mneme" show own/rec/*.*.json | grep -qw forces || fail "the annotation is lost"
"$(dirname "$CMAKE")/ctest" --test-dir o -L mneme-replay > tested.log || { cat tested.log; fail "replay by ctest"; }
grep -q '1/1 Test.*own.app.*Passed' tested.log || { cat tested.log; fail "no replay test"; }
