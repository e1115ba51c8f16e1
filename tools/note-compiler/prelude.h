// SPDX-License-Identifier: Apache-2.0
/// The headers that every CUDA source begins with, read by clang once and kept: its own wrapper of the toolkit's headers and
/// the stand-ins for nvcc's declarations. Reading them is three quarters of a small source's side compile.
#pragma once

#include <string>

#include "options.h"
#include "process.h"

namespace mneme::notes {

/// A precompiled file for clang's -include-pch that fits `device`, a command that compiles `source` and force-includes
/// `first` before anything else; made here and now if the cache has none. Empty where there cannot be one: no cache folder,
/// or options that come before the headers. clang refuses it by itself when one of the headers has changed since.
[[nodiscard]] std::string preludeFor(const Words& device, const std::string& first);

}  // namespace mneme::notes
