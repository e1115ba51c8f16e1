// SPDX-License-Identifier: Apache-2.0
/// What the recorder in the program reported: one JSON line an event in the file that MNEME_RECORD_REPORT names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

struct RecordEvents {
  std::vector<std::filesystem::path> added, replaced;  ///< manifests, each once
  /// Why launches were not recorded: "kernel: reason" and how often.
  std::map<std::string, uint64_t> missed;
  /// Kernels are demangled.
  std::set<std::string> selectable, others;  ///< kernels that were launched, by whether any launch of theirs could be selected
  std::set<std::string> otherRanks;          ///< "rank 3": processes that record nothing
  /// Launches whose memory was captured, and of which nothing more was heard, by kernel.
  std::map<std::string, int64_t> lost;
  [[nodiscard]] std::vector<std::filesystem::path> recorded() const;
};

/// Lines that a killed program left unfinished are passed over.
[[nodiscard]] Expected<RecordEvents> readRecordEvents(const std::filesystem::path& report);

}  // namespace mneme::cli
