# SPDX-License-Identifier: Apache-2.0
"""A CuPy raw kernel, compiled at run time."""
import cupy

kernel = cupy.RawKernel(
    r"""
extern "C" __global__ void scale_add(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}""",
    "scale_add",
)
n = 10000
x, y = cupy.arange(n, dtype=cupy.float32), cupy.ones(n, dtype=cupy.float32)
kernel(((n + 255) // 256,), (256,), (x, y, cupy.float32(2), cupy.int32(n)))
print("cupy", float(y[-1]) == 2 * (n - 1) + 1)
