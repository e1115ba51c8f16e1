# SPDX-License-Identifier: Apache-2.0
# A CUDA source that leaves <cuda_runtime.h> to its compiler, as nvcc allows; a HIP source has to include its own.
project p <<'CMAKE'
add_executable(app app.cu)
mneme_add_recordable_kernel(app)
CMAKE
cat > p/app.cu <<'SOURCE'
#include <cstdio>
#include <vector>
__global__ void twice(float* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}
int main() {
  std::vector<float> a(100, 1.5f);
  float* device;
  if (cudaMalloc(&device, 400) != cudaSuccess) return 1;
  cudaMemcpy(device, a.data(), 400, cudaMemcpyHostToDevice);
  twice<<<dim3(4), 32>>>(device, 100);
  cudaMemcpy(a.data(), device, 400, cudaMemcpyDeviceToHost);
  std::puts(a[99] == 3 ? "ok" : "wrong");
  return a[99] == 3 ? 0 : 1;
}
SOURCE
configure p b
build b
holds b/app twice
b/app || fail "app"
sed -i '/add_executable/s/app.cu/app.hip/' p/CMakeLists.txt
mv p/app.cu p/app.hip
! "$CMAKE" --build b > build.log 2>&1 || fail "a HIP source without its header was compiled"
