// SPDX-License-Identifier: Apache-2.0
/// clang as the CUDA compiler knows its own flags: the known ones among them are passed on.
#include <cstddef>
#include <cstdlib>
#include <regex>

#include "clang_flags.h"
#include "device_plan.h"

namespace mneme::notes {
namespace {

std::string newestArchitecture(const CompilerCommand& command) {
  static const std::regex pattern("sm_([0-9]+)([af]?)");
  std::string newest;
  int best = 0;
  for (const Argument& argument : command.arguments) {
    if (argument.option.find("arch") == std::string::npos) continue;
    for (std::sregex_iterator match(argument.value.begin(), argument.value.end(), pattern), end; match != end; ++match)
      if (const int number = std::atoi((*match)[1].str().c_str()); number >= best) {
        best = number;
        newest = match->str();
      }
  }
  return newest;
}

}  // namespace

DevicePlan planOfClang(const CompilerCommand& command) {
  return {deviceFlags(command), newestArchitecture(command), command.value("--cuda-path=")};
}

}  // namespace mneme::notes
