// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/own_work.h"

namespace mneme::preload {
namespace {
thread_local int depth = 0;
thread_local bool loadingOwn = false;
}

OwnWork::OwnWork(const cuda::Api& api, CUcontext context) : api_(api) {
  ++depth;
  if (context) pushed_ = api_.cuCtxPushCurrent(context) == CUDA_SUCCESS;
  api_.cuThreadExchangeStreamCaptureMode(&previousMode_);
}

OwnWork::~OwnWork() {
  api_.cuThreadExchangeStreamCaptureMode(&previousMode_);
  CUcontext popped = nullptr;
  if (pushed_) api_.cuCtxPopCurrent(&popped);
  --depth;
}

bool OwnWork::active() { return depth > 0; }

LoadingOwnModule::LoadingOwnModule() { loadingOwn = true; }
LoadingOwnModule::~LoadingOwnModule() { loadingOwn = false; }
bool LoadingOwnModule::active() { return loadingOwn; }

}  // namespace mneme::preload
