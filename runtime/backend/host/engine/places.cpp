// SPDX-License-Identifier: Apache-2.0
/// Buffers in a map; stacks as two numbers a thread, so that a launch costs no lock.
#include "backend/host/engine/places.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "backend/host/engine.h"

namespace mneme::host {
namespace {

constexpr size_t kMostRetired = 1 << 14;
constexpr uint64_t kStackBelow = 256 << 10, kStackAbove = 4 << 10;  // the kernel's frames, and the launch's arguments
constexpr char kLocal[] = "a local variable or parameter of a thread";

struct Place {
  uint64_t size;
  const char* what;
  bool retired;
};

struct Stack {
  Stack();
  ~Stack();
  std::atomic<uint64_t> frame{0};
};

struct Register {
  std::mutex mutex;
  std::map<uint64_t, Place> places;
  std::set<Stack*> stacks;
  size_t retired = 0;

  /// Takes out what lies in [begin, end): it was given back, or it would not be given out again.
  void clear(uint64_t begin, uint64_t end) {
    auto at = places.lower_bound(begin);
    if (at != places.begin() && std::prev(at)->first + std::prev(at)->second.size > begin) --at;
    while (at != places.end() && at->first < end) {
      retired -= at->second.retired;
      at = places.erase(at);
    }
  }
};

Register& known() {
  static auto* const only = new Register;  // threads of the pool outlive static destructors
  return *only;
}

Stack::Stack() {
  std::lock_guard lock(known().mutex);
  known().stacks.insert(this);
}
Stack::~Stack() {
  std::lock_guard lock(known().mutex);
  known().stacks.erase(this);
}

}  // namespace

void notePlace(const void* memory, size_t size, const char* what) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  std::lock_guard lock(known().mutex);
  known().clear(address, address + size);
  known().places[address] = {size, what, false};
}

void retirePlace(const void* memory) {
  std::lock_guard lock(known().mutex);
  auto found = known().places.find(reinterpret_cast<uint64_t>(memory));
  if (found == known().places.end() || found->second.retired) return;
  found->second.retired = true;
  if (++known().retired <= kMostRetired) return;
  std::erase_if(known().places, [](const auto& place) { return place.second.retired; });
  known().retired = 0;
}

void noteOwnStack() {
  static thread_local Stack own;
  own.frame.store(reinterpret_cast<uint64_t>(__builtin_frame_address(0)), std::memory_order_relaxed);
}

std::vector<MemoryRange> launchPlaces() {
  std::vector<MemoryRange> ranges;
  std::lock_guard lock(known().mutex);
  for (const auto& [address, place] : known().places)
    ranges.push_back({address, place.size, MemoryKind::Device, place.what});
  for (const Stack* stack : known().stacks)
    if (const uint64_t frame = stack->frame.load(std::memory_order_relaxed); frame != 0)
      ranges.push_back({frame - kStackBelow, kStackBelow + kStackAbove, MemoryKind::Device, kLocal});
  return ranges;
}

}  // namespace mneme::host
