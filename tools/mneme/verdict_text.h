// SPDX-License-Identifier: Apache-2.0
/// A verdict in words: the verdict line, at most a handful of lines of why, and the exact next command.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "format/manifest.h"
#include "replay/replay.h"
#include "replay_job.h"

namespace mneme::cli {

[[nodiscard]] std::vector<std::string> verdictLines(const replay::Verdict& verdict, const format::Manifest& manifest,
                                                    const std::filesystem::path& path, const std::string& model,
                                                    const ReplayOptions& options);
[[nodiscard]] nlohmann::json verdictData(const replay::Verdict& verdict, const format::Manifest& manifest,
                                         const std::filesystem::path& path, const std::string& model);
[[nodiscard]] int exitCodeOf(replay::Outcome outcome);

/// Of at least one value.
[[nodiscard]] uint64_t median(std::vector<uint64_t> values);

}  // namespace mneme::cli
