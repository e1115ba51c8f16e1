// SPDX-License-Identifier: Apache-2.0
/// Times kept in a file for `mneme gate --baseline TIMES.json`. They hold for one device model, driver and compiler, and are
/// refused by name anywhere else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

struct TimesOrigin {
  std::string device, driver, compiler;
};

struct StoredTimes {
  std::string cache;
  unsigned batch = 1;
  std::vector<double> medians;  ///< nanoseconds of one launch, one a process
};

/// Adds or replaces one recording's times. Mismatch if the file's others are of another origin.
[[nodiscard]] Expected<void> storeTimes(const std::filesystem::path& file, const std::string& recording,
                                        const TimesOrigin& origin, const StoredTimes& times);

/// Mismatch, naming the difference, for times of another origin; NotFound for a recording (or a file) that is not there.
[[nodiscard]] Expected<StoredTimes> loadTimes(const std::filesystem::path& file, const std::string& recording,
                                              const TimesOrigin& origin);

}  // namespace mneme::cli
