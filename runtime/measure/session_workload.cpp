// SPDX-License-Identifier: Apache-2.0
/// Caches are flushed by filling a range several times as large as they are.
#include "measure/session_workload.h"

#include <algorithm>

#include "base/log.h"

namespace mneme::measure {
namespace {
// The largest second-level cache of a GPU is some 126 MB today; a processor's last level mostly is under 64 MB.
constexpr uint64_t kGpuFlushBytes = uint64_t{256} << 20, kHostFlushBytes = uint64_t{64} << 20;
constexpr uint64_t kShareOfMemory = 8;  // at most one part in so many
}  // namespace

Expected<void> SessionWorkload::flushCaches() {
  if (!tried_) {
    tried_ = true;
    const uint64_t wanted = device_.info().backend == "host" ? kHostFlushBytes : kGpuFlushBytes;
    const uint64_t size = std::min(wanted, device_.info().memoryBytes / kShareOfMemory);
    auto scratch = device_.allocate(size, MemoryKind::Device);
    if (scratch) scratch_ = *scratch, scratchBytes_ = size;
    else logOnce(LogLevel::Warn, "caches are not flushed between samples: " + scratch.error().message());
  }
  if (scratchBytes_ == 0) return {};
  if (auto filled = device_.fill(scratch_, std::byte{0}, scratchBytes_); !filled) return filled;
  return device_.synchronize();
}

std::optional<device::ClockReading> SessionWorkload::readClock() {
  auto* clocks = dynamic_cast<device::ClockSource*>(&device_);
  return clocks ? clocks->readClock() : std::nullopt;
}

}  // namespace mneme::measure
