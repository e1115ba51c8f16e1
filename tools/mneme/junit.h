// SPDX-License-Identifier: Apache-2.0
/// JUnit XML of replays and gates, with what was measured as properties: CTest's own JUnit drops measurements.
#pragma once

#include <filesystem>
#include <span>

#include "replay_job.h"

namespace mneme::cli {

[[nodiscard]] Expected<void> writeJunit(const std::filesystem::path& path, std::span<const ReplayResult> results,
                                        const std::string& suite = "mneme replay");

}  // namespace mneme::cli
