// SPDX-License-Identifier: Apache-2.0
/// Values and what they read as; see value.h.
#include "tune/value.h"

#include <cmath>
#include <cstdio>

namespace mneme::tune {
namespace {

std::string realText(double real) {
  for (int digits : {6, 15, 17}) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, real);
    if (std::strtod(buffer, nullptr) == real) return buffer;
  }
  return std::to_string(real);
}

}  // namespace

std::string text(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return realText(*real);
  return std::get<std::string>(value);
}

std::optional<double> number(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::optional<int64_t> integer(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  const auto* real = std::get_if<double>(&value);
  if (real && std::trunc(*real) == *real && std::fabs(*real) < 9.2e18) return static_cast<int64_t>(*real);
  return std::nullopt;
}

bool isTrue(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  return *number(value) != 0;
}

}  // namespace mneme::tune
