// SPDX-License-Identifier: Apache-2.0
/// What a bug report needs, as one file: what `mneme doctor` found, versions, and a recording.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "doctor_checks.h"

namespace mneme::cli {

struct BundleRequest {
  std::filesystem::path recording;  ///< a manifest; empty: none
  std::filesystem::path output;
  bool redact = false;  ///< as of `mneme export`
};

/// A tar archive; refuses to replace a file.
[[nodiscard]] Expected<void> writeBundle(const BundleRequest& request, const std::string& checksAsJson);

}  // namespace mneme::cli
