// SPDX-License-Identifier: Apache-2.0
/// Values, texts and distances of elements; see elements.h.
#include "replay/elements.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace mneme::replay {
namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float halfToFloat(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent == 31 ? (fraction ? std::numeric_limits<float>::quiet_NaN() : HUGE_VALF)
                    : exponent ? std::ldexp(static_cast<float>(1024 + fraction), static_cast<int>(exponent) - 25)
                               : std::ldexp(static_cast<float>(fraction), -24);
  return bits >> 15 ? -magnitude : magnitude;
}

double floatValue(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::F16: return halfToFloat(load<uint16_t>(at));
    case ElementType::BF16: return std::bit_cast<float>(uint32_t{load<uint16_t>(at)} << 16);
    case ElementType::F32: return load<float>(at);
    default: return load<double>(at);
  }
}

int64_t integerValue(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::I8: return load<int8_t>(at);
    case ElementType::I16: return load<int16_t>(at);
    case ElementType::I32: return load<int32_t>(at);
    case ElementType::I64: return load<int64_t>(at);
    default: return load<uint8_t>(at);
  }
}

/// Sign-magnitude bits as a number that counts representable values, both zeros as 0.
int64_t ordered(ElementType type, const std::byte* at) {
  auto fold = [](uint64_t bits, int width) {
    uint64_t sign = uint64_t{1} << (width - 1);
    auto magnitude = static_cast<int64_t>(bits & (sign - 1));
    return bits & sign ? -magnitude : magnitude;
  };
  switch (format::sizeOf(type)) {
    case 2: return fold(load<uint16_t>(at), 16);
    case 4: return fold(load<uint32_t>(at), 32);
    default: return fold(load<uint64_t>(at), 64);
  }
}

uint64_t gap(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b) : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

Distance floatDistance(ElementType type, const std::byte* expected, const std::byte* got) {
  double e = floatValue(type, expected), g = floatValue(type, got);
  if (std::isnan(e) && std::isnan(g)) return {};
  if (!std::isfinite(e) || !std::isfinite(g)) {
    if (e == g) return {};
    return {HUGE_VAL, HUGE_VAL, std::numeric_limits<uint64_t>::max()};
  }
  double absolute = std::fabs(g - e);
  double relative = absolute == 0 ? 0 : e == 0 ? HUGE_VAL : absolute / std::fabs(e);
  return {absolute, relative, gap(ordered(type, expected), ordered(type, got))};
}

bool plausibleFloat(const std::byte* at) {
  auto value = load<float>(at);
  return value == 0 || (std::isfinite(value) && std::fabs(value) > 1e-20f && std::fabs(value) < 1e20f);
}

}  // namespace

bool isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}

bool bothNaN(ElementType type, const std::byte* expected, const std::byte* got) {
  return isFloat(type) && std::isnan(floatValue(type, expected)) && std::isnan(floatValue(type, got));
}

Distance distance(ElementType type, const std::byte* expected, const std::byte* got) {
  if (isFloat(type)) return floatDistance(type, expected, got);
  int64_t e = integerValue(type, expected), g = integerValue(type, got);
  auto apart = gap(e, g);
  auto absolute = static_cast<double>(apart);
  return {absolute, e == 0 ? (apart ? HUGE_VAL : 0) : absolute / std::fabs(static_cast<double>(e)), apart};
}

bool allowed(ElementType type, const std::byte* expected, const std::byte* got, const Limits& limits) {
  if (bothNaN(type, expected, got)) return true;
  if (limits.exact() || type == ElementType::Bytes) return false;
  auto apart = distance(type, expected, got);
  if (std::isinf(apart.absolute)) return false;
  double size = isFloat(type) ? std::fabs(floatValue(type, expected))
                              : std::fabs(static_cast<double>(integerValue(type, expected)));
  return apart.absolute <= limits.absolute + limits.relative * size || apart.ulp <= limits.ulp;
}

std::string elementText(ElementType type, const std::byte* element) {
  char text[64];
  if (type == ElementType::Bytes)
    std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned>(load<uint8_t>(element)));
  else if (isFloat(type))
    std::snprintf(text, sizeof text, "%.*g", type == ElementType::F64 ? 17 : type == ElementType::F32 ? 9 : 5,
                  floatValue(type, element));
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(integerValue(type, element)));
  return text;
}

ElementType likelyType(std::span<const std::byte> expected, std::span<const std::byte> got) {
  if (expected.size() < 4 || got.size() < 4) return ElementType::Bytes;
  return plausibleFloat(expected.data()) && plausibleFloat(got.data()) ? ElementType::F32 : ElementType::I32;
}

}  // namespace mneme::replay
