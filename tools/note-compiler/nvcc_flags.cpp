// SPDX-License-Identifier: Apache-2.0
/// nvcc's spellings of what clang's device side needs.
#include <algorithm>
#include <cstddef>
#include <map>
#include <regex>

#include "clang_flags.h"

namespace mneme::notes {
namespace {

/// Options with a value that clang spells as the second column, value as a word of its own.
const std::map<std::string, std::string>& spellings() {
  static const std::map<std::string, std::string> table{
      {"-I", "-I"},           {"--include-path", "-I"},   {"-isystem", "-isystem"},    {"-isystem=", "-isystem"},
      {"-D", "-D"},           {"--define-macro", "-D"},   {"--system-include", "-isystem"},
      {"-U", "-U"},           {"--undefine-macro", "-U"}, {"-include", "-include"},    {"--pre-include", "-include"},
      {"-iquote", "-iquote"}, {"-idirafter", "-idirafter"}};
  return table;
}

bool isXcompiler(const std::string& option) {
  return option.starts_with("-Xcompiler") || option.starts_with("--compiler-options");
}

Words splitCommas(const std::string& text) {
  Words words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

void addArithmetic(const Argument& argument, Words& flags) {
  const std::string& option = argument.option;
  const bool off = argument.value == "false", on = argument.value == "true";
  if (option == "-use_fast_math" || option == "--use_fast_math")
    flags.insert(flags.end(), {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals"});
  if (off && option.ends_with("fmad=")) flags.push_back("-ffp-contract=off");
  if (on && option.ends_with("ftz=")) flags.push_back("-fgpu-flush-denormals-to-zero");
}

}  // namespace

Words deviceFlagsOfNvcc(const CompilerCommand& command) {
  Words flags, passedOn;
  for (const Argument& argument : command.arguments) {
    const auto spelling = spellings().find(argument.option);
    if (spelling != spellings().end()) flags.insert(flags.end(), {spelling->second, argument.value});
    if (argument.option.starts_with("-std") || argument.option.starts_with("--std"))
      flags.push_back("-std=" + argument.value);
    if (isXcompiler(argument.option)) {
      const Words words = splitCommas(argument.value);
      passedOn.insert(passedOn.end(), words.begin(), words.end());
    }
    addArithmetic(argument, flags);
  }
  if (passedOn.empty()) return flags;
  passedOn.insert(passedOn.begin(), "host-compiler");
  const auto inner = parseCommand(passedOn, "host-compiler");
  if (!inner) return flags;
  for (const Argument& argument : inner->arguments)
    if (const auto spelling = spellings().find(argument.option); spelling != spellings().end())
      flags.insert(flags.end(), {spelling->second, argument.value});
  return flags;
}

std::string newestArchitecture(const CompilerCommand& command) {
  static const std::regex pattern("(?:sm|compute)_([0-9]+)([af]?)");
  std::string newest;
  int best = 0;
  for (const Argument& argument : command.arguments) {
    const bool names = argument.option.find("arch") != std::string::npos ||
                       argument.option.find("gencode") != std::string::npos ||
                       argument.option.find("code") != std::string::npos;
    if (!names) continue;
    for (std::sregex_iterator match(argument.value.begin(), argument.value.end(), pattern), end; match != end; ++match)
      if (const int number = std::atoi((*match)[1].str().c_str()); number >= best) {
        best = number;
        newest = "sm_" + (*match)[1].str() + (*match)[2].str();
      }
  }
  return newest;
}

}  // namespace mneme::notes
