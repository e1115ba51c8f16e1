// SPDX-License-Identifier: Apache-2.0
/// The names that tolerances may give to a recording's buffers. A name that no buffer has is an error: it would be ignored.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/manifest.h"
#include "format/tolerance.h"

namespace mneme::cli {

/// Tolerances with the names as the recording has them: a variable may be named as people read it (ns::table). A name is
/// allowed that only another recording beside `path` has: one list of tolerances serves a whole set. InvalidArgument, with
/// the names there are, for any other.
[[nodiscard]] Expected<std::vector<format::Tolerance>> resolveBuffers(std::vector<format::Tolerance> tolerances,
                                                                      const format::Manifest& manifest,
                                                                      const std::filesystem::path& path);

/// The same, where the tolerances are the kernel's: other recordings count only if they are of this kernel.
[[nodiscard]] Expected<std::vector<format::Tolerance>> resolveKernelBuffers(std::vector<format::Tolerance> tolerances,
                                                                            const format::Manifest& manifest,
                                                                            const std::filesystem::path& path);

}  // namespace mneme::cli
