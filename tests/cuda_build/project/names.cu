// SPDX-License-Identifier: Apache-2.0
/// Names on which compilers differ: static, anonymous namespaces, dependent template arguments, CCCL's architecture list.
#include <type_traits>

#include <cub/cub.cuh>

static __global__ void hidden(int* a) { *a = 1; }
namespace {
struct Local {};
__global__ void anonymous(int* a) { *a = 2; }
template <typename T>
__global__ void onLocal(int* a) { *a = sizeof(T); }
}  // namespace
template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
__global__ void onlyIntegers(T* a) { *a = 3; }

cudaError_t launch(int* a, void* scratch, size_t& bytes) {
  hidden<<<1, 1>>>(a);
  anonymous<<<1, 1>>>(a);
  onLocal<Local><<<1, 1>>>(a);
  onlyIntegers<<<1, 1>>>(a);
  return cub::DeviceReduce::Sum(scratch, bytes, a, a, 100);
}
