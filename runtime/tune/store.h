// SPDX-License-Identifier: Apache-2.0
/// What was tried, in the recording set: tuning/<recording>.jsonl, one line a trial, only ever appended to. A line that was
/// cut off by a crash is passed over; two branches' files merge by lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "tune/candidate.h"

namespace mneme::tune {

struct StoredTrial {
  std::string context;   ///< what the result holds for: see contextOf()
  std::string device, at;
  Configuration configuration;
  Candidate candidate;
  TrialResult result;
};

/// The file of a recording, by its manifest's path.
[[nodiscard]] std::filesystem::path storePath(const std::filesystem::path& manifest);
/// None if there is no file yet.
[[nodiscard]] Expected<std::vector<StoredTrial>> readStore(const std::filesystem::path& path);
/// One write of one line.
[[nodiscard]] Expected<void> appendTrial(const std::filesystem::path& path, const StoredTrial& trial);

}  // namespace mneme::tune
