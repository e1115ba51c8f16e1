// SPDX-License-Identifier: Apache-2.0
#include "code/numeric_flags.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace mneme::code {
namespace {

struct BooleanFlag {
  std::string_view name;
  bool NumericFlags::*field;
};
constexpr std::array kNvccFlags{
    BooleanFlag{"prec-sqrt", &NumericFlags::preciseSqrt}, BooleanFlag{"prec-div", &NumericFlags::preciseDivision},
    BooleanFlag{"ftz", &NumericFlags::flushToZero}, BooleanFlag{"fmad", &NumericFlags::fuse}};

std::string_view withoutDashes(std::string_view word) {
  while (!word.empty() && word.front() == '-') word.remove_prefix(1);
  return word;
}

void setFast(NumericFlags& flags) { flags = {false, false, true, true, true}; }

/// `-ftz=true`, `--ftz true`; returns how many words it took, 0 if it is none of these.
size_t readNvccFlag(std::span<const std::string> words, NumericFlags& flags) {
  const std::string_view word = withoutDashes(words[0]);
  if (word == "use_fast_math") {
    setFast(flags);
    return 1;
  }
  for (const BooleanFlag& flag : kNvccFlags) {
    if (!word.starts_with(flag.name)) continue;
    const std::string_view rest = word.substr(flag.name.size());
    if (rest.starts_with('=')) {
      flags.*flag.field = rest == "=true";
      return 1;
    }
    if (rest.empty() && words.size() > 1) {
      flags.*flag.field = words[1] == "true";
      return 2;
    }
  }
  return 0;
}

void readClangFlag(std::string_view word, NumericFlags& flags) {
  if (word == "-ffast-math") setFast(flags);
  else if (word == "-fno-fast-math") flags.fastMath = flags.flushToZero = false, flags.preciseDivision = true;
  else if (word == "-fcuda-flush-denormals-to-zero" || word == "-fgpu-flush-denormals-to-zero") flags.flushToZero = true;
  else if (word == "-fno-cuda-flush-denormals-to-zero" || word == "-fno-gpu-flush-denormals-to-zero")
    flags.flushToZero = false;
  else if (word == "-fcuda-prec-sqrt") flags.preciseSqrt = true;
  else if (word == "-fno-cuda-prec-sqrt") flags.preciseSqrt = false;
  else if (word.starts_with("-ffp-contract=")) flags.fuse = word != "-ffp-contract=off";
}

/// The word that names the compiler; launchers (ccache, Mneme's own) stand before it.
bool compilesWithClang(std::span<const std::string> command) {
  for (const std::string& word : command) {
    if (word.starts_with("-")) break;
    const std::string name = std::filesystem::path(word).filename().string();
    if (name.find("nvcc") != std::string::npos) return false;
    if (name.find("clang") != std::string::npos || name.find("hipcc") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

NumericFlags numericFlags(std::span<const std::string> command) {
  NumericFlags flags;
  const bool clang = compilesWithClang(command);
  flags.preciseSqrt = !clang;
  for (size_t i = 0; i < command.size();) {
    size_t taken = 1;
    if (clang) readClangFlag(command[i], flags);
    else if (command[i].starts_with("-")) taken = std::max<size_t>(1, readNvccFlag(command.subspan(i), flags));
    i += taken;
  }
  return flags;
}

}  // namespace mneme::code
