// SPDX-License-Identifier: Apache-2.0
/// Every verdict but a pass ends with the command to type next.
#pragma once

#include <filesystem>
#include <string>

#include "format/manifest.h"
#include "replay/replay.h"
#include "replay_job.h"

namespace mneme::cli {

/// "mneme record -o SET --kernel K -- PROGRAM": makes the recording anew. `extra` stands before the dashes.
[[nodiscard]] std::string recordCommand(const format::Manifest& manifest, const std::filesystem::path& path,
                                        const std::string& extra = {});

/// After a verdict; empty after a pass.
[[nodiscard]] std::string nextAfterVerdict(const replay::Verdict& verdict, const format::Manifest& manifest,
                                           const std::filesystem::path& path, const ReplayOptions& options);

/// After trouble: unreadable, refused, crashed. `manifest` is null where it could not be read.
[[nodiscard]] std::string nextAfterTrouble(const ReplayResult& result, const format::Manifest* manifest,
                                           const std::filesystem::path& path, const ReplayOptions& options);

}  // namespace mneme::cli
