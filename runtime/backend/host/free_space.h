// SPDX-License-Identifier: Apache-2.0
/// Free intervals of an address space, found by size and by address. Best fit, so equal programs get equal addresses.
/// Byte-exact and not thread-safe; it never touches the memory itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace mneme::host {

class FreeSpace {
 public:
  /// Adds [base, base+size) and joins it with its neighbours. The range must not be free already.
  void add(uint64_t base, uint64_t size);
  /// The lowest aligned place in the smallest interval that fits; taken out.
  [[nodiscard]] std::optional<uint64_t> take(uint64_t size, uint64_t alignment);
  /// Takes exactly [base, base+size) out; false (and no change) if any byte of it is not free.
  [[nodiscard]] bool takeAt(uint64_t base, uint64_t size);

 private:
  void insert(uint64_t base, uint64_t size);
  void erase(std::map<uint64_t, uint64_t>::iterator interval);
  uint64_t cut(uint64_t intervalBase, uint64_t base, uint64_t size);

  std::map<uint64_t, uint64_t> byBase_;              // base -> size
  std::set<std::pair<uint64_t, uint64_t>> bySize_;   // (size, base)
};

}  // namespace mneme::host
