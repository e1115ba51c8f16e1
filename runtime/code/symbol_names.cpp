// SPDX-License-Identifier: Apache-2.0
#include "code/symbol_names.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace mneme::code {
namespace {

constexpr std::string_view kNvccPrefix = "__nv_static_";
constexpr std::string_view kClangSuffixes[] = {"__intern__", "__static__"};

/// "__nv_static_25__<hash>_4_n_cu_<hash>__Z4statPi": the number is the length of what stands before the name.
std::string_view withoutNvccPrefix(std::string_view symbol) {
  if (!symbol.starts_with(kNvccPrefix)) return symbol;
  std::string_view rest = symbol.substr(kNvccPrefix.size());
  size_t length = 0, digits = 0;
  for (; digits < rest.size() && digits < 4 && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
    length = length * 10 + static_cast<size_t>(rest[digits] - '0');
  const size_t begin = digits + 1 + length + 1;
  return digits == 0 || begin >= rest.size() ? symbol : rest.substr(begin);
}

std::string_view withoutClangSuffix(std::string_view symbol) {
  for (std::string_view suffix : kClangSuffixes)
    if (const size_t at = symbol.find(suffix); at != std::string_view::npos && at > 0) return symbol.substr(0, at);
  return symbol;
}

/// nvcc puts internal variables into a namespace of the file: "_INTERNAL_<hash>_4_n_cu_main::gstat".
std::string withoutFileNamespace(std::string name) {
  for (size_t at; (at = name.find("_INTERNAL_")) != std::string::npos;) {
    const size_t end = name.find("::", at);
    if (end == std::string::npos) break;
    name.erase(at, end + 2 - at);
  }
  return name;
}

}  // namespace

std::string sourceName(std::string_view symbol) {
  const std::string name(withoutClangSuffix(withoutNvccPrefix(symbol)));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return withoutFileNamespace(status == 0 ? demangled.get() : name);
}

}  // namespace mneme::code
