// SPDX-License-Identifier: Apache-2.0
/// The image of a kernel that a program ships: in its own fat binaries or in those of the libraries that it needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "replay/code_selection.h"

namespace mneme::replay {

/// nullopt: no file holds an image of that kernel that a device of this architecture ("sm_90") can run, or several hold
/// differently named ones that could be meant.
[[nodiscard]] Expected<std::optional<SelectedCode>> shippedImage(const std::filesystem::path& binary,
                                                                 const std::string& kernel,
                                                                 const std::string& architecture);

}  // namespace mneme::replay
