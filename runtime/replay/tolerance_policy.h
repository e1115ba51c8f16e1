// SPDX-License-Identifier: Apache-2.0
/// Decides what each region's elements are and how far they may be off: flag > tolerance.json > annotation > default.
/// The default is exact where the recording proved that it repeats here, else a stated one.
#pragma once

#include <string>
#include <vector>

#include "format/manifest.h"
#include "format/tolerance.h"
#include "replay/compare.h"

namespace mneme::replay {

/// What the default depends on, and who overrides it.
struct PolicyInputs {
  std::string model;            ///< of the device that replays
  CodeKind kind = CodeKind::Llvm;
  std::string compiler;         ///< of the code under test; empty if unknown
  std::vector<format::Tolerance> flags;
  const format::ToleranceFile* file = nullptr;
  bool exact = false;           ///< ignore every tolerance and the self-check: this replay is the self-check
};

struct Policy {
  std::vector<RegionRule> rules;  ///< by region
  std::string text;               ///< "exactly", "within rtol=1e-05 (default across devices)"
  std::string undecidable;        ///< not empty: why no verdict is possible without a tolerance given by a person
};

/// The element type of every region: an annotation's, else the manifest's.
[[nodiscard]] std::vector<ElementType> elementTypes(const format::Manifest& manifest);

[[nodiscard]] Policy choosePolicy(const format::Manifest& manifest, const PolicyInputs& inputs);

}  // namespace mneme::replay
