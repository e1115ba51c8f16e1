// SPDX-License-Identifier: Apache-2.0
/// Names of enumerations and hexadecimal text in manifests; see manifest_json.h.
#include "format/manifest_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace mneme::format {
namespace {

constexpr std::array<std::string_view, 9> kElementNames{"bytes", "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"};
constexpr std::array<uint32_t, 9> kElementSizes{1, 2, 2, 4, 8, 1, 2, 4, 8};
constexpr std::array<std::string_view, 3> kRedactionNames{"none", "memory", "inputs"};
constexpr std::array<std::string_view, 5> kResultNames{"not run", "reproduced", "reproduced within", "not reproduced",
                                                       "refused"};

template <typename Enum, size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string_view name(ElementType type) { return kElementNames[static_cast<size_t>(type)]; }
uint32_t sizeOf(ElementType type) { return kElementSizes[static_cast<size_t>(type)]; }
std::string_view name(SelfCheck::Result result) { return kResultNames[static_cast<size_t>(result)]; }
std::string_view name(Redaction redaction) { return kRedactionNames[static_cast<size_t>(redaction)]; }
std::optional<Redaction> redactionFromName(std::string_view name) { return find<Redaction>(kRedactionNames, name); }
std::optional<ElementType> elementTypeFromName(std::string_view name) { return find<ElementType>(kElementNames, name); }
std::optional<SelfCheck::Result> selfCheckResultFromName(std::string_view name) {
  return find<SelfCheck::Result>(kResultNames, name);
}

std::string toHexNumber(uint64_t value) {
  char text[18] = {'0', 'x'};
  return {text, std::to_chars(text + 2, text + sizeof text, value, 16).ptr};
}

std::optional<uint64_t> fromHexNumber(std::string_view text) {
  uint64_t value = 0;
  if (!text.starts_with("0x")) return std::nullopt;
  auto [end, failed] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string toHexBytes(const std::vector<uint8_t>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (uint8_t b : bytes) {
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
  }
  return out;
}

std::optional<std::vector<uint8_t>> fromHexBytes(std::string_view text) {
  std::vector<uint8_t> out(text.size() / 2);
  if (text.size() % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < out.size(); ++i) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return out;
}

nlohmann::json numberOrText(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : "inf";
}

}  // namespace mneme::format
