// SPDX-License-Identifier: Apache-2.0
/// Which chunks a launch changed, found and kept on the device. Constants are not compared: kernels cannot write them.
#include <algorithm>
#include <array>
#include <cstring>

#include "preload/cuda/memory_access.h"

namespace mneme::preload {
namespace {

constexpr unsigned kThreads = 256;  // of snapshot_kernels.cu

uint64_t chunkCount(const MemoryRange& range, uint64_t chunkBytes) { return (range.size + chunkBytes - 1) / chunkBytes; }

uint64_t bytesOfChunks(const MemoryRange& range, const std::vector<uint32_t>& chunks, uint64_t chunkBytes) {
  uint64_t bytes = 0;
  for (const uint32_t chunk : chunks) bytes += std::min(chunkBytes, range.size - chunk * chunkBytes);
  return bytes;
}

/// One pass over the ranges: compare, then gather. All work is on the context's own stream.
class ChangeFinder {
 public:
  ChangeFinder(std::shared_ptr<Context> context, std::span<const MemoryRange> ranges, const DeviceScratch& before,
               uint64_t chunkBytes, Clock::time_point deadline)
      : context_(std::move(context)), api_(context_->api()), ranges_(ranges), before_(before), chunkBytes_(chunkBytes),
        deadline_(deadline) {}

  Expected<record::MemoryAccess::Changes> find() {
    for (const MemoryRange& range : ranges_) {
      firstFlag_.push_back(totalChunks_);
      totalChunks_ += chunkCount(range, chunkBytes_);
    }
    auto changed = compare();
    if (!changed) return std::move(changed).error();
    record::MemoryAccess::Changes changes;
    changes.chunks = std::move(*changed);
    auto bytes = gather(changes.chunks);
    if (!bytes) return std::move(bytes).error();
    changes.bytes = std::move(*bytes);
    return changes;
  }

 private:
  Expected<void> start(CUfunction kernel, uint64_t blocks, std::span<void*> parameters, const char* what) {
    return api_.check(api_.cuLaunchKernel(kernel, static_cast<unsigned>(blocks), 1, 1, kThreads, 1, 1, 0,
                                          context_->stream(), parameters.data(), nullptr),
                      what);
  }

  Expected<std::vector<std::vector<uint32_t>>> compare() {
    std::vector<std::vector<uint32_t>> changed(ranges_.size());
    if (totalChunks_ == 0) return changed;
    auto flags = context_->pinned(totalChunks_);
    if (!flags) return std::move(flags).error();
    auto block = DeviceBlock::make(context_, totalChunks_);
    if (!block) return std::move(block).error();
    Expected<void> put;
    for (size_t i = 0; put && i < ranges_.size(); ++i) put = startCompare(i, (*block)->address() + firstFlag_[i]);
    if (put)
      put = api_.check(api_.cuMemcpyDtoHAsync(*flags, (*block)->address(), totalChunks_, context_->stream()),
                       "cuMemcpyDtoHAsync");
    if (auto done = context_->waitFor(context_->stream(), deadline_); !done) return keepBusy(std::move(*block), done);
    if (!put) return std::move(put).error();
    for (size_t i = 0; i < ranges_.size(); ++i)
      for (uint64_t chunk = 0; comparable(i) && chunk < chunkCount(ranges_[i], chunkBytes_); ++chunk)
        if ((*flags)[firstFlag_[i] + chunk] != std::byte{0}) changed[i].push_back(static_cast<uint32_t>(chunk));
    return changed;
  }

  bool comparable(size_t i) const { return ranges_[i].kind != MemoryKind::Constant && ranges_[i].size > 0; }

  Expected<void> startCompare(size_t i, CUdeviceptr flags) {
    if (!comparable(i)) return {};
    CUdeviceptr now = ranges_[i].address, then = before_.address(i);
    unsigned long long size = ranges_[i].size, chunk = chunkBytes_;
    std::array<void*, 5> parameters{&now, &then, &size, &chunk, &flags};
    return start(context_->compareKernel(), chunkCount(ranges_[i], chunkBytes_), parameters, "comparing");
  }

