// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <cstdlib>

namespace mneme {

std::filesystem::path cacheFolder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::filesystem::path(text ? text : "");
  };
  if (const auto own = value("MNEME_CACHE_DIR"); !own.empty()) return own;
  if (const auto shared = value("XDG_CACHE_HOME"); !shared.empty()) return shared / "mneme";
  const auto home = value("HOME");
  return home.empty() ? std::filesystem::path() : home / ".cache" / "mneme";
}

}  // namespace mneme
