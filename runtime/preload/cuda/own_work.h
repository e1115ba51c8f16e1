// SPDX-License-Identifier: Apache-2.0
/// Marks a thread's driver calls as the recorder's own: their callbacks are ignored, they leave every stream capture of
/// the program alone, and they run in the context asked for. Nests.
#pragma once

#include "backend/cuda/api.h"

namespace mneme::preload {

class OwnWork {
 public:
  /// `context`: made current for the object's life; null: whatever is current stays.
  explicit OwnWork(const cuda::Api& api, CUcontext context = nullptr);
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;
  ~OwnWork();

  /// True on a thread that is inside one.
  [[nodiscard]] static bool active();

 private:
  const cuda::Api& api_;
  bool pushed_ = false;
  CUstreamCaptureMode previousMode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// Marks a module that this thread loads as the recorder's own: it is not among the program's.
class LoadingOwnModule {
 public:
  LoadingOwnModule();
  LoadingOwnModule(const LoadingOwnModule&) = delete;
  LoadingOwnModule& operator=(const LoadingOwnModule&) = delete;
  ~LoadingOwnModule();
  [[nodiscard]] static bool active();
};

}  // namespace mneme::preload
