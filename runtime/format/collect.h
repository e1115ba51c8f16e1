// SPDX-License-Identifier: Apache-2.0
/// Keeps a set whole and small: checks every hash, removes recordings, gives space back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::format {

/// Reads everything a recording refers to and checks it: manifest, tables, chunks, code.
[[nodiscard]] Expected<void> verifyRecording(const std::filesystem::path& manifest, unsigned threads);

/// Removes manifests and the packs that only they used; the bytes freed. Code stays until collectGarbage.
/// InvalidArgument, and nothing removed, if one of the paths is not a recording.
[[nodiscard]] Expected<uint64_t> removeRecordings(std::span<const std::filesystem::path> manifests);

struct Collected {
  uint64_t bytesBefore = 0, bytesAfter = 0;  ///< of packs and code
  uint64_t packsRemoved = 0, codeRemoved = 0, temporariesRemoved = 0;
  uint64_t packsInUse = 0;                  ///< being written, or locked by another collector: left alone
  std::vector<std::string> leftAlone;       ///< broken recordings: why; what they may use is kept
};

/// Moves what the recordings use into one pack, each content once, and removes every other pack, code that no recording
/// refers to, and temporary files. Safe while others write: what they hold is left alone.
[[nodiscard]] Expected<Collected> collectGarbage(const std::filesystem::path& set);

}  // namespace mneme::format
