// SPDX-License-Identifier: Apache-2.0
/// Content hashes: XXH3, 128 bit, as everywhere in the recording set. Not cryptographic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mneme {

/// 128 bits in XXH3's canonical (big-endian) byte order.
struct Hash128 {
  std::array<uint8_t, 16> bytes{};
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

[[nodiscard]] Hash128 hash128(std::span<const std::byte> bytes);
[[nodiscard]] Hash128 hash128(std::string_view text);

/// 32 lower-case hexadecimal digits, and back; nullopt for anything else.
[[nodiscard]] std::string toHex(const Hash128& hash);
[[nodiscard]] std::optional<Hash128> hashFromHex(std::string_view hex);

}  // namespace mneme

template <>
struct std::hash<mneme::Hash128> {
  size_t operator()(const mneme::Hash128& h) const noexcept {
    size_t v = 0;
    for (size_t i = 0; i < sizeof v; ++i) v = v << 8 | h.bytes[i];
    return v;
  }
};
