// SPDX-License-Identifier: Apache-2.0
#include "code/code_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "code/code_module_abi.h"

namespace mneme::code {
namespace {

/// Beside the real program, whatever it was started as.
std::filesystem::path modulePath() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return program.parent_path().parent_path() / "libexec" / "mneme" / kModuleFile;
}

Expected<GenerateFunction> load() {
  const auto path = modulePath();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return Error{ErrorCode::Unavailable, std::string("code generation is not in this install: ") + ::dlerror()};
  const auto build = reinterpret_cast<const char* (*)()>(::dlsym(library, kBuildSymbol));
  const auto function = reinterpret_cast<GenerateFunction>(::dlsym(library, kGenerateSymbol));
  if (!build || !function || std::string_view(build()) != kBuild)
    return Error{ErrorCode::Unavailable, path.string() + " is of another build of Mneme"};
  return function;
}

}  // namespace

Expected<GeneratedCode> generateInModule(const GenerateInput& input) {
  static const Expected<GenerateFunction> function = load();
  if (!function) return Error(function.error());
  std::optional<Expected<GeneratedCode>> answer;
  (*function)(input, answer);
  return std::move(*answer);
}

}  // namespace mneme::code
