// SPDX-License-Identifier: Apache-2.0
/// What a command that looks at several recordings says of them: lines as they come, a sum, JSON, one exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay_job.h"

namespace mneme::cli {

void printLines(const ReplayResult& result);
/// "3 of 4 <things> pass, 1 not, 0 skipped"
void printSummary(const std::vector<ReplayResult>& results, const std::string& things);
void printJson(const std::vector<ReplayResult>& results);

/// By worseOf().
[[nodiscard]] int worstOf(const std::vector<ReplayResult>& results);

/// Runs it, and adds its wall time and exit code to its data.
[[nodiscard]] ReplayResult timed(const std::function<ReplayResult()>& run);

}  // namespace mneme::cli
