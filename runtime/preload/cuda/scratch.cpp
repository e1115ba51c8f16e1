// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/scratch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "preload/cuda/own_work.h"

namespace mneme::preload {
namespace {

constexpr uint64_t kPage = uint64_t{2} << 20;
constexpr uint64_t kGranule = uint64_t{32} << 20;  // reservations of less are placed elsewhere
constexpr CUdeviceptr kFarAddress = 0x300000000000;       ///< below everything that drivers and loaders choose
constexpr uint64_t kLeastLeft = uint64_t{512} << 20;      ///< of device memory, for the program's own needs
constexpr size_t kMaxDevices = 64;

std::array<std::atomic<uint64_t>, kMaxDevices> held{};
std::atomic<uint64_t> nextAddress{kFarAddress}, nextNumber{1};

std::atomic<uint64_t>& heldOn(CUdevice device) { return held[static_cast<size_t>(device) % kMaxDevices]; }

uint64_t roundUp(uint64_t size, uint64_t unit) { return std::max((size + unit - 1) / unit, uint64_t{1}) * unit; }

}  // namespace

DeviceBlock::DeviceBlock(std::shared_ptr<Context> context, uint64_t size)
    : context_(std::move(context)), number_(nextNumber++), size_(roundUp(size, kPage)),
      reserved_(roundUp(size, kGranule)) {}

Expected<std::unique_ptr<DeviceBlock>> DeviceBlock::make(std::shared_ptr<Context> context, uint64_t size) {
  const cuda::Api& api = context->api();
  const uint64_t rounded = roundUp(size, kPage);
  size_t free = 0, total = 0;
  if (auto ok = api.check(api.cuMemGetInfo(&free, &total), "cuMemGetInfo"); !ok) return std::move(ok).error();
  if (free < rounded || free - rounded < std::max(kLeastLeft, total / 50))
    return Error(ErrorCode::Unavailable, "the device has no room for a copy of " + std::to_string(size >> 20) + " MiB");
  std::unique_ptr<DeviceBlock> block(new DeviceBlock(std::move(context), size));
  if (auto ok = block->map(); !ok) return std::move(ok).error();
  return block;
}

Expected<void> DeviceBlock::map() {
  const cuda::Api& api = context_->api();
  const CUdeviceptr wanted = nextAddress.fetch_add(reserved_);
  if (auto ok = api.check(api.cuMemAddressReserve(&address_, reserved_, 0, wanted, 0), "cuMemAddressReserve"); !ok) return ok;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context_->device();
  if (auto ok = api.check(api.cuMemCreate(&memory_, size_, &properties, 0), "cuMemCreate"); !ok)
    return Error(ErrorCode::Unavailable, ok.error().message());
  heldOn(context_->device()) += size_;
  if (auto ok = api.check(api.cuMemMap(address_, size_, 0, memory_, 0), "cuMemMap"); !ok) return ok;
  mapped_ = true;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return api.check(api.cuMemSetAccess(address_, size_, &access, 1), "cuMemSetAccess");
}

DeviceBlock::~DeviceBlock() {
  const cuda::Api& api = context_->api();
  OwnWork own(api, context_->ended() ? nullptr : context_->handle());
  if (mapped_) api.cuMemUnmap(address_, size_);
  if (memory_) {
    api.cuMemRelease(memory_);
    heldOn(context_->device()) -= size_;
  }
  if (address_) api.cuMemAddressFree(address_, reserved_);
}

uint64_t DeviceBlock::heldBytes(CUdevice device) { return heldOn(device).load(); }

ScratchLayout::ScratchLayout(std::span<const MemoryRange> ranges) {
  for (const MemoryRange& range : ranges) {
    const uint64_t start = (size + 15) / 16 * 16 + range.address % 16;
    offsets.push_back(start);
    size = start + range.size;
  }
}

Expected<void> DeviceScratch::read(size_t index, uint64_t offset, std::span<std::byte> bytes) {
  if (index >= sizes_.size() || offset > sizes_[index] || sizes_[index] - offset < bytes.size())
    return Error(ErrorCode::InvalidArgument, "a read outside the captured memory");
  if (context_->ended()) return Error(ErrorCode::Unavailable, "its context ended before it was written");
  OwnWork own(context_->api(), context_->handle());
  const uint64_t from = address(index) + offset;
  auto reader = context_->reader(block_->number(), from, bytes.size());
  if (!reader) return std::move(reader).error();
  return (*reader)->read(block_->number(), from, bytes, sizes_[index] - offset);
}

Expected<void> HostScratch::read(size_t index, uint64_t offset, std::span<std::byte> bytes) {
  if (index >= copies_.size() || offset > copies_[index].size() || copies_[index].size() - offset < bytes.size())
    return Error(ErrorCode::InvalidArgument, "a read outside the captured memory");
  std::memcpy(bytes.data(), copies_[index].data() + offset, bytes.size());
  return {};
}

}  // namespace mneme::preload
