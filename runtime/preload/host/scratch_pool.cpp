// SPDX-License-Identifier: Apache-2.0
/// The snapshots' memory and the thread that touches it.
#include "preload/host/scratch_pool.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "backend/host/memory.h"
#include "preload/host/parallel.h"

namespace mneme::host_runtime {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kPage = 4096, kStep = uint64_t{32} << 20, kHugePage = uint64_t{2} << 20;
constexpr auto kLook = 20ms;  // how often the program's memory is looked at for growth
// What is touched for a program that has nothing on the device yet. Those that will have gigabytes take time to make them.
constexpr uint64_t kTouchedAtOnce = uint64_t{64} << 20, kTouchedAhead = uint64_t{2} << 30;
constexpr auto kShortLife = 300ms;

uint64_t availableBytes() {
  return static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t roundUp(uint64_t size, uint64_t unit) { return (size + unit - 1) / unit * unit; }

void touch(uint64_t address, uint64_t size) {
#ifdef MADV_POPULATE_WRITE
  if (madvise(reinterpret_cast<void*>(address), size, MADV_POPULATE_WRITE) == 0) return;
#endif
  // Adding nothing atomically: the page may hold a snapshot already.
  for (uint64_t at = address; at < address + size; at += kPage)
    __atomic_fetch_add(reinterpret_cast<unsigned char*>(at), 0, __ATOMIC_RELAXED);
}

}  // namespace

ScratchPool::ScratchPool() {
  bytes_ = roundUp(host::Memory::instance().totalBytes(), kHugePage);
  void* got = mmap(nullptr, bytes_ + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    bytes_ = 0;
    return;
  }
  base_ = roundUp(reinterpret_cast<uint64_t>(got), kHugePage);
  madvise(reinterpret_cast<void*>(base_), bytes_, MADV_HUGEPAGE);
  madvise(reinterpret_cast<void*>(base_), bytes_, MADV_DONTDUMP);
  free_.add(base_, bytes_);
}

ScratchPool& ScratchPool::instance() {
  static auto* const only = new ScratchPool;
  return *only;
}

void ScratchPool::arm() {
  if (bytes_) runInBackground([this] { touchAhead(); });
}

/// Twice what the program has on the device (before and after), within half of what is free; and some before it asks for
/// any, since touching takes longer than filling.
uint64_t ScratchPool::wanted(std::chrono::nanoseconds age) const {
  const auto& memory = host::Memory::instance();
  const uint64_t used = memory.totalBytes() - memory.freeBytes(), available = availableBytes();
  const uint64_t ahead = age < kShortLife ? kTouchedAtOnce : std::min(kTouchedAhead, (touched_ + available) / 8);
  return std::min({roundUp(std::max(2 * used, ahead), kStep), touched_ + available / 2, bytes_});
}

void ScratchPool::touchAhead() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);  // of this thread: the program's and the writer's go first
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (touched_ >= wanted(std::chrono::steady_clock::now() - begin)) {
      taken_.wait_for(lock, kLook);
      continue;
    }
    uint64_t from = base_ + touched_, size = std::min(kStep, bytes_ - touched_);
    lock.unlock();
    touch(from, size);
    lock.lock();
    touched_ += size;
  }
}

std::byte* ScratchPool::take(uint64_t size) {
  std::lock_guard lock(mutex_);
  auto address = free_.take(roundUp(size, kPage), kPage);
  return address ? reinterpret_cast<std::byte*>(*address) : nullptr;
}

void ScratchPool::give(std::byte* memory, uint64_t size) {
  auto address = reinterpret_cast<uint64_t>(memory);
  size = roundUp(size, kPage);
  std::lock_guard lock(mutex_);
  // What lies behind the touched stretch was an exception; its pages go back.
  if (address + size > base_ + touched_) madvise(memory, size, MADV_DONTNEED);
  free_.add(address, size);
}

}  // namespace mneme::host_runtime
