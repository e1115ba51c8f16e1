// SPDX-License-Identifier: Apache-2.0
/// See arguments_text.h. The bytes have no types of their own: the kernel's name tells, else they are guessed and shown so.
#include "arguments_text.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "format/manifest.h"
#include "replay/elements.h"

namespace mneme::cli {
namespace {

using format::ElementType;
constexpr size_t kShownBytes = 32;

struct Argument {
  std::string type;  ///< empty if unknown
  std::vector<uint8_t> bytes;
  [[nodiscard]] uint64_t wordAt(size_t offset) const {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + offset, std::min(sizeof word, bytes.size() - offset));
    return word;
  }
};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::optional<size_t> regionAt(const format::Manifest& manifest, uint64_t address) {
  for (size_t i = 0; i < manifest.regions.size(); ++i) {
    const auto& range = manifest.regions[i].range;
    if (address >= range.address && address - range.address < range.size) return i;
  }
  return std::nullopt;
}

std::string shortLabel(const format::Manifest& manifest, size_t region) {
  const auto& name = manifest.regions[region].range.name;
  return "region " + (name.empty() ? std::to_string(region) : name);
}

std::string pointerText(const format::Manifest& manifest, uint64_t address) {
  auto region = regionAt(manifest, address);
  if (!region) return {};
  auto offset = address - manifest.regions[*region].range.address;
  return shortLabel(manifest, *region) + (offset ? " + " + std::to_string(offset) : "");
}

std::string hexBytes(const std::vector<uint8_t>& bytes) {
  std::string text;
  char two[4];
  for (size_t i = 0; i < std::min(bytes.size(), kShownBytes); ++i) {
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
  }
  return text + (bytes.size() > kShownBytes ? "…" : "");
}

/// The pointers in a structure, and its bytes.
std::string structureText(const format::Manifest& manifest, const Argument& argument) {
  std::string text = std::to_string(argument.bytes.size()) + " bytes " + hexBytes(argument.bytes);
  for (size_t at = 0; at + 8 <= argument.bytes.size(); at += 8)
    if (auto pointer = pointerText(manifest, argument.wordAt(at)); !pointer.empty())
      text += ", at " + std::to_string(at) + " " + pointer;
  return text;
}

std::string valueText(ElementType type, const Argument& argument) {
  return replay::elementText(type, reinterpret_cast<const std::byte*>(argument.bytes.data()));
}

bool isPointer(const Argument& argument) { return argument.type.ends_with("*"); }

/// Of a scalar whose type the kernel's name tells. Enumerations and classes are not told.
std::string knownText(const Argument& argument) {
  static const std::map<std::string, ElementType> kTypes{
      {"float", ElementType::F32}, {"double", ElementType::F64}, {"_Float16", ElementType::F16}, {"__half", ElementType::F16},
      {"__nv_bfloat16", ElementType::BF16}, {"bool", ElementType::I8}, {"char", ElementType::I8},
      {"signed char", ElementType::I8}, {"short", ElementType::I16}, {"int", ElementType::I32}, {"long", ElementType::I64},
      {"long long", ElementType::I64}};
  if (isPointer(argument)) return {};
  if (argument.type.starts_with("unsigned ")) return std::to_string(argument.wordAt(0));
  auto known = kTypes.find(argument.type);
  if (known == kTypes.end() || format::sizeOf(known->second) != argument.bytes.size()) return {};
  return valueText(known->second, argument);
}

bool isOrdinary(double value) { return std::isfinite(value) && std::fabs(value) > 1e-20 && std::fabs(value) < 1e20; }

/// Whole numbers, and what they would be as floating-point ones where that is an ordinary number.
std::string guessedText(const Argument& argument) {
  float single = 0;
  double whole = 0;
  switch (argument.bytes.size()) {
    case 1: return valueText(ElementType::I8, argument);
    case 2: return valueText(ElementType::I16, argument);
    case 4:
      std::memcpy(&single, argument.bytes.data(), 4);
      return valueText(ElementType::I32, argument) + (isOrdinary(single) ? ", or " + valueText(ElementType::F32, argument) + " as f32" : "");
    default:
      std::memcpy(&whole, argument.bytes.data(), 8);
      return valueText(ElementType::I64, argument) + (isOrdinary(whole) ? ", or " + valueText(ElementType::F64, argument) + " as f64" : "");
  }
}

std::string argumentText(const format::Manifest& manifest, const Argument& argument) {
  auto size = argument.bytes.size();
  if (size != 1 && size != 2 && size != 4 && size != 8) return structureText(manifest, argument);
  if (auto known = knownText(argument); !known.empty()) return known;
  if (size == 8)
    if (auto text = pointerText(manifest, argument.wordAt(0)); !text.empty()) return text;
  if (isPointer(argument)) return argument.wordAt(0) == 0 ? "null" : hex(argument.wordAt(0)) + ", in no recorded region";
  return guessedText(argument);
}

std::vector<Argument> argumentsOf(const format::Manifest& manifest) {
  auto types = parameterTypes(manifest.demangled);
  std::vector<Argument> arguments;
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const auto& slot = manifest.parameters[i];
    auto begin = manifest.arguments.begin() + slot.offset;
    arguments.push_back({types.size() == manifest.parameters.size() ? types[i] : "", {begin, begin + slot.size}});
  }
  return arguments;
}

