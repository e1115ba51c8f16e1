// SPDX-License-Identifier: Apache-2.0
/// A read-only view of a little-endian ELF64 file's sections and symbols. Every offset is checked before it is used.
/// Borrows the bytes; they must outlive the view and everything it hands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"

namespace mneme {

/// The object of type T at `offset`, or nullopt if the bytes end before it does.
template <typename T>
[[nodiscard]] std::optional<T> loadAt(std::span<const std::byte> bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// [offset, offset+size) of the bytes, or nullopt if it is not wholly inside.
[[nodiscard]] std::optional<std::span<const std::byte>> subrange(std::span<const std::byte> bytes, uint64_t offset,
                                                                 uint64_t size);

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint32_t info = 0;
  uint64_t offset = 0, size = 0;      ///< in the file; size is the memory size where the section takes no file bytes
  std::span<const std::byte> content;  ///< empty for SHT_NOBITS
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0, binding = 0, other = 0;
  uint32_t section = 0;  ///< index into sections(), 0: undefined
  uint64_t value = 0, size = 0;
};

class ElfView {
 public:
  /// CorruptRecording if the bytes are not an ELF64 file whose section table lies inside them.
  [[nodiscard]] static Expected<ElfView> parse(std::span<const std::byte> bytes);

  [[nodiscard]] uint16_t type() const { return type_; }
  [[nodiscard]] uint16_t machine() const { return machine_; }
  [[nodiscard]] uint32_t flags() const { return flags_; }
  [[nodiscard]] uint8_t abiVersion() const { return abiVersion_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const ElfSection* section(std::string_view name) const;
  /// Of .symtab; empty if there is none. CorruptRecording if a name or entry lies outside.
  [[nodiscard]] Expected<std::vector<ElfSymbol>> symbols() const;

 private:
  uint16_t type_ = 0, machine_ = 0;
  uint32_t flags_ = 0;
  uint8_t abiVersion_ = 0;
  std::vector<ElfSection> sections_;
  std::unordered_map<std::string_view, size_t> byName_;  // the first of a name
};

}  // namespace mneme
