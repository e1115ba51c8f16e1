// SPDX-License-Identifier: Apache-2.0
/// Rules found by comparing nvcc's and clang's names over real programs; each has its test.
#include "code/symbol_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <regex>
#include <system_error>

namespace mneme::code {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// nvcc, relocatable device code: `__nv_static_<n>_<n characters>_<name>`.
std::string_view withoutNvccStatic(std::string_view name) {
  constexpr std::string_view kPrefix = "__nv_static_";
  if (!name.starts_with(kPrefix)) return name;
  auto rest = name.substr(kPrefix.size());
  size_t length = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  size_t skip = static_cast<size_t>(end - rest.data()) + 1;
  if (error != std::errc{} || length > rest.size() || skip + length + 1 > rest.size()) return name;
  return rest.substr(skip + length + 1);
}

/// clang appends `__intern__<hash>` or `__static__<hash>` to what other translation units must not see.
std::string_view withoutClangSuffix(std::string_view name) {
  for (std::string_view mark : {"__intern__", "__static__"})
    if (size_t at = name.rfind(mark); at != std::string_view::npos && at > 0) {
      auto hash = name.substr(at + mark.size());
      if (!hash.empty() && std::all_of(hash.begin(), hash.end(), [](unsigned char c) { return std::isxdigit(c); }))
        return name.substr(0, at);
    }
  return name;
}

/// Replaces each `<n><component of n characters>` whose component begins with `start` by `replacement`.
void replaceComponents(std::string& name, std::string_view start, std::string_view replacement) {
  for (size_t at = 0; (at = name.find(start, at)) != std::string::npos;) {
    size_t digits = at;
    while (digits > 0 && isDigit(name[digits - 1])) --digits;
    size_t length = 0;
    std::from_chars(&name[digits], &name[at], length);
    if (digits == at || length > name.size() - at) {
      at += start.size();
      continue;
    }
    name.replace(digits, at - digits + length, replacement);
    at = digits + replacement.size();
  }
}

/// Where a template's literal argument, a substitution or an array's extent ends: its digits are no name's length.
size_t endOfNumber(std::string_view name, size_t at) {
  const char next = at + 1 < name.size() ? name[at + 1] : '\0';
  const bool literal = name[at] == 'L' && std::islower(static_cast<unsigned char>(next));
  const bool numbered = isDigit(next) || next == '_' || std::isupper(static_cast<unsigned char>(next));
  const bool reference = numbered && (name[at] == 'S' || name[at] == 'T' || name[at] == 'A');
  const size_t end = literal ? name.find('E', at) : reference ? name.find('_', at) : at;
  return end == std::string_view::npos ? name.size() : end + 1;
}

/// `_ZL4statPi` and `_ZN2nsL4statEPi`: nvcc leaves the internal-linkage L out.
void dropInternalMark(std::string& name) {
  if (!name.starts_with("_Z")) return;
  for (size_t at = 2; at < name.size();) {
    if (isDigit(name[at])) {
      size_t length = 0;
      const auto [end, error] = std::from_chars(&name[at], name.data() + name.size(), length);
      if (error != std::errc{} || length > name.size()) return;
      at = static_cast<size_t>(end - name.data()) + length;
    } else if (name[at] == 'L' && at + 1 < name.size() && isDigit(name[at + 1])) {
      name.erase(at, 1);
    } else {
      at = endOfNumber(name, at);
    }
  }
}

/// `_Z5gstat`: a variable in no namespace is its bare name to nvcc.
std::string_view bareIfVariable(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() < 3 || !isDigit(name[2])) return name;
  size_t length = 0;
  auto [end, error] = std::from_chars(&name[2], name.data() + name.size(), length);
  auto start = static_cast<size_t>(end - name.data());
  return error == std::errc{} && start + length == name.size() ? name.substr(start) : name;
}

std::string demangle(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? demangled.get() : name;
}

}  // namespace

std::string normalisedName(std::string_view mangled) {
  std::string name(withoutClangSuffix(withoutNvccStatic(mangled)));
  replaceComponents(name, "_INTERNAL_", "");
  replaceComponents(name, "_GLOBAL__N_", "12_GLOBAL__N_1");
  dropInternalMark(name);
  return std::string(bareIfVariable(name));
}

bool isInternalName(std::string_view mangled) {
  return mangled.starts_with("__nv_static_") || mangled.starts_with("_ZL") ||
         mangled.find("_GLOBAL__N_") != std::string_view::npos || withoutClangSuffix(mangled) != mangled;
}

std::string sourceName(std::string_view symbol) { return demangle(normalisedName(symbol)); }

Signature signatureOf(std::string_view mangled) {
  std::string text = sourceName(mangled);
  if (text.empty() || text.back() != ')') return {text, {}};
  size_t at = text.size();
  for (int depth = 0; at > 0;) {
    --at;
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  static const std::regex qualifiers(R"(\s*\b(const|volatile|__restrict__|__restrict|restrict)\b)");
  return {text.substr(0, at), std::regex_replace(text.substr(at), qualifiers, "")};
}

}  // namespace mneme::code
