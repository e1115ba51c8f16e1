// SPDX-License-Identifier: Apache-2.0
/// Kernels of a library that programs link.
__global__ void inLibrary(float* out) { out[threadIdx.x] *= 2; }
void launchInLibrary(float* out) { inLibrary<<<1, 32>>>(out); }
