// SPDX-License-Identifier: Apache-2.0
/// Reads the commands that nvcc would run. Of each architecture there are two: the preprocessor
/// (`gcc … -D__CUDA_ARCH__=900 … -E …`) and the device compiler (`cicc … -ftz=1 …`).
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "device_plan.h"

namespace mneme::notes {
namespace {

namespace fs = std::filesystem;

/// Macros that clang defines itself or that would make headers take clang for nvcc.
constexpr auto kOwnMacros = std::to_array<std::string_view>({
    "__CUDA_ARCH__", "__CUDACC__", "__NVCC__", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__", "__CUDACC_VER_BUILD__",
    "__NVCC_DIAG_PRAGMA_SUPPORT__", "__CUDACC_DEVICE_ATOMIC_BUILTINS__", "CUDA_DOUBLE_MATH_FUNCTIONS"});

/// Options of the host compiler's preprocessor that mean the same to clang's device side.
constexpr auto kKept = std::to_array<std::string_view>({"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include",
                                                        "-imacros", "-std=", "-std"});
constexpr auto kKeptWords = std::to_array<std::string_view>({
    "-funsigned-char", "-fsigned-char", "-fms-extensions", "-fchar8_t", "-fno-char8_t", "-fno-exceptions", "-fno-rtti"});

struct Stage {
  Words preprocessor, compiler;
  int number = 0;       ///< 900
  std::string variant;  ///< "a", "f" or nothing
};

template <size_t N>
bool isAny(std::string_view word, const std::array<std::string_view, N>& table) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

bool has(const Words& words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// What follows the prefix in the first word that has it.
std::optional<std::string> valueOf(const Words& words, std::string_view prefix) {
  for (const std::string& word : words)
    if (word.starts_with(prefix)) return word.substr(prefix.size());
  return std::nullopt;
}

bool isDeviceCompiler(const Words& words) { return words.front().ends_with("cicc") && words.size() > 1; }

/// "a" for code of this architecture alone, "f" for its family.
std::string variantOf(const Words& preprocessor) {
  if (valueOf(preprocessor, "-D__CUDA_ARCH_SPECIFIC__=") || valueOf(preprocessor, "-D__CUDA_ARCH_FEAT_SM")) return "a";
  return valueOf(preprocessor, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=") ? "f" : "";
}

/// The stages of the newest architecture.
Stage newestStage(const std::vector<Words>& commands) {
  Stage newest;
  bool current = false;  // the last preprocessor seen is the newest one's
  for (const Words& words : commands) {
    const auto number = has(words, "-E") ? valueOf(words, "-D__CUDA_ARCH__=") : std::nullopt;
    if (number) {
      const int value = std::atoi(number->c_str());
      current = value > newest.number || (value == newest.number && newest.variant.empty());
      if (current) newest = {words, {}, value, variantOf(words)};
    } else if (current && isDeviceCompiler(words)) {
      newest.compiler = words;
      current = false;
    }
  }
  return newest;
}

/// A path with "bin/.." and links resolved, if it is there.
std::string resolved(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  return failed ? path : real.string();
}

bool isOwnMacro(const Argument& argument) {
  if (argument.option != "-D") return false;
  const std::string name = argument.value.substr(0, argument.value.find('='));
  return isAny(name, kOwnMacros) || name.starts_with("__CUDA_ARCH_FEAT_SM") || name.starts_with("__CUDA_API_VER_");
}

/// The toolkit's own folder stands where clang puts it: behind clang's wrappers of its headers.
bool isToolkitsInclude(const Argument& argument, const std::string& toolkit) {
  return argument.option == "-I" && !toolkit.empty() &&
         (resolved(argument.value) == resolved(toolkit + "/include") ||
          resolved(argument.value) == resolved(toolkit + "/targets/x86_64-linux/include"));
}

void addPreprocessor(const Stage& stage, const std::string& toolkit, Words& flags) {
  const auto parsed = parseCommand(stage.preprocessor, stage.preprocessor.front());
  if (!parsed) return;
  for (const Argument& argument : parsed->arguments) {
    const bool kept = isAny(argument.option, kKept) && !isOwnMacro(argument) && !isToolkitsInclude(argument, toolkit);
    if (argument.option == "-include" && argument.value == "cuda_runtime.h") continue;
    if (kept && argument.option == "-D") flags.push_back("-D" + argument.value);
    else if (kept || isAny(argument.option, kKeptWords)) append(flags, argument.words);
    if (argument.option == "-fopenmp") flags.push_back("-D_OPENMP=201511");
    if (argument.option == "-pthread") flags.push_back("-D_REENTRANT");
  }
}

void addCompiler(const Stage& stage, Words& flags) {
  if (const auto standard = valueOf(stage.compiler, "--c++"); standard && !valueOf(flags, "-std="))
    flags.push_back("-std=gnu++" + *standard);
  if (has(stage.compiler, "-ftz=1")) flags.push_back("-fgpu-flush-denormals-to-zero");
  if (has(stage.compiler, "-fast-math")) flags.push_back("-fgpu-approx-transcendentals");
  if (has(stage.compiler, "-fmad=0")) flags.push_back("-ffp-contract=off");
}

std::vector<Words> plannedCommands(const std::string& output) {
  std::vector<Words> commands;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#$ ")) continue;
    Words words = splitQuoted(line.substr(3));
    if (!words.empty()) commands.push_back(std::move(words));
  }
  return commands;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Expected<DevicePlan> planFromDryRun(const std::string& output) {
  const std::vector<Words> commands = plannedCommands(output);
  const Stage stage = newestStage(commands);
  if (stage.number == 0) return Error(ErrorCode::Unavailable, "nvcc --dryrun names no device compile");
  DevicePlan plan;
  plan.architecture = "sm_" + std::to_string(stage.number / 10) + stage.variant;
  for (const Words& words : commands)
    if (words.size() == 1 && words[0].starts_with("TOP=")) plan.toolkit = resolved(words[0].substr(4));
  addPreprocessor(stage, plan.toolkit, plan.flags);
  addCompiler(stage, plan.flags);
  return plan;
}

Expected<DevicePlan> planOfNvcc(const CompilerCommand& command) {
  const size_t arguments = command.launcher.size() + 1;
  Words words{command.compiler, "--dryrun"};
  append(words, Words(command.words.begin() + static_cast<ptrdiff_t>(arguments), command.words.end()));
  const auto ran = runCaptured(words);
  if (!ran) return ran.error();
  if (ran->exitCode != 0) return Error(ErrorCode::Unavailable, "nvcc --dryrun: " + firstLine(ran->output));
  return planFromDryRun(ran->output);
}

}  // namespace mneme::notes
