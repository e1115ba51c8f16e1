// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/launch_clock.h"

#include <array>

namespace mneme::preload {
namespace {
/// Some 20 us: longer than the host needs to put an event and a launch on a stream.
constexpr unsigned kHoldCycles = 36000;
}  // namespace

void LaunchClock::start(CUfunction hold, CUstream stream) {
  started_ = stopped_ = false;
  for (CUevent* event : {&begin_, &end_})
    if (!*event && api_.cuEventCreate(event, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return;
  unsigned cycles = kHoldCycles;
  std::array<void*, 1> parameters{&cycles};
  if (api_.cuLaunchKernel(hold, 1, 1, 1, 1, 1, 1, 0, stream, parameters.data(), nullptr) != CUDA_SUCCESS) return;
  started_ = api_.cuEventRecord(begin_, stream) == CUDA_SUCCESS;
}

void LaunchClock::stop(CUstream stream) {
  if (started_) stopped_ = api_.cuEventRecord(end_, stream) == CUDA_SUCCESS;
}

std::optional<uint64_t> LaunchClock::nanoseconds() const {
  float milliseconds = 0;
  if (!stopped_ || api_.cuEventElapsedTime(&milliseconds, begin_, end_) != CUDA_SUCCESS) return std::nullopt;
  return static_cast<uint64_t>(milliseconds * 1e6f);
}

void LaunchClock::close() {
  for (CUevent* event : {&begin_, &end_}) {
    if (*event) api_.cuEventDestroy(*event);
    *event = nullptr;
  }
  started_ = stopped_ = false;
}

}  // namespace mneme::preload