  Expected<std::unique_ptr<record::MemoryAccess::Scratch>> gather(const std::vector<std::vector<uint32_t>>& chunks) {
    std::vector<MemoryRange> kept(ranges_.begin(), ranges_.end());
    std::vector<uint64_t> sizes;
    uint64_t total = 0;
    for (size_t i = 0; i < kept.size(); ++i) {
      kept[i].size = bytesOfChunks(ranges_[i], chunks[i], chunkBytes_);
      sizes.push_back(kept[i].size);
      total += chunks[i].size();
    }
    if (total == 0) return std::unique_ptr<record::MemoryAccess::Scratch>(
        std::make_unique<HostScratch>(std::vector<std::vector<std::byte>>(kept.size())));
    ScratchLayout layout(kept);
    const uint64_t indices = (layout.size + 15) / 16 * 16;  // the chunk numbers lie behind the chunks
    auto block = DeviceBlock::make(context_, indices + total * sizeof(uint32_t));
    if (!block) return std::move(block).error();
    const CUdeviceptr base = (*block)->address();
    auto scratch =
        std::make_unique<DeviceScratch>(context_, std::move(*block), std::move(layout.offsets), std::move(sizes));
    Expected<void> put = startGather(chunks, total, base + indices, *scratch);
    if (auto done = context_->waitFor(context_->stream(), deadline_); !done) return keepBusy(std::move(scratch), done);
    if (!put) return std::move(put).error();
    return std::unique_ptr<record::MemoryAccess::Scratch>(std::move(scratch));
  }

  Expected<void> startGather(const std::vector<std::vector<uint32_t>>& chunks, uint64_t total, CUdeviceptr indices,
                             const DeviceScratch& scratch) {
    auto table = context_->pinned(total * sizeof(uint32_t));
    if (!table) return std::move(table).error();
    uint64_t at = 0;
    for (const auto& list : chunks) {
      if (!list.empty()) std::memcpy(*table + at, list.data(), list.size() * sizeof(uint32_t));
      at += list.size() * sizeof(uint32_t);
    }
    if (auto ok = api_.check(api_.cuMemcpyHtoDAsync(indices, *table, at, context_->stream()), "cuMemcpyHtoDAsync"); !ok)
      return ok;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      if (chunks[i].empty()) continue;
      CUdeviceptr from = ranges_[i].address, to = scratch.address(i);
      unsigned long long size = ranges_[i].size, chunk = chunkBytes_;
      std::array<void*, 5> parameters{&from, &to, &size, &chunk, &indices};
      if (auto ok = start(context_->gatherKernel(), chunks[i].size(), parameters, "keeping changes"); !ok) return ok;
      indices += chunks[i].size() * sizeof(uint32_t);
    }
    return {};
  }

  /// The device still works on the memory: it is never given back.
  template <typename T>
  static Error keepBusy(std::unique_ptr<T> memory, const Expected<void>& why) {
    static_cast<void>(memory.release());
    return {ErrorCode::Device, why.error().message()};
  }

  std::shared_ptr<Context> context_;
  const cuda::Api& api_;
  std::span<const MemoryRange> ranges_;
  const DeviceScratch& before_;
  uint64_t chunkBytes_;
  Clock::time_point deadline_;
  std::vector<uint64_t> firstFlag_;
  uint64_t totalChunks_ = 0;
};

}  // namespace

Expected<record::MemoryAccess::Changes> changesOnDevice(const std::shared_ptr<Context>& context,
                                                        std::span<const MemoryRange> ranges,
                                                        const DeviceScratch& before, uint64_t chunkBytes,
                                                        Clock::time_point deadline) {
  return ChangeFinder(context, ranges, before, chunkBytes, deadline).find();
}

}  // namespace mneme::preload
