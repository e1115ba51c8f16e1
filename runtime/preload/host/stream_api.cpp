// SPDX-License-Identifier: Apache-2.0
/// Streams and host functions on them.
#include "preload/host/stream.h"

#include <algorithm>
#include <atomic>

#include "preload/host/api.h"
#include "preload/host/handles.h"

struct CUstream_st {
  unsigned int flags = 0;
  int priority = 0;
  unsigned long long id = 0;
};

namespace mneme::host_runtime {
namespace {

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

Handles<CUstream_st>& streams() {
  static auto* const live = new Handles<CUstream_st>;
  return *live;
}

bool isBuiltIn(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }

cudaError_t create(cudaStream_t* stream, unsigned int flags, int priority) {
  static std::atomic<unsigned long long> nextId{3};  // 0 to 2 are the built-in ones
  if (!stream || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking))) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUstream_st>();
  made->flags = flags;
  made->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  made->id = nextId++;
  *stream = streams().add(std::move(made));
  return cudaSuccess;
}

/// Reads one attribute; the built-in streams have that of a default-constructed one.
template <typename Read>
cudaError_t inspect(cudaStream_t stream, Read&& read) {
  if (isBuiltIn(stream)) {
    CUstream_st builtIn;
    builtIn.id = reinterpret_cast<unsigned long long>(stream);
    read(builtIn);
    return cudaSuccess;
  }
  return streams().with(stream, read) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t requireStream(cudaStream_t stream) {
  return validStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

}  // namespace

bool validStream(cudaStream_t stream) { return isBuiltIn(stream) || streams().has(stream); }

}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call([&] { return create(stream, cudaStreamDefault, 0); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return call([&] { return create(stream, flags, 0); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return call([&] { return create(stream, flags, priority); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&] { return streams().remove(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call([&] { return requireStream(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&] { return requireStream(stream); });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  return call([&] { return flags ? inspect(stream, [&](const auto& s) { *flags = s.flags; }) : cudaErrorInvalidValue; });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call(
      [&] { return priority ? inspect(stream, [&](const auto& s) { *priority = s.priority; }) : cudaErrorInvalidValue; });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call([&] { return id ? inspect(stream, [&](const auto& s) { *id = s.id; }) : cudaErrorInvalidValue; });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&] {
    if (least) *least = kLeastPriority;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                  unsigned int flags) {
  return call([&] {
    if (!callback || flags) return cudaErrorInvalidValue;
    if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
    callback(stream, cudaSuccess, userData);
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* userData) {
  return call([&] {
    if (!function) return cudaErrorInvalidValue;
    if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
    function(userData);
    return cudaSuccess;
  });
}

// Graphs are not there yet: a program that captures is told so at its first step.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call([&] { return validStream(stream) ? cudaErrorNotSupported : cudaErrorInvalidResourceHandle; });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&] {
    if (!validStream(stream)) return cudaErrorInvalidResourceHandle;
    if (graph) *graph = nullptr;
    return cudaErrorIllegalState;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&] {
    if (!status) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return requireStream(stream);
  });
}

}  // extern "C"
