// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device.h"

#include <algorithm>
#include <array>

namespace mneme::cuda {
namespace {

uint64_t attribute(const Api& api, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  api.cuDeviceGetAttribute(&value, which, device);
  return static_cast<uint64_t>(value);
}

device::DeviceInfo describe(const Api& api, CUdevice device) {
  device::DeviceInfo info;
  info.backend = "cuda";
  std::array<char, 256> name{};
  if (api.cuDeviceGetName(name.data(), name.size(), device) == CUDA_SUCCESS) info.model = name.data();
  const auto get = [&](CUdevice_attribute which) { return attribute(api, device, which); };
  info.architecture = "sm_" + std::to_string(get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                                             get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  int driver = 0;
  if (api.cuDriverGetVersion(&driver) == CUDA_SUCCESS)
    info.driver = std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  size_t bytes = 0;
  if (api.cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS) info.memoryBytes = bytes;
  info.warpSize = static_cast<uint32_t>(get(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  info.multiprocessors = static_cast<uint32_t>(get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  info.maxThreadsPerBlock = static_cast<uint32_t>(get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  info.maxSharedBytesPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return info;
}

/// The attributes of a launch that its shape asks for; at most two.
unsigned launchAttributes(const LaunchShape& shape, std::array<CUlaunchAttribute, 2>& attributes) {
  unsigned count = 0;
  if (shape.cooperative) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[count++].value.cooperative = 1;
  }
  if (shape.cluster.count() > 1) {
    attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[count].value.clusterDim.x = shape.cluster.x;
    attributes[count].value.clusterDim.y = shape.cluster.y;
    attributes[count++].value.clusterDim.z = shape.cluster.z;
  }
  return count;
}

Expected<void> checkArguments(const CudaKernel& kernel, std::span<const std::byte> arguments) {
  uint64_t needed = 0;
  for (const ParameterSlot& slot : kernel.parameters()) needed = std::max<uint64_t>(needed, slot.offset + slot.size);
  if (arguments.size() >= needed) return {};
  return Error(ErrorCode::Mismatch, kernel.name() + " takes " + std::to_string(needed) + " bytes of arguments, not " +
                                        std::to_string(arguments.size()));
}

constexpr uint64_t kDefaultDynamicShared = 48 * 1024;
constexpr uint64_t kPortableCluster = 8;

}  // namespace

Expected<std::unique_ptr<CudaDevice>> CudaDevice::open(const Api& api, uint32_t ordinal) {
  CUdevice device = 0;
  if (auto ok = api.check(api.cuDeviceGet(&device, static_cast<int>(ordinal)), "cuDeviceGet"); !ok)
    return Error(ErrorCode::Unavailable, "cuda:" + std::to_string(ordinal) + ": " + ok.error().message());
  if (!attribute(api, device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    return Error(ErrorCode::Unavailable,
                 "cuda:" + std::to_string(ordinal) + ": this GPU or its driver mode has no virtual-memory API");
  std::unique_ptr<CudaDevice> opened(new CudaDevice(api, device));
  opened->info_ = describe(api, device);
  return opened;
}

CudaDevice::~CudaDevice() {
  if (!context_) return;
  api_.cuCtxSetCurrent(context_);
  staging_.reset();
  stopwatch_.reset();
  if (stream_) api_.cuStreamDestroy(stream_);
  // The primary context stays: modules may outlive this object, and the process's end gives it back.
}

Expected<void> CudaDevice::ensureContext() {
  if (staging_) return api_.check(api_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  if (auto ok = api_.check(api_.cuDevicePrimaryCtxRetain(&context_, device_), "making a CUDA context"); !ok) return ok;
  if (auto ok = api_.check(api_.cuCtxSetCurrent(context_), "cuCtxSetCurrent"); !ok) return ok;
  if (auto ok = api_.check(api_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"); !ok) return ok;
  stopwatch_.emplace(api_, stream_);
  staging_.emplace(api_);
  return {};
}

Expected<void> CudaDevice::reserve(std::span<const MemoryRange> ranges) {
  if (auto ok = memory_.reserve(ranges); !ok) return ok;
  auto ready = ensureContext();
  if (ready) ready = memory_.map(ranges);
  if (!ready) memory_.unreserveLast();
  return ready;
}

Expected<uint64_t> CudaDevice::allocate(uint64_t size, MemoryKind kind) {
  if (auto ok = ensureContext(); !ok) return std::move(ok).error();
  return memory_.allocate(size, kind);
}

/// Copies run beside the stream of launches: what was launched ends first.
Expected<void> CudaDevice::beforeCopy() {
  if (auto ok = ensureContext(); !ok) return ok;
  return running_.load(std::memory_order_acquire) ? synchronize() : Expected<void>();
}

Expected<void> CudaDevice::write(uint64_t address, std::span<const std::byte> bytes) {
  if (auto ok = beforeCopy(); !ok) return ok;
  return staging_->write(address, bytes);
}

Expected<void> CudaDevice::read(uint64_t address, std::span<std::byte> bytes) {
  if (auto ok = beforeCopy(); !ok) return ok;
  return staging_->read(address, bytes);
}

Expected<void> CudaDevice::fill(uint64_t address, std::byte value, uint64_t size) {
  if (auto ok = ensureContext(); !ok) return ok;
  if (auto ok = staging_->settle(); !ok) return ok;
  running_.store(true, std::memory_order_release);
  if (auto ok = stopwatch_->start(); !ok) return ok;
  return api_.check(api_.cuMemsetD8Async(address, static_cast<unsigned char>(value), size, stream_), "cuMemsetD8Async");
}

Expected<std::unique_ptr<device::Module>> CudaDevice::load(const device::Code& code, const device::VariablePlacement&) {
  if (auto ok = ensureContext(); !ok) return std::move(ok).error();
  auto module = CudaModule::load(api_, code);
  if (!module) return std::move(module).error();
  return std::unique_ptr<device::Module>(std::move(*module));
}

Expected<void> CudaDevice::applyLimit(CUlimit limit, int64_t value, const char* what) {
  if (value < 0) return {};
  size_t present = 0;
  if (api_.cuCtxGetLimit(&present, limit) == CUDA_SUCCESS && present == static_cast<size_t>(value)) return {};
  return api_.check(api_.cuCtxSetLimit(limit, static_cast<size_t>(value)), what);
}

Expected<void> CudaDevice::applyAttributes(const CudaKernel& kernel, const LaunchShape& shape,
                                           const device::FunctionAttributes& attributes) {
  const auto set = [&](CUfunction_attribute which, uint64_t value, const char* what) {
    return api_.check(api_.cuFuncSetAttribute(kernel.function(), which, static_cast<int>(value)), what);
  };
  const uint64_t shared = std::max<uint64_t>(shape.dynamicSharedBytes,
                                             static_cast<uint64_t>(std::max<int64_t>(attributes.maxDynamicSharedBytes, 0)));
  if (shared > kDefaultDynamicShared)
    if (auto ok = set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared, "dynamic shared memory"); !ok) return ok;
  if (attributes.sharedCarveout >= 0)
    if (auto ok = set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                      static_cast<uint64_t>(attributes.sharedCarveout), "shared memory carve-out"); !ok)
      return ok;
  if (shape.cluster.count() > kPortableCluster)
    if (auto ok = set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, "cluster size"); !ok) return ok;
  if (auto ok = applyLimit(CU_LIMIT_STACK_SIZE, attributes.stackLimit, "stack limit"); !ok) return ok;
  if (auto ok = applyLimit(CU_LIMIT_PRINTF_FIFO_SIZE, attributes.printfLimit, "printf limit"); !ok) return ok;
  return applyLimit(CU_LIMIT_MALLOC_HEAP_SIZE, attributes.mallocHeapLimit, "device heap limit");
}

Expected<void> CudaDevice::launch(device::Kernel& kernel, const LaunchShape& shape,
                                  std::span<const std::byte> arguments, const device::FunctionAttributes& attributes) {
  if (auto ok = ensureContext(); !ok) return ok;
  auto& own = static_cast<CudaKernel&>(kernel);
  if (auto ok = checkArguments(own, arguments); !ok) return ok;
  if (auto ok = staging_->settle(); !ok) return ok;
  if (auto ok = applyAttributes(own, shape, attributes); !ok) return std::move(ok).error().context(own.name());

  std::array<CUlaunchAttribute, 2> launch{};
  CUlaunchConfig config{};
  config.gridDimX = shape.grid.x, config.gridDimY = shape.grid.y, config.gridDimZ = shape.grid.z;
  config.blockDimX = shape.block.x, config.blockDimY = shape.block.y, config.blockDimZ = shape.block.z;
  config.sharedMemBytes = static_cast<unsigned>(shape.dynamicSharedBytes);
  config.hStream = stream_;
  config.attrs = launch.data();
  config.numAttrs = launchAttributes(shape, launch);
  std::vector<void*> parameters;
  for (const ParameterSlot& slot : own.parameters())
    parameters.push_back(const_cast<std::byte*>(arguments.data()) + slot.offset);
  lastKernel_ = own.name();
  running_.store(true, std::memory_order_release);
  if (auto ok = stopwatch_->start(); !ok) return ok;
  const CUresult result = api_.cuLaunchKernelEx(&config, own.function(), parameters.data(), nullptr);
  if (auto ok = api_.check(result, "cuLaunchKernelEx"); !ok) return std::move(ok).error().context(own.name());
  return {};
}

Expected<void> CudaDevice::synchronize() {
  if (auto ok = ensureContext(); !ok) return ok;
  if (auto ok = staging_->settle(); !ok) return ok;
  auto finished = api_.check(api_.cuStreamSynchronize(stream_), "waiting for the device");
  if (finished) running_.store(false, std::memory_order_release);
  if (!finished && !lastKernel_.empty()) return std::move(finished).error().context(lastKernel_);
  return finished;
}

std::optional<device::ClockReading> CudaDevice::readClock() {
  if (!clocks_) {
    std::array<char, 32> bus{};
    api_.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device_);
    clocks_.emplace(bus.data());
  }
  return clocks_->read();
}

Expected<uint64_t> CudaDevice::timeNanoseconds(const std::function<Expected<void>()>& work) {
  if (auto ok = ensureContext(); !ok) return std::move(ok).error();
  if (auto ok = staging_->settle(); !ok) return std::move(ok).error();
  stopwatch_->arm();
  auto queued = work();
  if (queued) queued = stopwatch_->stop();
  if (!queued) {
    stopwatch_->abandon();
    return std::move(queued).error();
  }
  if (auto ok = synchronize(); !ok) return std::move(ok).error();
  return stopwatch_->nanoseconds();
}

}  // namespace mneme::cuda
