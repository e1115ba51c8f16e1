// SPDX-License-Identifier: Apache-2.0
/// Kernel launches: checked as CUDA checks them, recorded if asked, run to their end before the call returns.
#include <cstring>
#include <vector>

#include "base/log.h"
#include "preload/host/api.h"
#include "preload/host/device_gate.h"
#include "preload/host/device_limits.h"
#include "preload/host/module_registry.h"
#include "preload/host/recording.h"
#include "preload/host/stream.h"

namespace mneme::host_runtime {
namespace {

struct Request {
  dim3 grid, block;
  size_t sharedBytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster;
};

cudaError_t checkShape(const Request& r) {
  bool gridFits = r.grid.x && r.grid.y && r.grid.z && r.grid.x <= kMaxGridX && r.grid.y <= kMaxGridY &&
                  r.grid.z <= kMaxGridZ;
  bool blockFits = r.block.x && r.block.y && r.block.z && r.block.x <= kMaxBlockX && r.block.y <= kMaxBlockY &&
                   r.block.z <= kMaxBlockZ && r.block.x * r.block.y * r.block.z <= kMaxThreadsPerBlock;
  return gridFits && blockFits ? cudaSuccess : cudaErrorInvalidConfiguration;
}

cudaError_t checkResources(const Request& r, const KernelEntry& entry, const host::KernelDescriptor& kernel) {
  uint64_t threads = uint64_t{r.block.x} * r.block.y * r.block.z;
  if (kernel.maxThreads && threads > kernel.maxThreads) return cudaErrorLaunchOutOfResources;
  int64_t allowed = entry.maxDynamicSharedBytes;
  if (allowed < 0) allowed = kSharedBytesDefault - static_cast<int64_t>(kernel.staticSharedBytes);
  if (static_cast<int64_t>(r.sharedBytes) > allowed) return cudaErrorInvalidValue;
  return cudaSuccess;
}

/// A cooperative launch holds no more blocks than the occupancy query promises.
bool fitsAtOnce(const void* function, const Request& r) {
  int perMultiprocessor = 0;
  const auto threads = static_cast<int>(r.block.x * r.block.y * r.block.z);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, function, threads, r.sharedBytes)) return false;
  return uint64_t{r.grid.x} * r.grid.y * r.grid.z <= uint64_t(perMultiprocessor) * host::coreCount();
}

/// The arguments as the kernel reads them, from CUDA's array of pointers.
std::vector<std::byte> pack(const std::vector<ParameterSlot>& slots, void** arguments) {
  size_t size = 0;
  for (const auto& slot : slots) size = std::max<size_t>(size, slot.offset + slot.size);
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < slots.size(); ++i) std::memcpy(bytes.data() + slots[i].offset, arguments[i], slots[i].size);
  return bytes;
}

/// A launch that the program got wrong; the program sees the error, the recorder's summary says it too.
cudaError_t rejected(const KernelEntry& entry, cudaError_t error) {
  noteNotRecorded(entry.name, std::string("the launch failed: ") + cudaGetErrorString(error));
  return error;
}

LaunchShape shapeOf(const Request& r) {
  return {.grid = {r.grid.x, r.grid.y, r.grid.z},
          .block = {r.block.x, r.block.y, r.block.z},
          .dynamicSharedBytes = r.sharedBytes,
          .cooperative = r.cooperative,
          .cluster = {r.cluster.x, r.cluster.y, r.cluster.z}};
}

/// A kernel that cannot run: one line that says which and why, and CUDA's code for it.
cudaError_t refuse(const std::string& kernel, const Error& error) {
  const std::string subject = "kernel " + kernel + ": ";
  logOnce(LogLevel::Error, (error.message().starts_with(subject) ? "" : subject) + error.message());
  noteNotRecorded(kernel, error.message());
  return error.code() == ErrorCode::Unavailable ? cudaErrorMemoryAllocation : toCuda(error);
}

/// What the program sees of a kernel that stopped. Faults of the kernel come to light at the next call, as on a GPU.
cudaError_t conclude(const std::string& kernel, const host::LaunchResult& result) {
  switch (result.fault) {
    case host::Fault::None: return cudaSuccess;
    case host::Fault::InvalidLaunch: return cudaErrorInvalidConfiguration;
    case host::Fault::Unsupported: return refuse(kernel, Error(ErrorCode::Unsupported, result.message));
    case host::Fault::Assert: raiseFault(cudaErrorAssert); break;
    case host::Fault::IllegalAddress: raiseFault(cudaErrorIllegalAddress); break;
    case host::Fault::Trap: raiseFault(cudaErrorLaunchFailure); break;
  }
  log(LogLevel::Warn, result.message);
  return cudaSuccess;
}

cudaError_t launch(const void* function, const Request& request, void** arguments) {
  auto* entry = ModuleRegistry::instance().kernel(function);
  if (!entry) return cudaErrorInvalidDeviceFunction;
  if (!validStream(request.stream)) return cudaErrorInvalidResourceHandle;
  if (cudaError_t error = checkShape(request)) return rejected(*entry, error);
  if (request.cluster.x * request.cluster.y * request.cluster.z != 1)
    return refuse(entry->name, Error(ErrorCode::Unsupported, "clusters are not supported on the host device"));
  auto kernel = entry->kernel();
  if (!kernel) return refuse(entry->name, kernel.error());
  if (cudaError_t error = checkResources(request, *entry, (*kernel)->descriptor())) return rejected(*entry, error);
  if (request.cooperative && !fitsAtOnce(function, request)) return rejected(*entry, cudaErrorCooperativeLaunchTooLarge);
  const auto& slots = (*kernel)->parameters();
  if (!arguments && !slots.empty()) return cudaErrorInvalidValue;
  auto packed = pack(slots, arguments);
  RecordedLaunch recorded(*entry, **kernel, shapeOf(request), packed, request.stream);
  host::LaunchResult result;
  {
    DeviceWork work;
    result = host::run(**kernel, shapeOf(request), packed);
  }
  recorded.finished(result.fault == host::Fault::None);
  return conclude(entry->name, result);
}

/// Reads a launch's attributes; one without a meaning here is ignored only where CUDA calls it a hint.
cudaError_t applyAttribute(const cudaLaunchAttribute& attribute, Request& request) {
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative: request.cooperative = attribute.val.cooperative != 0; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
      request.cluster = dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
      return cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeProgrammaticStreamSerialization:  // launches run one after another anyway
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeMemSyncDomainMap: return cudaSuccess;
    default: return cudaErrorNotSupported;
  }
}

cudaError_t launchEx(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
  Request request{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, false, {}};
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (cudaError_t error = applyAttribute(config->attrs[i], request)) return error;
  return launch(function, request, arguments);
}

}  // namespace
}  // namespace mneme::host_runtime

using namespace mneme::host_runtime;

extern "C" {

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                             cudaStream_t stream) {
  return call([&] { return launch(function, {grid, block, sharedBytes, stream, false, {}}, arguments); });
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t sharedBytes, cudaStream_t stream) {
  return call([&] { return launch(function, {grid, block, sharedBytes, stream, true, {}}, arguments); });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return call([&] { return launchEx(config, function, arguments); });
}

}  // extern "C"
