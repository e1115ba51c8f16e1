// SPDX-License-Identifier: Apache-2.0
/// What a replay's child adds to its result for gates: how to tell its code apart from another's, and times.
#pragma once

#include <nlohmann/json.hpp>

#include "measure/measure.h"
#include "replay_job.h"

namespace mneme::cli {

/// Fills "code_hash", "debug_build" and "measurement" of `data`, as the options ask.
[[nodiscard]] Expected<void> inspectAndMeasure(replay::ReplaySession& session, device::Device& device,
                                               const replay::SelectedCode& code, const ReplayOptions& options,
                                               nlohmann::json& data);

[[nodiscard]] nlohmann::json toJson(const measure::Measurement& measured);

}  // namespace mneme::cli
