// SPDX-License-Identifier: Apache-2.0
/// Events: the time when they were recorded, by the machine's steady clock.
#include <chrono>
#include <optional>

#include "preload/host/api.h"
#include "preload/host/handles.h"
#include "preload/host/stream.h"

using Clock = std::chrono::steady_clock;

struct CUevent_st {
  unsigned int flags = 0;
  std::optional<Clock::time_point> recorded;
};

namespace mneme::host_runtime {
namespace {

constexpr unsigned kEventFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

Handles<CUevent_st>& events() {
  static auto* const live = new Handles<CUevent_st>;
  return *live;
}

cudaError_t create(cudaEvent_t* event, unsigned int flags) {
  if (!event || (flags & ~kEventFlags)) return cudaErrorInvalidValue;
  if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUevent_st>();
  made->flags = flags;
  *event = events().add(std::move(made));
  return cudaSuccess;
}

cudaError_t requireEvent(cudaEvent_t event) {
  return events().has(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
  if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
  return events().with(event, [](CUevent_st& e) { e.recorded = Clock::now(); }) ? cudaSuccess
                                                                                : cudaErrorInvalidResourceHandle;
}

/// When a timed event was recorded.
std::optional<Clock::time_point> timeOf(cudaEvent_t event) {
  std::optional<Clock::time_point> time;
  events().with(event, [&](const CUevent_st& e) {
    if (!(e.flags & cudaEventDisableTiming)) time = e.recorded;
  });
  return time;
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call([&] { return create(event, cudaEventDefault); });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call([&] { return create(event, flags); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&] { return events().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&] { return record(event, stream); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return call([&] { return flags > cudaEventRecordExternal ? cudaErrorInvalidValue : record(event, stream); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&] { return requireEvent(event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&] { return requireEvent(event); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return call([&] {
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    return validStream(stream) ? requireEvent(event) : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&] {
    if (!milliseconds) return cudaErrorInvalidValue;
    auto from = timeOf(start), to = timeOf(end);
    if (!from || !to) return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(*to - *from).count();
    return cudaSuccess;
  });
}

}  // extern "C"
