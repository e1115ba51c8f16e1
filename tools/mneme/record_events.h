// SPDX-License-Identifier: Apache-2.0
/// What the recorder in the program reported: one JSON line an event in the file that MNEME_RECORD_REPORT names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::cli {

struct RecordEvents {
  std::vector<std::filesystem::path> added, replaced;  ///< manifests, each once
  /// Why launches were not recorded: "kernel: reason" and how often.
  std::map<std::string, uint64_t> missed;
  [[nodiscard]] std::vector<std::filesystem::path> recorded() const;
};

/// Lines that a killed program left unfinished are passed over.
[[nodiscard]] Expected<RecordEvents> readRecordEvents(const std::filesystem::path& report);

}  // namespace mneme::cli
