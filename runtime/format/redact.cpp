// SPDX-License-Identifier: Apache-2.0
/// Random floating-point bits; see redact.h.
#include "format/redact.h"

#include <random>

#include "format/layout.h"

namespace mneme::format {
namespace {

/// Bits of one number: where its exponent starts, and an exponent field that means just below one.
struct FloatShape {
  unsigned bytes, mantissaBits;
  uint64_t belowOne;
};

FloatShape shapeOf(ElementType type) {
  switch (type) {
    case ElementType::F16: return {2, 10, 14};
    case ElementType::BF16: return {2, 7, 126};
    case ElementType::F64: return {8, 52, 1022};
    default: return {4, 23, 126};
  }
}

}  // namespace

bool isFloatingPoint(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}

std::vector<std::byte> noiseOf(ElementType type, size_t bytes, uint64_t seed) {
  auto shape = shapeOf(type);
  std::mt19937_64 random(seed);
  std::vector<std::byte> out(bytes);
  for (size_t at = 0; at + shape.bytes <= bytes; at += shape.bytes) {
    uint64_t bits = random();
    uint64_t mantissa = bits & ((uint64_t{1} << shape.mantissaBits) - 1);
    uint64_t exponent = shape.belowOne - (bits >> 60 & 3);
    uint64_t value = bits >> 63 << (8 * shape.bytes - 1) | exponent << shape.mantissaBits | mantissa;
    for (unsigned i = 0; i < shape.bytes; ++i) out[at + i] = static_cast<std::byte>(value >> (8 * i));
  }
  return out;
}

}  // namespace mneme::format
