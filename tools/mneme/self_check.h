// SPDX-License-Identifier: Apache-2.0
/// The self-check of a new recording: replays it at once, in a fresh process, per code kind, and writes into the
/// manifest whether it reproduces. Missed pointers and races are found while recording again is cheap.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "format/manifest.h"
#include "replay_job.h"

namespace mneme::cli {

/// Replays each code kind that the recording has and rewrites the manifest. Returns what it wrote.
[[nodiscard]] Expected<format::Manifest> selfCheck(const std::filesystem::path& manifest);

/// What a self-check's replay means.
[[nodiscard]] format::SelfCheck judgeSelfCheck(const ReplayResult& result);

/// "reproduced", "reproduced within 3e-07", "not reproduced: reason", per code kind: "llvm reproduced".
[[nodiscard]] std::string selfCheckText(const format::Manifest& manifest);

}  // namespace mneme::cli
