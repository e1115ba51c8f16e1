// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace mneme::cuda {

Staging::~Staging() {
  api_.cuStreamSynchronize(stream_);
  for (Buffer* buffer : {&buffers_[0], &buffers_[1], &buffers_[2], &buffers_[3], &window_}) {
    if (buffer->bytes) api_.cuMemFreeHost(buffer->bytes);
    if (buffer->done) api_.cuEventDestroy(buffer->done);
  }
}

Expected<void> Staging::prepare() {
  for (Buffer* buffer : {&buffers_[0], &buffers_[1], &buffers_[2], &buffers_[3], &window_}) {
    void* memory = nullptr;
    if (auto ok = api_.check(api_.cuMemHostAlloc(&memory, kBufferBytes, 0), "cuMemHostAlloc"); !ok)
      return std::move(ok).error().context("staging buffers");
    buffer->bytes = static_cast<std::byte*>(memory);
    if (auto ok = api_.check(api_.cuEventCreate(&buffer->done, CU_EVENT_DISABLE_TIMING), "cuEventCreate"); !ok) return ok;
  }
  return {};
}

Expected<void> Staging::nextBuffer() {
  if (auto ok = flush(); !ok) return ok;
  if (auto ok = api_.check(api_.cuEventRecord(buffers_[current_].done, stream_), "cuEventRecord"); !ok) return ok;
  current_ = (current_ + 1) % buffers_.size();
  usedBytes_ = pendingStart_ = 0;
  return api_.check(api_.cuEventSynchronize(buffers_[current_].done), "cuEventSynchronize");
}

Expected<void> Staging::write(uint64_t address, std::span<const std::byte> bytes) {
  forget();
  while (!bytes.empty()) {
    if (usedBytes_ == kBufferBytes)
      if (auto ok = nextBuffer(); !ok) return ok;
    if (pendingSize_ > 0 && address != pendingAddress_ + pendingSize_)
      if (auto ok = flush(); !ok) return ok;
    if (pendingSize_ == 0) {
      pendingAddress_ = address;
      pendingStart_ = usedBytes_;
    }
    const uint64_t count = std::min<uint64_t>(bytes.size(), kBufferBytes - usedBytes_);
    std::memcpy(buffers_[current_].bytes + usedBytes_, bytes.data(), count);
    usedBytes_ += count;
    pendingSize_ += count;
    address += count;
    bytes = bytes.subspan(count);
  }
  return {};
}

Expected<void> Staging::flush() {
  if (pendingSize_ == 0) return {};
  const uint64_t size = std::exchange(pendingSize_, 0);
  return api_.check(
      api_.cuMemcpyHtoDAsync(pendingAddress_, buffers_[current_].bytes + pendingStart_, size, stream_),
      "cuMemcpyHtoDAsync");
}

Expected<void> Staging::startRead(Buffer& buffer, uint64_t address, uint64_t size) {
  if (auto ok = api_.check(api_.cuMemcpyDtoHAsync(buffer.bytes, address, size, stream_), "cuMemcpyDtoHAsync"); !ok)
    return ok;
  return api_.check(api_.cuEventRecord(buffer.done, stream_), "cuEventRecord");
}

Expected<void> Staging::readLarge(uint64_t address, std::span<std::byte> bytes) {
  // The upload buffers serve as a ring: `issued` runs ahead of `taken`.
  if (auto ok = nextBuffer(); !ok) return ok;
  if (auto ok = api_.check(api_.cuStreamSynchronize(stream_), "cuStreamSynchronize"); !ok) return ok;
  const uint64_t pieces = (bytes.size() + kBufferBytes - 1) / kBufferBytes;
  const auto sizeOf = [&](uint64_t piece) { return std::min(kBufferBytes, bytes.size() - piece * kBufferBytes); };
  uint64_t issued = 0;
  for (uint64_t taken = 0; taken < pieces; ++taken) {
    for (; issued < pieces && issued < taken + buffers_.size(); ++issued)
      if (auto ok = startRead(buffers_[issued % buffers_.size()], address + issued * kBufferBytes, sizeOf(issued)); !ok)
        return ok;
    Buffer& buffer = buffers_[taken % buffers_.size()];
    if (auto ok = api_.check(api_.cuEventSynchronize(buffer.done), "reading device memory"); !ok) return ok;
    std::memcpy(bytes.data() + taken * kBufferBytes, buffer.bytes, sizeOf(taken));
  }
  return {};
}

Expected<void> Staging::read(uint64_t address, std::span<std::byte> bytes, uint64_t readable) {
  if (auto ok = flush(); !ok) return ok;
  if (bytes.size() >= kBufferBytes) return readLarge(address, bytes);
  const bool inWindow = address >= windowAddress_ && address - windowAddress_ <= windowSize_ &&
                        windowSize_ - (address - windowAddress_) >= bytes.size();
  if (!inWindow) {
    windowSize_ = 0;
    const uint64_t size = std::min(kBufferBytes, std::max<uint64_t>(readable, bytes.size()));
    if (auto ok = startRead(window_, address, size); !ok) return ok;
    if (auto ok = api_.check(api_.cuEventSynchronize(window_.done), "reading device memory"); !ok) return ok;
    windowAddress_ = address;
    windowSize_ = size;
  }
  std::memcpy(bytes.data(), window_.bytes + (address - windowAddress_), bytes.size());
  return {};
}

}  // namespace mneme::cuda
