// SPDX-License-Identifier: Apache-2.0
/// Works on statements (text up to `;` or `{` or `}` outside brackets), each a list of words.
#include "cubin/ptx.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>

namespace mneme::cubin {
namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

/// Words, and every other visible character alone; comments are left out.
std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> found;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (isWordCharacter(text[at])) {
      size_t end = at;
      while (end < text.size() && isWordCharacter(text[end])) ++end;
      found.push_back(text.substr(at, end - at));
      at = end;
    } else {
      if (!std::isspace(static_cast<unsigned char>(text[at]))) found.push_back(text.substr(at, 1));
      ++at;
    }
  }
  return found;
}

std::optional<uint32_t> number(std::string_view word) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Bytes of ".u64", ".b8", …; 0 for a word that is no type.
uint32_t typeBytes(std::string_view word) {
  if (word.size() < 3 || word[0] != '.' || std::string_view("busf").find(word[1]) == std::string_view::npos) return 0;
  const auto bits = number(word.substr(2));
  return bits && *bits % 8 == 0 && *bits <= 128 ? *bits / 8 : 0;
}

/// `.param .align 8 .b8 name[24]` and the like, as words.
ParameterSlot parameterFrom(std::span<const std::string_view> words, uint32_t& offset) {
  uint32_t element = 0, alignment = 0, count = 1;
  for (size_t i = 0; i < words.size(); ++i) {
    if (element == 0) element = typeBytes(words[i]);
    if (words[i] == ".align" && i + 1 < words.size()) alignment = number(words[i + 1]).value_or(0);
    if (words[i] == "[" && i + 1 < words.size()) count = number(words[i + 1]).value_or(1);
  }
  alignment = std::clamp<uint32_t>(std::max(alignment, element), 1, 256);
  count = std::min<uint32_t>(count, 1 << 16);
  offset = (offset + alignment - 1) / alignment * alignment;
  const ParameterSlot slot{offset, element * count};
  offset += slot.size;
  return slot;
}

/// Reads the parameters that follow a kernel's name; `at` stands behind it, and behind `)` afterwards.
std::vector<ParameterSlot> parametersAt(const std::vector<std::string_view>& words, size_t& at) {
  std::vector<ParameterSlot> slots;
  if (at >= words.size() || words[at] != "(") return slots;
  uint32_t offset = 0;
  size_t begin = ++at;
  for (; at < words.size() && words[at] != ")"; ++at) {
    if (words[at] != ",") continue;
    slots.push_back(parameterFrom(std::span(words).subspan(begin, at - begin), offset));
    begin = at + 1;
  }
  if (at > begin) slots.push_back(parameterFrom(std::span(words).subspan(begin, at - begin), offset));
  return slots;
}

/// The declared name between a state space and `;`, `=` or `[`.
std::string_view variableName(const std::vector<std::string_view>& words, size_t at) {
  constexpr std::array<std::string_view, 3> kEnds{";", "=", "["};
  std::string_view last;
  for (; at < words.size() && std::ranges::find(kEnds, words[at]) == kEnds.end(); ++at)
    if (words[at].front() != '.' && isWordCharacter(words[at].front()) && !number(words[at])) last = words[at];
  return last;
}

}  // namespace

Ptx scanPtx(std::string_view text) {
  const std::vector<std::string_view> words = tokens(text);
  Ptx ptx;
  int depth = 0;
  for (size_t at = 0; at < words.size(); ++at) {
    if (words[at] == "{") ++depth;
    if (words[at] == "}") --depth;
    if (depth > 0 || at + 1 >= words.size()) continue;
    if (words[at] == ".target") {
      ptx.target = words[at + 1];
    } else if (words[at] == ".entry") {
      Kernel kernel{std::string(words[at + 1]), {}};
      at += 2;
      kernel.parameters = parametersAt(words, at);
      ptx.kernels.push_back(std::move(kernel));
    } else if (words[at] == ".global" || words[at] == ".const") {
      const std::string_view name = variableName(words, at + 1);
      const bool declared = at > 0 && words[at - 1] == ".extern";
      if (!name.empty() && !declared) ptx.variables.push_back({std::string(name), 0, words[at] == ".const", false});
      while (at + 1 < words.size() && words[at] != ";") ++at;  // an initialiser has braces of its own
    }
  }
  return ptx;
}

}  // namespace mneme::cubin
