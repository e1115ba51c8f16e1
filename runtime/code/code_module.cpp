// SPDX-License-Identifier: Apache-2.0
#include "code/code_module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "code/code_module_abi.h"

namespace mneme::code {
namespace {

/// Beside the real program if that is a helper, else in libexec/ beside the program's bin/.
std::filesystem::path modulePath() {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (std::filesystem::exists(folder / kModuleFile, failed)) return folder / kModuleFile;
  return folder.parent_path() / "libexec" / "mneme" / kModuleFile;
}

Expected<void*> load() {
  const auto path = modulePath();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return Error{ErrorCode::Unavailable, std::string("code generation is not in this install: ") + ::dlerror()};
  const auto build = reinterpret_cast<const char* (*)()>(::dlsym(library, kBuildSymbol));
  if (!build || std::string_view(build()) != kBuild)
    return Error{ErrorCode::Unavailable, path.string() + " is of another build of Mneme"};
  return library;
}

/// The library is loaded once.
template <typename Function>
Expected<Function> entryPoint(const char* symbol) {
  static const Expected<void*> library = load();
  if (!library) return library.error();
  const auto function = reinterpret_cast<Function>(::dlsym(*library, symbol));
  if (!function) return Error{ErrorCode::Unavailable, modulePath().string() + " is of another build of Mneme"};
  return function;
}

}  // namespace

Expected<GeneratedCode> generateInModule(const GenerateInput& input) {
  const auto function = entryPoint<GenerateFunction>(kGenerateSymbol);
  if (!function) return function.error();
  std::optional<Expected<GeneratedCode>> answer;
  (*function)(input, answer);
  return std::move(*answer);
}

Expected<void> acceptedInModule(const BitcodeModule& module, const std::string& architecture) {
  const auto function = entryPoint<AcceptFunction>(kAcceptSymbol);
  if (!function) return function.error();
  std::optional<Expected<void>> answer;
  (*function)(module, architecture, answer);
  return std::move(*answer);
}

}  // namespace mneme::code
