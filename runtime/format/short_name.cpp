// SPDX-License-Identifier: Apache-2.0
/// Names of files and tests from C++ names: namespaces, return types and parameters go, template arguments stay.
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "format/manifest.h"

namespace mneme::format {
namespace {

constexpr size_t kMaxShortName = 48;

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool opens(char c) { return c == '(' || c == '<' || c == '{' || c == '['; }
bool closes(char c) { return c == ')' || c == '>' || c == '}' || c == ']'; }

/// Takes "(anonymous namespace)" and operator names out of the way of the bracket counting below.
std::string simplify(std::string_view demangled) {
  static constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
      {"(anonymous namespace)::", ""}, {"operator()", "call"}, {"operator<<", "shl"}, {"operator>>", "shr"},
      {"operator->", "arrow"}, {"operator<", "lt"}, {"operator>", "gt"}, {"'lambda", "{lambda"}, {"'()", "}()"}, {"unsigned ", "u"}, {"long long", "llong"}, {" const", ""}};
  std::string out(demangled);
  for (const auto& [from, to] : kReplacements)
    for (size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size()) out.replace(at, from.size(), to);
  return out;
}

/// The parameter list is the last "(" outside every other bracket; without one the name is all there is.
std::string_view withoutParameters(std::string_view name) {
  int depth = 0;
  size_t end = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name[i] == '(' && i > 0) end = i;
    if (opens(name[i])) ++depth;
    if (closes(name[i])) --depth;
  }
  return name.substr(0, end);
}

/// Cuts the return type and every enclosing scope, except that the scope of a lambda says which one it is.
std::string_view lastComponent(std::string_view name) {
  int depth = 0;
  size_t begin = 0, previous = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (opens(name[i])) ++depth;
    if (closes(name[i])) --depth;
    if (depth != 0) continue;
    if (name[i] == ' ') begin = previous = i + 1;
    if (name[i] == ':' && i + 1 < name.size() && name[i + 1] == ':') {
      previous = begin;
      begin = i + 2;
    }
  }
  bool lambda = name.substr(previous, begin - previous).starts_with("{lambda");
  return name.substr(lambda ? previous : begin);
}

/// Inside template arguments only the last part of a qualified type is kept: "std::vector" reads "vector".
std::string withoutQualifiers(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    bool scope = name[i] == ':' && i + 1 < name.size() && name[i + 1] == ':';
    if (!scope) {
      out += name[i];
      continue;
    }
    while (!out.empty() && isWord(out.back())) out.pop_back();
    ++i;
  }
  return out;
}

/// Runs of other characters become one '_'; none at the ends.
std::string wordsOnly(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == '*') out += "_p";
    else if (isWord(c) && !(c == '_' && out.ends_with('_'))) out += c;
    else if (!out.empty() && !out.ends_with('_')) out += '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

}  // namespace

std::string demangle(const std::string& mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

bool isShortName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxShortName && std::all_of(name.begin(), name.end(), isWord);
}

std::string shortNameOf(std::string_view demangled) {
  auto simple = simplify(demangled);
  auto name = wordsOnly(withoutQualifiers(lastComponent(withoutParameters(simple))));
  if (name.size() > kMaxShortName) name = wordsOnly(std::string_view(name).substr(0, kMaxShortName));
  return name.empty() ? "kernel" : name;
}

}  // namespace mneme::format
