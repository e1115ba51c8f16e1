// SPDX-License-Identifier: Apache-2.0
/// The device side takes a list of known options; the host side takes all but known ones.
#include "clang_flags.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include "base/log.h"

namespace mneme::notes {
namespace {

constexpr std::array<std::string_view, 15> kDeviceOptions = {
    "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot", "-std=",
    "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-std"};

constexpr std::array<std::string_view, 26> kDevicePrefixes = {
    "-ffast-math", "-fno-fast-math", "-fmath-errno", "-fno-math-errno", "-funsafe-math", "-fno-unsafe-math",
    "-fassociative-math", "-freciprocal-math", "-fsigned-zeros", "-fno-signed-zeros", "-ftrapping-math",
    "-fno-trapping-math", "-ffinite-math-only", "-fno-finite-math", "-ffp-contract=", "-fsigned-char",
    "-funsigned-char", "-fwrapv", "-fno-strict-aliasing", "-ftemplate-depth", "-fconstexpr-", "-fms-extensions",
    "-fchar8_t", "-fno-char8_t", "-fcuda-", "-fgpu-"};

/// Instrumentation and link-time optimisation: made for one compiler's own libraries and linker plug-in.
constexpr std::array<std::string_view, 5> kForeign = {"-fsanitize", "-fno-sanitize", "--coverage", "-fprofile",
                                                      "-ftest-coverage"};
constexpr std::array<std::string_view, 4> kLinkTime = {"-flto", "-fno-lto", "-ffat-lto", "-fno-fat-lto"};

/// Options with which the host side is built anew.
constexpr std::array<std::string_view, 3> kReplaced = {"-x", "-c", "-o"};

template <size_t N>
bool startsWithAny(std::string_view word, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return word.starts_with(p); });
}

template <size_t N>
bool isAny(std::string_view word, const std::array<std::string_view, N>& table) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

bool goesToHost(const Argument& argument, const Options& options) {
  const std::string& option = argument.option;
  if (option.empty() || isAny(option, kReplaced) || startsWithAny(option, kLinkTime)) return false;
  if (options.compilerIsClang) return true;
  return !startsWithAny(option, kForeign) && option != "-fopenmp";
}

/// "clang: error: unknown argument: '-fwhat'", also "…; did you mean …".
std::set<std::string> refusedIn(const std::string& output) {
  std::set<std::string> refused;
  for (const std::string_view marker : {"unknown argument: '", "unknown argument '", "unsupported option '"})
    for (size_t at = output.find(marker); at != std::string::npos; at = output.find(marker, at + 1)) {
      const size_t begin = at + marker.size();
      refused.insert(output.substr(begin, output.find('\'', begin) - begin));
    }
  return refused;
}

/// Asking costs a process, so only commands with code-generation options ask.
bool worthAsking(const Words& flags) {
  static const std::set<std::string> known{"-fPIC", "-fPIE", "-fpic", "-fpie", "-fvisibility=hidden",
                                           "-fvisibility-inlines-hidden", "-fvisibility=default"};
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return (flag.starts_with("-f") || flag.starts_with("-m") || flag.starts_with("--")) && !known.count(flag);
  });
}

}  // namespace

Words deviceFlags(const CompilerCommand& command) {
  Words flags;
  for (const Argument& argument : command.arguments) {
    if (isAny(argument.option, kDeviceOptions) || startsWithAny(argument.option, kDevicePrefixes))
      append(flags, argument.words);
    if (argument.option == "-Ofast") flags.push_back("-ffast-math");
  }
  return flags;
}

Expected<Words> hostFlags(const CompilerCommand& command, const Options& options) {
  Words flags;
  for (const Argument& argument : command.arguments) {
    if (goesToHost(argument, options)) append(flags, argument.words);
    else if (argument.option == "-fopenmp")
      log(LogLevel::Warn, command.inputs().front() + ": OpenMP pragmas of its host code are ignored (clang would need "
                                                     "another OpenMP library than the rest of the program)");
  }
  if (!worthAsking(flags)) return flags;
  Words question{options.clang, "-###", "-fsyntax-only", "-x", "c++", "/dev/null"};
  append(question, flags);
  const auto answer = runCaptured(question);
  if (!answer) return answer.error();
  const auto refused = refusedIn(answer->output);
  std::erase_if(flags, [&](const std::string& flag) { return refused.count(flag) > 0; });
  return flags;
}

}  // namespace mneme::notes
