// SPDX-License-Identifier: Apache-2.0
/// Makes the answer of a replay the accepted one: same inputs, new code and new memory after the launch. The recording
/// keeps its name; the manifest's difference is what a reviewer sees.
#pragma once

#include <filesystem>

#include "format/recording_set.h"
#include "replay/session.h"

namespace mneme::replay {

/// `session` has run `code` once. Replaces the recording on disk; its self-check is to be made anew. Unsupported if
/// memory was relocated: the pointers in it would be those of this process.
[[nodiscard]] Expected<std::filesystem::path> acceptAnswer(format::Recording& recording, ReplaySession& session,
                                                           const SelectedCode& code);

}  // namespace mneme::replay
