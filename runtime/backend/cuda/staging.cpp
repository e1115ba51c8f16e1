// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mneme::cuda {

/// A lane of this thread alone, given back at the end.
class Staging::Borrowed {
 public:
  Borrowed(Staging& owner, std::unique_ptr<Lane> lane) : owner_(owner), lane_(std::move(lane)) {}
  Borrowed(Borrowed&&) = default;
  ~Borrowed() {
    if (!lane_) return;
    std::lock_guard lock(owner_.mutex_);
    owner_.lanes_.push_back(std::move(lane_));
  }
  Lane& operator*() { return *lane_; }

 private:
  Staging& owner_;
  std::unique_ptr<Lane> lane_;
};

Staging::~Staging() {
  for (auto& lane : lanes_) destroy(*lane);
}

void Staging::destroy(Lane& lane) const {
  if (lane.stream) api_.cuStreamSynchronize(lane.stream);
  if (lane.bytes) api_.cuMemFreeHost(lane.bytes);
  for (const CUevent event : lane.travelled)
    if (event) api_.cuEventDestroy(event);
  if (lane.stream) api_.cuStreamDestroy(lane.stream);
}

Expected<std::unique_ptr<Staging::Lane>> Staging::makeLane() const {
  auto lane = std::make_unique<Lane>();
  void* memory = nullptr;
  auto made = api_.check(api_.cuMemHostAlloc(&memory, 2 * kHalfBytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
  lane->bytes = static_cast<std::byte*>(memory);
  if (made) made = api_.check(api_.cuStreamCreate(&lane->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  for (CUevent& event : lane->travelled)
    if (made) made = api_.check(api_.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  if (made) return lane;
  destroy(*lane);
  return std::move(made).error().context("staging buffers");
}

Expected<Staging::Borrowed> Staging::borrow() {
  {
    std::lock_guard lock(mutex_);
    if (!lanes_.empty()) {
      std::unique_ptr<Lane> lane = std::move(lanes_.back());
      lanes_.pop_back();
      return Borrowed(*this, std::move(lane));
    }
  }
  auto lane = makeLane();
  if (!lane) return std::move(lane).error();
  return Borrowed(*this, std::move(*lane));
}

Expected<void> Staging::nextHalf(Lane& lane) const {
  if (auto ok = api_.check(api_.cuEventRecord(lane.travelled[lane.half], lane.stream), "cuEventRecord"); !ok) return ok;
  lane.half = 1 - lane.half;
  lane.used = 0;
  return api_.check(api_.cuEventSynchronize(lane.travelled[lane.half]), "cuEventSynchronize");
}

Expected<void> Staging::write(uint64_t address, std::span<const std::byte> bytes) {
  auto lane = borrow();
  if (!lane) return std::move(lane).error();
  unsettled_.store(true, std::memory_order_release);
  while (!bytes.empty()) {
    if ((**lane).used == kHalfBytes)
      if (auto ok = nextHalf(**lane); !ok) return ok;
    const uint64_t count = std::min<uint64_t>(bytes.size(), kHalfBytes - (**lane).used);
    std::byte* staged = (**lane).bytes + (**lane).half * kHalfBytes + (**lane).used;
    std::memcpy(staged, bytes.data(), count);
    const CUresult sent = api_.cuMemcpyHtoDAsync(address, staged, count, (**lane).stream);
    if (auto ok = api_.check(sent, "cuMemcpyHtoDAsync"); !ok) return ok;
    (**lane).used += count;
    address += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Expected<void> Staging::read(uint64_t address, std::span<std::byte> bytes) {
  if (unsettled_.load(std::memory_order_acquire))
    if (auto ok = settle(); !ok) return ok;
  auto lane = borrow();
  if (!lane) return std::move(lane).error();
  while (!bytes.empty()) {
    const uint64_t count = std::min<uint64_t>(bytes.size(), 2 * kHalfBytes);
    const CUresult asked = api_.cuMemcpyDtoHAsync((**lane).bytes, address, count, (**lane).stream);
    if (auto ok = api_.check(asked, "cuMemcpyDtoHAsync"); !ok) return ok;
    if (auto ok = api_.check(api_.cuStreamSynchronize((**lane).stream), "reading device memory"); !ok) return ok;
    std::memcpy(bytes.data(), (**lane).bytes, count);
    address += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Expected<void> Staging::settle() {
  std::lock_guard lock(mutex_);
  for (auto& lane : lanes_)
    if (auto ok = api_.check(api_.cuStreamSynchronize(lane->stream), "writing device memory"); !ok) return ok;
  unsettled_.store(false, std::memory_order_release);
  return {};
}

}  // namespace mneme::cuda
