// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/own_work.h"

#include "preload/cuda/thread_state.h"

namespace mneme::preload {

OwnWork::OwnWork(const cuda::Api& api, CUcontext context) : api_(api) {
  ++threadState.ownWork;
  if (context) pushed_ = api_.cuCtxPushCurrent(context) == CUDA_SUCCESS;
  api_.cuThreadExchangeStreamCaptureMode(&previousMode_);
}

OwnWork::~OwnWork() {
  api_.cuThreadExchangeStreamCaptureMode(&previousMode_);
  CUcontext popped = nullptr;
  if (pushed_) api_.cuCtxPopCurrent(&popped);
  --threadState.ownWork;
}

bool OwnWork::active() { return threadState.ownWork > 0; }

LoadingOwnModule::LoadingOwnModule() { threadState.loadingOwn = true; }
LoadingOwnModule::~LoadingOwnModule() { threadState.loadingOwn = false; }
bool LoadingOwnModule::active() { return threadState.loadingOwn; }

}  // namespace mneme::preload
