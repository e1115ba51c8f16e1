// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/memory_access.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "preload/cuda/own_work.h"

namespace mneme::preload {
namespace {

constexpr uint64_t kHostPiece = Reader::kWindowBytes;
constexpr std::chrono::milliseconds kDefaultPatience{2000};

struct CurrentLaunch {
  std::shared_ptr<Context> context;
  CUstream stream = nullptr;
};
thread_local CurrentLaunch launch;

std::chrono::milliseconds patienceFromEnvironment() {
  const char* text = std::getenv("MNEME_RECORD_DEADLINE_MS");
  const long value = text ? std::atol(text) : 0;
  return value > 0 ? std::chrono::milliseconds(value) : kDefaultPatience;
}

/// Where the device heap is when it cannot be found: every word that is no memory of the program's counts as in it.
MemoryRange anywhere(const Error& why) {
  constexpr uint64_t kLowest = uint64_t{1} << 32, kEnd = uint64_t{1} << 47;
  return {kLowest, kEnd - kLowest, MemoryKind::Device,
          "what may be the device heap (malloc in device code), which was not found: " + why.message()};
}

/// Work that outlived its deadline still writes into its scratch: the copy is kept for ever rather than given back.
template <typename T>
Error abandon(std::unique_ptr<T> scratch, Error error) {
  static_cast<void>(scratch.release());
  logOnce(LogLevel::Warn, "device memory of a recording that ran out of time is not given back");
  return error;
}

}  // namespace

DriverMemory::DriverMemory(const cuda::Api& api, Allocations& allocations, Modules& modules)
    : api_(api), allocations_(allocations), modules_(modules), patience_(patienceFromEnvironment()) {}

void DriverMemory::setLaunch(std::shared_ptr<Context> context, CUstream stream) { launch = {std::move(context), stream}; }
void DriverMemory::clearLaunch() { launch = {}; }

void DriverMemory::launchBegins() {
  OwnWork own(api_, launch.context->handle());
  launch.context->clock().start(launch.context->holdKernel(), launch.stream);
}

void DriverMemory::launchEnds() {
  OwnWork own(api_, launch.context->handle());
  launch.context->clock().stop(launch.stream);
}

std::optional<uint64_t> DriverMemory::lastKernelNanoseconds() {
  if (!launch.context) return std::nullopt;
  OwnWork own(api_, launch.context->handle());
  return launch.context->clock().nanoseconds();
}

std::optional<MemoryRange> DriverMemory::resolve(uint64_t address) {
  OwnWork own(api_);
  return resolveByDriver(api_, address, allocations_);
}

std::vector<MemoryRange> DriverMemory::liveRanges() {
  OwnWork own(api_);
  std::vector<MemoryRange> ranges;
  for (const auto& [address, kind] : allocations_.all())
    if (auto range = resolveByDriver(api_, address, allocations_); range && (ranges.empty() || ranges.back() != *range))
      ranges.push_back(std::move(*range));
  return ranges;
}

std::vector<MemoryRange> DriverMemory::variables(record::ModuleId module, std::string_view) {
  OwnWork own(api_);
  std::vector<MemoryRange> ranges;
  const auto cubin = modules_.find(module);
  if (!cubin || !cubin->parsed || !cubin->handle) return ranges;
  for (const cubin::Variable& variable : cubin->parsed->variables) {
    CUdeviceptr address = 0;
    size_t size = 0;
    if (api_.cuModuleGetGlobal(&address, &size, cubin->handle, variable.name.c_str()) == CUDA_SUCCESS && size > 0)
      ranges.push_back({address, size, variable.constant ? MemoryKind::Constant : MemoryKind::Global, variable.name});
  }
  return ranges;
}

std::optional<std::vector<MemoryRange>> DriverMemory::codeRanges() {
  std::vector<MemoryRange> ranges;
  if (!launch.context) return ranges;
  OwnWork own(api_, launch.context->handle());
  const auto heap = launch.context->heap(deadline());
  if (heap && *heap) ranges.push_back(**heap);
  if (!heap) ranges.push_back(anywhere(heap.error()));
  return ranges;
}

Expected<void> DriverMemory::read(uint64_t address, std::span<std::byte> bytes) {
  OwnWork own(api_, launch.context->handle());
  if (auto ok = launch.context->waitFor(launch.stream, deadline()); !ok) return ok;
  auto reader = launch.context->reader(0, address, bytes.size());
  if (!reader) return std::move(reader).error();
  return (*reader)->read(0, address, bytes, bytes.size());
}

Expected<std::unique_ptr<record::MemoryAccess::Scratch>> DriverMemory::capture(std::span<const MemoryRange> ranges) {
  OwnWork own(api_, launch.context->handle());
  if (auto ok = launch.context->waitFor(launch.stream, deadline()); !ok) return std::move(ok).error();
  auto onDevice = captureOnDevice(ranges);
  if (onDevice || onDevice.error().code() != ErrorCode::Unavailable) return onDevice;
  log(LogLevel::Info, onDevice.error().message() + "; it goes to host memory");
  return captureOnHost(ranges);
}

Expected<std::unique_ptr<record::MemoryAccess::Scratch>> DriverMemory::captureOnDevice(
    std::span<const MemoryRange> ranges) {
  Context& context = *launch.context;
  ScratchLayout layout(ranges);
  auto block = DeviceBlock::make(launch.context, layout.size);
  if (!block) return std::move(block).error();
  std::vector<uint64_t> sizes;
  for (const MemoryRange& range : ranges) sizes.push_back(range.size);
  auto scratch =
      std::make_unique<DeviceScratch>(launch.context, std::move(*block), std::move(layout.offsets), std::move(sizes));
  Expected<void> copied;
  for (size_t i = 0; copied && i < ranges.size(); ++i)
    copied = api_.check(
        api_.cuMemcpyDtoDAsync(scratch->address(i), ranges[i].address, ranges[i].size, context.stream()),
        "cuMemcpyDtoDAsync");
  auto finished = context.waitFor(context.stream(), deadline());
  if (!finished) return abandon(std::move(scratch), Error(ErrorCode::Device, finished.error().message()));
  if (!copied) return std::move(copied).error();
  return std::unique_ptr<Scratch>(std::move(scratch));
}

Expected<std::unique_ptr<record::MemoryAccess::Scratch>> DriverMemory::captureOnHost(
    std::span<const MemoryRange> ranges) {
  auto reader = launch.context->reader(0, 0, 0);
  if (!reader) return std::move(reader).error();
  std::vector<std::vector<std::byte>> copies;
  for (const MemoryRange& range : ranges) {
    copies.emplace_back(range.size);
    if (auto ok = (*reader)->read(0, range.address, copies.back(), range.size); !ok) return std::move(ok).error();
  }
  return std::unique_ptr<Scratch>(std::make_unique<HostScratch>(std::move(copies)));
}

Expected<record::MemoryAccess::Changes> DriverMemory::captureChanges(std::span<const MemoryRange> ranges,
                                                                     Scratch& before, uint64_t chunkBytes) {
  OwnWork own(api_, launch.context->handle());
  if (auto ok = launch.context->waitFor(launch.stream, deadline()); !ok) return std::move(ok).error();
  const auto* onDevice = dynamic_cast<DeviceScratch*>(&before);
  if (!onDevice) return changesOnHost(ranges, before, chunkBytes);
  auto changes = changesOnDevice(launch.context, ranges, *onDevice, chunkBytes, deadline());
  if (changes || changes.error().code() != ErrorCode::Unavailable) return changes;
  return changesOnHost(ranges, before, chunkBytes);
}

Expected<record::MemoryAccess::Changes> DriverMemory::changesOnHost(std::span<const MemoryRange> ranges,
                                                                    Scratch& before, uint64_t chunkBytes) {
  auto reader = launch.context->reader(0, 0, 0);
  if (!reader) return std::move(reader).error();
  Changes changes;
  std::vector<std::vector<std::byte>> kept(ranges.size());
  const uint64_t piece = std::max(kHostPiece / chunkBytes, uint64_t{1}) * chunkBytes;
  std::vector<std::byte> now(piece), then(piece);
  for (size_t i = 0; i < ranges.size(); ++i) {
    std::vector<uint32_t>& chunks = changes.chunks.emplace_back();
    for (uint64_t offset = 0; offset < ranges[i].size; offset += piece) {
      const uint64_t size = std::min(piece, ranges[i].size - offset);
      if (auto ok = (*reader)->read(0, ranges[i].address + offset, std::span(now).first(size), size); !ok)
        return std::move(ok).error();
      if (auto ok = before.read(i, offset, std::span(then).first(size)); !ok) return std::move(ok).error();
      for (uint64_t at = 0; at < size; at += chunkBytes) {
        const uint64_t count = std::min(chunkBytes, size - at);
        if (std::memcmp(now.data() + at, then.data() + at, count) == 0) continue;
        chunks.push_back(static_cast<uint32_t>((offset + at) / chunkBytes));
        kept[i].insert(kept[i].end(), now.data() + at, now.data() + at + count);
      }
    }
  }
  changes.bytes = std::make_unique<HostScratch>(std::move(kept));
  return changes;
}

record::MemoryAccess::Description DriverMemory::describe() {
  OwnWork own(api_);
  Description description;
  description.backend = "cuda";
  const CUdevice device = launch.context ? launch.context->device() : 0;
  std::array<char, 256> name{};
  if (api_.cuDeviceGetName(name.data(), name.size(), device) == CUDA_SUCCESS) description.model = name.data();
  int major = 0, minor = 0, driver = 0;
  api_.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  api_.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  description.architecture = "sm_" + std::to_string(major * 10 + minor);
  if (api_.cuDriverGetVersion(&driver) == CUDA_SUCCESS)
    description.driver = std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  return description;
}

}  // namespace mneme::preload
