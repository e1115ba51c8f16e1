// SPDX-License-Identifier: Apache-2.0
/// What one element of a region means: its size, its value, its text, and how far two of them are apart.
/// Bytes of unknown type have size 1 and are compared bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "format/manifest.h"

namespace mneme::replay {

using format::ElementType;

/// How far apart two elements are. Infinite where only one of them is a number.
struct Distance {
  double absolute = 0;
  double relative = 0;  ///< to the expected value
  uint64_t ulp = 0;     ///< representable values between them; of integers and bytes: the difference
};

/// What may differ and still be right: |got - expected| <= absolute + relative * |expected|, or at most `ulp` apart.
struct Limits {
  double absolute = 0;
  double relative = 0;
  uint64_t ulp = 0;
  [[nodiscard]] bool exact() const { return absolute == 0 && relative == 0 && ulp == 0; }
  friend bool operator==(const Limits&, const Limits&) = default;
};

[[nodiscard]] bool isFloat(ElementType type);

/// True if both are NaN. Never true of integers and bytes.
[[nodiscard]] bool bothNaN(ElementType type, const std::byte* expected, const std::byte* got);
[[nodiscard]] Distance distance(ElementType type, const std::byte* expected, const std::byte* got);
/// Decides for two elements whose bits differ.
[[nodiscard]] bool allowed(ElementType type, const std::byte* expected, const std::byte* got, const Limits& limits);

[[nodiscard]] std::string elementText(ElementType type, const std::byte* element);
/// For printing only: what four or fewer bytes of unknown type most likely are.
[[nodiscard]] ElementType likelyType(std::span<const std::byte> expected, std::span<const std::byte> got);

}  // namespace mneme::replay
