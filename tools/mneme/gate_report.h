// SPDX-License-Identifier: Apache-2.0
/// Where people look after a CI run: annotations and a step summary on GitHub, a metrics file on GitLab, a history of one line
/// a run.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "replay_job.h"

namespace mneme::cli {

/// Prints annotations and appends the step summary if this is a GitHub step (GITHUB_ACTIONS, GITHUB_STEP_SUMMARY).
[[nodiscard]] Expected<void> reportToGithub(std::span<const ReplayResult> results);

/// At most ten errors and ten warnings: GitHub shows no more of a step. One line each.
[[nodiscard]] std::string githubAnnotations(std::span<const ReplayResult> results);
/// A markdown table, what failed first; cut below GitHub's limit of 1 MiB. Without its head it goes on with a table.
[[nodiscard]] std::string markdownSummary(std::span<const ReplayResult> results, bool withHead = true);

/// OpenMetrics text for GitLab's metrics report: ratio and times of each perf gate, figures of each static gate.
[[nodiscard]] std::string metricsText(std::span<const ReplayResult> results);

/// One JSON line a result. Of a run: the time, the commit where CI tells it, device and numbers.
[[nodiscard]] std::string historyLines(std::span<const ReplayResult> results);
[[nodiscard]] Expected<void> appendHistory(const std::filesystem::path& file, std::span<const ReplayResult> results);

}  // namespace mneme::cli
