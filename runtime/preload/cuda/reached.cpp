// SPDX-License-Identifier: Apache-2.0
/// Pointers in captured memory, looked for on the device: reading a gigabyte back would stop the program for longer than
/// all the rest of a recording.
#include <algorithm>
#include <array>
#include <cstring>

#include "preload/cuda/own_work.h"
#include "preload/cuda/scratch.h"

namespace mneme::preload {
namespace {

constexpr uint64_t kWorthIt = uint64_t{1} << 20;  // below, reading back is as fast
constexpr unsigned kThreads = 256;                // of snapshot_kernels.cu
constexpr uint64_t kMostBlocks = 4096;
constexpr std::chrono::seconds kPatience{2};

/// Begins, ends and one flag a range, one after the other.
struct Table {
  explicit Table(size_t ranges) : ends(ranges * 8), flags(ranges * 16), size(ranges * 17) {}
  uint64_t ends, flags, size;
};

void fill(std::byte* table, std::span<const MemoryRange> live) {
  const Table layout(live.size());
  std::memset(table + layout.flags, 0, live.size());
  for (size_t i = 0; i < live.size(); ++i) {
    const uint64_t begin = live[i].address, end = begin + live[i].size;
    std::memcpy(table + 8 * i, &begin, 8);
    std::memcpy(table + layout.ends + 8 * i, &end, 8);
  }
}

}  // namespace

std::optional<std::vector<size_t>> DeviceScratch::reached(size_t index, std::span<const MemoryRange> live) {
  if (live.empty() || sizes_[index] < kWorthIt) return std::nullopt;
  const cuda::Api& api = context_->api();
  OwnWork own(api, context_->handle());
  const Table layout(live.size());
  auto host = context_->pinned(layout.size);
  auto device = DeviceBlock::make(context_, layout.size);
  if (!host || !device) return std::nullopt;
  fill(*host, live);

  CUdeviceptr bytes = address(index), begins = (*device)->address(), ends = begins + layout.ends,
              flags = begins + layout.flags;
  unsigned long long size = sizes_[index];
  unsigned count = static_cast<unsigned>(live.size());
  std::array<void*, 6> parameters{&bytes, &size, &begins, &ends, &count, &flags};
  const auto blocks = static_cast<unsigned>(std::clamp<uint64_t>(size / 8 / kThreads, 1, kMostBlocks));
  const CUstream stream = context_->stream();
  const bool started =
      api.cuMemcpyHtoDAsync(begins, *host, layout.size, stream) == CUDA_SUCCESS &&
      api.cuLaunchKernel(context_->reachKernel(), blocks, 1, 1, kThreads, 1, 1, 0, stream, parameters.data(),
                         nullptr) == CUDA_SUCCESS &&
      api.cuMemcpyDtoHAsync(*host + layout.flags, flags, live.size(), stream) == CUDA_SUCCESS;
  if (!context_->waitFor(stream, Clock::now() + kPatience)) {
    static_cast<void>(device->release());  // still in use: never given back
    return std::nullopt;
  }
  if (!started) return std::nullopt;
  std::vector<size_t> found;
  for (size_t i = 0; i < live.size(); ++i)
    if ((*host)[layout.flags + i] != std::byte{0}) found.push_back(i);
  return found;
}

}  // namespace mneme::preload
