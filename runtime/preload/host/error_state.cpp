// SPDX-License-Identifier: Apache-2.0
/// The last error and the fault, and the calls that show them.
#include "preload/host/error_state.h"

#include <atomic>

#include "preload/host/api.h"

namespace mneme::host_runtime {
namespace {

thread_local cudaError_t lastError = cudaSuccess;
std::atomic<cudaError_t> deviceFault{cudaSuccess};

}  // namespace

cudaError_t report(cudaError_t error) noexcept {
  if (error != cudaSuccess && error != cudaErrorNotReady) lastError = error;
  return error;
}

cudaError_t peekLastError() noexcept {
  if (cudaError_t fault = pendingFault()) return fault;
  return lastError;
}

cudaError_t takeLastError() noexcept {
  cudaError_t error = peekLastError();
  lastError = cudaSuccess;
  return error;
}

void raiseFault(cudaError_t fault) noexcept {
  cudaError_t none = cudaSuccess;
  deviceFault.compare_exchange_strong(none, fault);
}

cudaError_t pendingFault() noexcept { return deviceFault.load(std::memory_order_acquire); }

void clearFault() noexcept {
  deviceFault = cudaSuccess;
  lastError = cudaSuccess;
}

cudaError_t toCuda(const Error& error) {
  switch (error.code()) {
    case ErrorCode::InvalidArgument: return cudaErrorInvalidValue;
    case ErrorCode::Unavailable: return cudaErrorMemoryAllocation;
    case ErrorCode::Unsupported: return cudaErrorNotSupported;
    case ErrorCode::NotFound: return cudaErrorInvalidDeviceFunction;
    default: return cudaErrorUnknown;
  }
}

}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" cudaError_t cudaGetLastError(void) { return takeLastError(); }
extern "C" cudaError_t cudaPeekAtLastError(void) { return peekLastError(); }
