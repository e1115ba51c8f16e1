// SPDX-License-Identifier: Apache-2.0
/// Launches a kernel of its own and one of a library beside it, which it loads by dlopen.
#include <dlfcn.h>

#include <mneme/mneme.h>

#include <string>

#include "check.h"

__global__ void in_program(int* a) { a[threadIdx.x] += 1; }

int main(int, char** argv) {
  const std::string self = argv[0], folder = self.substr(0, self.rfind('/') + 1);
  void* library = dlopen((folder + "plugins/libplugin.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::puts(dlerror()), 1;
  int* a;
  check(cudaMalloc(&a, 32 * sizeof(int)), "cudaMalloc");
  check(cudaMemset(a, 0, 32 * sizeof(int)), "cudaMemset");
  mneme::annotate(a, {mneme::Element::i32, mneme::any, mneme::any, mneme::any, "numbers"});
  in_program<<<1, 32>>>(a);
  reinterpret_cast<void (*)(int*)>(dlsym(library, "launch_plugin"))(a);
  return finish(cudaDeviceSynchronize() == cudaSuccess);
}
