// SPDX-License-Identifier: Apache-2.0
/// Fills in the manifest of a launch: all but code, tables and identity, which the writer adds.
#pragma once

#include <string>

#include "format/manifest.h"
#include "record/annotations.h"
#include "record/options.h"
#include "record/recorder.h"
#include "record/selection.h"
#include "record/snapshot.h"

namespace mneme::record {

/// What is known at the launch's enter.
[[nodiscard]] format::Manifest describeLaunch(const LaunchInfo& info, const Choice& choice, uint32_t rank,
                                              const MemoryAccess::Description& device);

/// The regions, with what the program said about them.
void describeMemory(format::Manifest& manifest, const Snapshot::Contents& contents,
                    const BufferAnnotations& annotations);

/// This process's command line, arguments quoted for a shell.
[[nodiscard]] const std::string& programCommand();

/// Quotes one argument for a POSIX shell, only where needed.
[[nodiscard]] std::string shellQuoted(const std::string& argument);

}  // namespace mneme::record
