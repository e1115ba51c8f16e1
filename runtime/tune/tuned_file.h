// SPDX-License-Identifier: Apache-2.0
/// tuned.json: what tunings found, one entry a kernel, device and problem. Reviewed by people and read by CMake, so its
/// order is stable and it is written only if it says something else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "tune/candidate.h"

namespace mneme::tune {

struct TunedEntry {
  std::string kernel, demangled, name;     ///< mangled; for people; short, as headers are called
  std::string layout;                      ///< hash of the parameters' offsets and sizes
  std::string backend, device, driver, compiler;
  std::string problem;                     ///< "grid 16x32x1, block 32x8x1": the recorded launch
  std::string context;                     ///< what was searched: code, space
  Configuration configuration;             ///< empty: nothing was better than the default
  Candidate candidate;
  double defaultNanoseconds = 0, nanoseconds = 0, gain = 1, low = 1, high = 1;  ///< gain: default over tuned, 95 % interval
  std::string verified;                    ///< how
  size_t trials = 0;
};

/// None if there is no file.
[[nodiscard]] Expected<std::vector<TunedEntry>> readTuned(const std::filesystem::path& path);
/// Replaces the entry of the same kernel, device and problem; whether the file changed.
[[nodiscard]] Expected<bool> writeTuned(const std::filesystem::path& path, const TunedEntry& entry);

}  // namespace mneme::tune
