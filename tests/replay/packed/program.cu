// SPDX-License-Identifier: Apache-2.0
/// A program with a kernel of its own, which calls a library's.
void launchInLibrary(float*);
void launchTwin(float*);
static __global__ void twin(float* out) { out[threadIdx.x] += 1; }
template <typename T>
__global__ void common(T* out) { out[threadIdx.x] += 3; }
__global__ void inProgram(float* out, int n) { out[threadIdx.x] = n; }
int main(int argc, char**) {
  if (argc > 1) {
    twin<<<1, 32>>>(nullptr);
    common<float><<<1, 32>>>(nullptr);
    inProgram<<<1, 32>>>(nullptr, argc);
    launchInLibrary(nullptr);
    launchTwin(nullptr);
  }
  return 0;
}
