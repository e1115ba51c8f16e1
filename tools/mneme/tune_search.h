// SPDX-License-Identifier: Apache-2.0
/// One recording tuned on a device: the default first, then what the strategy asks for, then the finalists against the
/// default, interleaved. Every trial is in the store before the next one starts, so that a run can be broken off.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

struct TuneJob {
  std::filesystem::path manifest;
  std::string space, strategy = "auto", device = "auto", code = "recorded", as, launcher, output;
  std::vector<std::string> tolerances;
  size_t evaluations = 0;   ///< 0: no limit but the time
  double seconds = 0;       ///< 0: no limit but the evaluations
  uint64_t seed = 1;
  unsigned trialSeconds = 30;
  bool quiet = false;
};

/// What a tuning came to. `lines` are for people.
struct TuneReport {
  int exitCode = 0;
  std::vector<std::string> lines;
  nlohmann::json data;
};

/// Set by Ctrl-C: the search ends after the trial under way.
extern std::atomic<bool> tuneStopped;

[[nodiscard]] TuneReport tuneOne(const TuneJob& job);

}  // namespace mneme::cli