std::string trimmed(const std::string& text) {
  auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Where the parenthesis that the last one closes was opened.
size_t openingOf(const std::string& text, size_t close) {
  size_t depth = 0;
  for (size_t at = close + 1; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string::npos;
}

}  // namespace

std::vector<std::string> parameterTypes(const std::string& demangled) {
  auto close = demangled.rfind(')');
  auto open = close == std::string::npos ? close : openingOf(demangled, close);
  if (open == std::string::npos) return {};
  std::vector<std::string> types(1);
  size_t depth = 0;
  for (size_t at = open + 1; at < close; ++at) {
    char c = demangled[at];
    depth += c == '<' || c == '(' || c == '[';
    depth -= depth > 0 && (c == '>' || c == ')' || c == ']');
    if (c == ',' && depth == 0) types.emplace_back();
    else types.back() += c;
  }
  for (auto& type : types) type = trimmed(type);
  if (types.size() == 1 && (types[0].empty() || types[0] == "void")) return {};
  return types;
}

std::vector<size_t> argumentsInto(const format::Manifest& manifest, size_t region) {
  std::vector<size_t> positions;
  auto arguments = argumentsOf(manifest);
  for (size_t i = 0; i < arguments.size(); ++i)
    for (size_t at = 0; at + 8 <= arguments[i].bytes.size(); at += 8)
      if (regionAt(manifest, arguments[i].wordAt(at)) == region) {
        positions.push_back(i);
        break;
      }
  return positions;
}

std::string regionLabel(const format::Manifest& manifest, size_t region) {
  const auto& range = manifest.regions[region].range;
  if (range.kind == MemoryKind::Global || range.kind == MemoryKind::Constant) return "variable " + range.name;
  auto positions = argumentsInto(manifest, region);
  std::string text;
  for (auto position : positions) text += (text.empty() ? "" : ", ") + std::to_string(position);
  if (text.empty()) return shortLabel(manifest, region);
  return shortLabel(manifest, region) + " (argument" + (positions.size() > 1 ? "s " : " ") + text + ")";
}

std::vector<std::string> argumentLines(const format::Manifest& manifest) {
  std::vector<std::string> lines;
  auto arguments = argumentsOf(manifest);
  size_t width = 0;
  for (const auto& argument : arguments) width = std::max(width, std::min<size_t>(argument.type.size(), 40));
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto type = arguments[i].type + std::string(width > arguments[i].type.size() ? width - arguments[i].type.size() : 0, ' ');
    lines.push_back(std::to_string(i) + std::string(i < 10 ? 3 : 2, ' ') + type + (width ? "  " : "") + argumentText(manifest, arguments[i]));
  }
  return lines;
}

}  // namespace mneme::cli
