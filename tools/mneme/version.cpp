// SPDX-License-Identifier: Apache-2.0
/// `mneme version`: what this build is.
#include <cstdio>

#include "command.h"
#include "mneme/version.h"

namespace mneme::cli {

std::function<int()> setupVersion(CLI::App& app) {
  app.footer("Example:\n  mneme version");
  return [] {
    std::printf("mneme %s (back-ends: %s)\n", MNEME_VERSION, MNEME_BACKENDS_TEXT);
    return int{kPass};
  };
}

}  // namespace mneme::cli
