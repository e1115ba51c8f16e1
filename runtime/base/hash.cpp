// SPDX-License-Identifier: Apache-2.0
/// XXH3 through the system's xxHash, inlined so that nothing extra is linked.
#define XXH_INLINE_ALL
#include "base/hash.h"

#include <cstring>
#include <xxhash.h>

namespace mneme {

Hash128 hash128(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Hash128 result;
  std::memcpy(result.bytes.data(), canonical.digest, result.bytes.size());
  return result;
}

Hash128 hash128(std::string_view text) { return hash128(std::as_bytes(std::span(text))); }

std::string toHex(const Hash128& hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(32);
  for (uint8_t b : hash.bytes) {
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

namespace {
std::optional<uint8_t> digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
  return std::nullopt;
}
}  // namespace

std::optional<Hash128> hashFromHex(std::string_view hex) {
  Hash128 result;
  if (hex.size() != 2 * result.bytes.size()) return std::nullopt;
  for (size_t i = 0; i < result.bytes.size(); ++i) {
    auto high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    result.bytes[i] = static_cast<uint8_t>(*high << 4 | *low);
  }
  return result;
}

}  // namespace mneme
