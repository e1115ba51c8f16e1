// SPDX-License-Identifier: Apache-2.0
/// Blocks of reserved address space; the register of them is kept outside, where no kernel writes.
#include "backend/host/engine/device_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "backend/host/free_space.h"

namespace mneme::host {
namespace {

constexpr uint64_t kHeapBytes = uint64_t{1} << 30, kAlignment = 16;

struct Heap {
  std::mutex mutex;
  FreeSpace free;
  std::map<uint64_t, uint64_t> blocks;  ///< base -> size
  uint64_t base = 0, used = 0;

  Heap() {
    void* got = mmap(nullptr, kHeapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) return;
    base = reinterpret_cast<uint64_t>(got);
    free.add(base, kHeapBytes);
  }
};

Heap& heap() {
  static auto* const only = new Heap;
  return *only;
}

}  // namespace

void* heapAllocate(size_t size) noexcept try {
  if (size > kHeapBytes) return nullptr;
  const uint64_t bytes = (std::max<uint64_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  std::lock_guard lock(heap().mutex);
  const auto address = heap().free.take(bytes, kAlignment);
  if (!address) return nullptr;
  heap().blocks.emplace(*address, bytes);
  heap().used = std::max(heap().used, *address + bytes - heap().base);
  return reinterpret_cast<void*>(*address);
} catch (const std::bad_alloc&) {
  return nullptr;
}

void heapFree(void* memory) noexcept {
  std::lock_guard lock(heap().mutex);
  const auto block = heap().blocks.extract(reinterpret_cast<uint64_t>(memory));
  if (block) heap().free.add(block.key(), block.mapped());
}

std::optional<MemoryRange> heapRange() {
  std::lock_guard lock(heap().mutex);
  if (heap().used == 0) return std::nullopt;
  return MemoryRange{heap().base, heap().used, MemoryKind::Device, "a block of the device's heap (malloc in a kernel)"};
}

}  // namespace mneme::host
