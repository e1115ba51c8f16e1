// SPDX-License-Identifier: Apache-2.0
/// The space of a kernel for which nobody wrote one: block shapes that keep the launch's threads and, where code is
/// generated, launch bounds, registers, folding and pipelines.
#pragma once

#include <string>

#include "base/launch.h"

namespace mneme::tune {

/// As a space file's text, so that it can be printed, saved and changed. `generated`: code is made from bitcode, so that
/// knobs have an effect. `maxThreads`: of a block on the device.
[[nodiscard]] std::string defaultSpaceText(const LaunchShape& recorded, bool generated, uint32_t maxThreads);

}  // namespace mneme::tune
