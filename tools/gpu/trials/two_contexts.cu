// SPDX-License-Identifier: Apache-2.0
/// Two driver contexts on one GPU, a module in each, memory freed right after the launch.
#include <cuda.h>

#include <cstdio>

static const char* kModule = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 where, .param .u32 what) {
  .reg .u64 %a; .reg .u32 %v, %t; .reg .u64 %o;
  ld.param.u64 %a, [where]; ld.param.u32 %v, [what];
  cvta.to.global.u64 %a, %a;
  mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; add.u32 %v, %v, %t;
  st.global.u32 [%a], %v; ret;
})";

int main() {
  cuInit(0);
  bool good = true;
  for (unsigned what : {100u, 200u}) {
    CUcontext context;
    CUmodule module;
    CUfunction store;
    CUdeviceptr memory;
#if CUDA_VERSION >= 13000
    cuCtxCreate(&context, nullptr, 0, 0);
#else
    cuCtxCreate(&context, 0, 0);
#endif
    cuModuleLoadData(&module, kModule);
    cuModuleGetFunction(&store, module, "store");
    cuMemAlloc(&memory, 128);
    void* arguments[] = {&memory, &what};
    cuLaunchKernel(store, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
    unsigned values[32] = {};
    cuMemcpyDtoH(values, memory, sizeof values);
    cuMemFree(memory);
    good = good && values[31] == what + 31;
    cuCtxDestroy(context);
  }
  std::printf("contexts %s\n", good ? "correct" : "wrong");
}
