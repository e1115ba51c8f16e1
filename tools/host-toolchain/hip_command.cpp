// SPDX-License-Identifier: Apache-2.0
/// The options of clang that are about HIP; all others are g++'s and clang's alike.
#include "hip_command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>

#include "note-compiler/compiler_command.h"
#include "place.h"

namespace mneme::host_toolchain {
namespace {

using notes::append;
using notes::Argument;

using Action = std::function<void(NvccCommand&, const Argument&)>;

Action step(Step what) {
  return [what](NvccCommand& command, const Argument&) { command.step = what; };
}
void toFlags(NvccCommand& command, const Argument& argument) { append(command.flags, argument.words); }
void toLink(NvccCommand& command, const Argument& argument) { append(command.linkFlags, argument.words); }
void toDependencies(NvccCommand& command, const Argument& argument) { append(command.dependencies, argument.words); }
void toBoth(NvccCommand& command, const Argument& argument) {
  toFlags(command, argument);
  toLink(command, argument);
}
void ignored(NvccCommand&, const Argument&) {}

/// clang's own libraries are linked by the host compiler where they are needed at all.
void library(NvccCommand& command, const Argument& argument) {
  if (argument.value != "amdhip64" && argument.value != "hip_hcc") toLink(command, argument);
}

const std::map<std::string, Action>& actions() {
  static const std::map<std::string, Action> table = [] {
    std::map<std::string, Action> t;
    const auto put = [&](std::initializer_list<const char*> names, const Action& action) {
      for (const char* name : names) t[name] = action;
    };
    put({"-c"}, step(Step::Compile));
    put({"-E"}, step(Step::Preprocess));
    put({"--help"}, step(Step::Help));
    put({"-M", "-MM"}, [](NvccCommand& c, const Argument& a) { c.step = Step::Dependencies, toDependencies(c, a); });
    put({"-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ"}, toDependencies);
    put({"-o"}, [](NvccCommand& c, const Argument& a) { c.output = a.value; });
    put({"-x"}, [](NvccCommand& c, const Argument& a) { c.allAreCuda = a.value == "hip" || a.value == "cuda"; });
    put({"-v"}, [](NvccCommand& c, const Argument& a) { c.verbose = true, toLink(c, a); });
    put({"-###"}, [](NvccCommand& c, const Argument&) { c.verbose = c.dryRun = true; });
    put({"-fgpu-rdc"}, [](NvccCommand& c, const Argument&) { c.relocatable = true; });
    put({"-fno-gpu-rdc"}, [](NvccCommand& c, const Argument&) { c.relocatable = false; });
    put({"--mneme-no-notes"}, [](NvccCommand& c, const Argument&) { c.notes = false; });
    put({"-L", "-T", "-B", "-Xlinker", "-shared", "-static", "-rdynamic", "-s", "-pie", "-no-pie", "-static-libgcc", "-static-libstdc++",
         "-nostdlib", "-nostartfiles"},
        toLink);
    put({"-l"}, library);
    put({"-pthread", "-fopenmp", "--coverage"}, toBoth);
    put({"--hip-link", "--offload-arch=", "--cuda-gpu-arch=", "--cuda-host-only", "--cuda-device-only", "--offload-host-only",
         "--offload-device-only", "-nogpulib", "-nogpuinc", "-Xarch_device", "-mllvm", "-target", "-munsafe-fp-atomics", "-mcumode",
         "-mno-cumode", "-mwavefrontsize64", "-mno-wavefrontsize64", "-fhip-new-launch-api", "--offload-new-driver",
         "--no-offload-new-driver", "-fgpu-default-stream", "-amdgpu-target", "-save-temps"},
        ignored);
    return t;
  }();
  return table;
}

/// With a value behind '=' that is about an AMD GPU or where ROCm is.
constexpr std::array<std::string_view, 14> kIgnored = {
    "--rocm-path=", "--hip-path=", "--rocm-device-lib-path=", "--hip-device-lib-path=", "--hip-version=", "--hip-device-lib=",
    "--amdgpu-target=", "--no-offload-arch=", "--gpu-max-threads-per-block=", "-mcode-object-version=", "-parallel-jobs=",
    "--rtlib=", "-unwindlib=", "-fgpu-default-stream="};

bool isIgnored(const std::string& word) {
  return std::any_of(kIgnored.begin(), kIgnored.end(), [&](std::string_view start) { return word.starts_with(start); });
}

bool isLibrary(const std::string& path) {
  return path.ends_with(".a") || path.ends_with(".so") || path.find(".so.") != std::string::npos;
}

void takeOther(NvccCommand& command, const Argument& argument) {
  const std::string& word = argument.words.front();
  if (isIgnored(word)) return;
  if (word.starts_with("-Wl,") || word.starts_with("-fuse-ld=")) return toLink(command, argument);
  word.starts_with("-fsanitize=") ? toBoth(command, argument) : toFlags(command, argument);
}

void take(NvccCommand& command, const Argument& argument) {
  if (argument.option.empty()) {
    (isLibrary(argument.value) ? command.linkFlags : command.inputs).push_back(argument.value);
  } else if (const auto found = actions().find(argument.option); found != actions().end()) {
    found->second(command, argument);
  } else {
    takeOther(command, argument);
  }
}

}  // namespace

bool isHipName(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name == "clang++" || name == "amdclang++" || name == "hipcc";
}

Expected<NvccCommand> parseHip(const Words& words) {
  const auto expanded = notes::parseCommand(words, words.front());
  if (!expanded) return expanded.error();
  NvccCommand command;
  command.words = words;
  command.hip = true;
  command.allAreCuda = std::filesystem::path(words.front()).filename() == "hipcc";
  for (const Argument& argument : expanded->arguments) take(command, argument);
  return command;
}

bool asksClang(const Words& words) {
  return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
    return word == "--version" || word == "-dumpversion" || word == "-dumpmachine" || word.starts_with("-print-") || word.starts_with("--print-");
  });
}

void showHipPlace() { std::fprintf(stderr, "Found HIP installation: %s, version 6.0.0\n", ownPlace(true).root.c_str()); }

}  // namespace mneme::host_toolchain
