// SPDX-License-Identifier: Apache-2.0
/// A program that is linked with the recorder starts it by itself where MNEME_RECORD is set: the driver is told to load this
/// library as `mneme record` tells it. In the library's constructor, which runs before the program can call the driver.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/log.h"

namespace mneme::preload {
namespace {

constexpr const char* kVariable = "CUDA_INJECTION64_PATH";

std::string ownPath() {
  static const char inHere = 0;
  Dl_info info{};
  if (!dladdr(&inHere, &info) || !info.dli_fname) return {};
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(info.dli_fname, failed);
  return failed ? std::string(info.dli_fname) : absolute.string();
}

__attribute__((constructor)) void askDriverToLoad() noexcept {
  const char* set = std::getenv("MNEME_RECORD");
  if (!set || !*set) return;
  const std::string own = ownPath();
  const char* other = std::getenv(kVariable);
  if (!other || !*other) {
    if (!own.empty()) setenv(kVariable, own.c_str(), 1);
    return;
  }
  if (std::filesystem::path(other).filename() != std::filesystem::path(own).filename())
    logOnce(LogLevel::Warn, std::string(kVariable) + " is " + other +
                                " already, so CUDA launches are not recorded; unset it for that");
}

}  // namespace
}  // namespace mneme::preload
