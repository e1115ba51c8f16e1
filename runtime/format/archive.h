// SPDX-License-Identifier: Apache-2.0
/// Recordings as one file, to send: a pack that holds the manifests and the code too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/tolerance.h"

namespace mneme::format {

struct ExportOptions {
  bool redact = false;  ///< floating-point regions become noise of the same shape
};

struct Exported {
  uint64_t recordings = 0, bytes = 0;
  uint64_t tolerances = 0;      ///< entries of tolerance.json for their kernels
  uint64_t redactedRegions = 0;
  uint64_t untypedRegions = 0;  ///< with `redact`: regions of unknown or integer type, exported as they are
};

/// Writes a new file; it appears whole or not at all. Refuses to replace one, and two recordings of one name. A recording that
/// is named twice is exported once. Its kernel's tolerances go with it.
[[nodiscard]] Expected<Exported> exportRecordings(std::span<const std::filesystem::path> manifests,
                                                  const std::filesystem::path& file, const ExportOptions& options);

struct Imported {
  std::vector<std::filesystem::path> manifests;
  uint64_t replaced = 0;
};

/// Puts an exported file's recordings into a set, checked; recordings of the same identity are replaced. Its tolerances are
/// added to the set's; where they contradict, `tolerances` decides, and with Refuse nothing is imported.
[[nodiscard]] Expected<Imported> importRecordings(const std::filesystem::path& file, const std::filesystem::path& set,
                                                  OnConflict tolerances = OnConflict::Refuse);

}  // namespace mneme::format
