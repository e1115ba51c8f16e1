// SPDX-License-Identifier: Apache-2.0
/// Kernels of every plain kind of name.
#ifdef __CUDACC_RDC__
__device__ float elsewhere(float);
#else
static __device__ float elsewhere(float value) { return value * 2; }
#endif

__global__ void plain(float* a) { a[threadIdx.x] = elsewhere(a[threadIdx.x]) + sqrtf(a[0]) / a[1]; }
extern "C" __global__ void asC(int* a) { *a = 1; }
namespace ns {
template <typename T, int N>
__global__ void scale(T* a) { a[threadIdx.x] *= N; }
}  // namespace ns
template __global__ void ns::scale<double, 3>(double*);
