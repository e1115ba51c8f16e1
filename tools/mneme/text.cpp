// SPDX-License-Identifier: Apache-2.0
/// See text.h.
#include "text.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace mneme::cli {
namespace {
std::string formatted(const char* format, double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data()) + unit;
}
}  // namespace

std::string sizeText(uint64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  auto value = static_cast<double>(bytes);
  const char* units[]{" kB", " MB", " GB", " TB"};
  size_t unit = 0;
  for (value /= 1000; value >= 999.95 && unit < 3; value /= 1000) ++unit;
  return formatted("%.1f", value, units[unit]);
}

std::string timeText(uint64_t nanoseconds) {
  auto value = static_cast<double>(nanoseconds);
  if (value < 1e5) return formatted("%.1f", value / 1e3, " us");
  if (value < 1e9) return formatted("%.3f", value / 1e6, " ms");
  return formatted("%.2f", value / 1e9, " s");
}

std::string counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string shellQuoted(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (char c : word) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

std::string numberText(double value) { return formatted("%.6g", value, ""); }

}  // namespace mneme::cli
