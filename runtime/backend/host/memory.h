// SPDX-License-Identifier: Apache-2.0
/// The host device's memory: one register of every range the device can see, and the arena most of them live in.
/// The arena starts at a fixed far address, so that a recording's addresses are free again in the next process.
/// Thread-safe. Addresses are ordinary pointers of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::host {

class Memory {
 public:
  static Memory& instance();

  /// Zero-filled? No: contents are undefined, as on a device. Alignment is at least 256. Size 0 is InvalidArgument.
  [[nodiscard]] Expected<uint64_t> allocate(uint64_t size, uint64_t alignment, MemoryKind kind, std::string name = {});
  /// Makes every range usable at exactly its address; ranges may share pages with each other.
  [[nodiscard]] Expected<void> reserve(const std::vector<MemoryRange>& ranges);
  /// Adds the program's own memory to the register (cudaHostRegister); the owner keeps it.
  [[nodiscard]] Expected<void> adopt(uint64_t address, uint64_t size);
  /// The bytes behind a range that belong to nobody, so that a write past its end lands there: at least 64 behind what
  /// allocate() returned. Empty if no range has exactly this base and size, or another begins right behind it.
  [[nodiscard]] std::span<std::byte> guardBehind(uint64_t address, uint64_t size) const;
  /// Takes a range out of the register; its base address must be given.
  [[nodiscard]] Expected<void> release(uint64_t address);

  [[nodiscard]] std::optional<MemoryRange> resolve(uint64_t address) const;
  [[nodiscard]] std::vector<MemoryRange> live() const;
  /// Bytes the device claims to have, and has left.
  [[nodiscard]] uint64_t totalBytes() const;
  [[nodiscard]] uint64_t freeBytes() const;

 private:
  Memory();
  struct State;
  State* state_;  // never freed: memory outlives static destructors
};

}  // namespace mneme::host
