// SPDX-License-Identifier: Apache-2.0
/// A program with one registered object, as a compiler's start-up code makes it, over the fake engine.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "fake_engine.h"

struct FatBinaryWrapper {
  int magic, version;
  const void* data;
  void* unused;
};
extern "C" {
void** __cudaRegisterFatBinary(const FatBinaryWrapper*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void**);
}

class HostApi : public testing::Test {
 protected:
  HostApi() {
    mneme::host::fake::state() = {};
    handle_ = __cudaRegisterFatBinary(&wrapper_);
    __cudaRegisterFunction(handle_, &scaleStub_, nullptr, mneme::host::fake::kScale, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFunction(handle_, &refusedStub_, nullptr, mneme::host::fake::kRefused, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterVar(handle_, &tableVariable_, nullptr, "table", 0, 16, 0, 0);
    __cudaRegisterVar(handle_, &limitsVariable_, nullptr, "limits", 0, 8, 1, 0);
  }
  ~HostApi() override {
    cudaDeviceReset();
    if (handle_) __cudaUnregisterFatBinary(handle_);
  }

  cudaError_t launchScale(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    void* arguments[] = {&pointer_, &count_};
    return cudaLaunchKernel(&scaleStub_, grid, block, arguments, shared, stream);
  }
  static const std::vector<mneme::host::fake::Launch>& launches() { return mneme::host::fake::state().launches; }

  float* pointer_ = nullptr;
  int count_ = 7;
  char scaleStub_ = 0, refusedStub_ = 0, tableVariable_ = 0, limitsVariable_ = 0;
  // Bitcode's magic number and one empty module block.
  static constexpr uint32_t kBitcode[] = {0xdec04342, 1 | 8 << 2 | 3 << 10, 0, 0};
  FatBinaryWrapper wrapper_{0x466243b1, 1, kBitcode, nullptr};
  void** handle_;
};
