// SPDX-License-Identifier: Apache-2.0
/// Copies a recording's bytes into another pack, checked and stored once: collecting, exporting, importing.
/// Internal to format/.
#pragma once

#include <string>

#include "base/error.h"
#include "format/pack_writer.h"
#include "format/recording.h"

namespace mneme::format {

/// Appends chunks and tables to `pack` and returns the manifest's text that refers to them. With `redact`,
/// floating-point regions become noise of the same shape, the manifest says so, and the self-check is forgotten. On failure the pack is as it
/// was before.
[[nodiscard]] Expected<std::string> copyRecording(const StoredRecording& recording, PackWriter& pack, bool redact);

}  // namespace mneme::format
