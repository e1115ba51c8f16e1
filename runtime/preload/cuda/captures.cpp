// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/captures.h"

namespace mneme::preload {

void Captures::begin(CUdevice device, CUstream stream) {
  std::lock_guard lock(mutex_);
  if (!streams_.emplace(stream, device).second) return;
  ++countOf(device);
  ++total_;
}

void Captures::end(CUstream stream) {
  std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  --countOf(found->second);
  --total_;
  streams_.erase(found);
}

bool Captures::capturing(CUstream stream) const {
  std::lock_guard lock(mutex_);
  return streams_.count(stream) != 0;
}

}  // namespace mneme::preload
