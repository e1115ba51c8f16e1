// SPDX-License-Identifier: Apache-2.0
/// Compiled kernels on disk, by content: asks mneme-hostcc for what is not there yet.
/// Two processes that compile the same thing at once each write their own copy; the last rename wins, all are whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "base/error.h"

namespace mneme::host {

/// The shared object of one kernel of the module (empty name: its variables). Thread-safe. `next`: a kernel that will be
/// asked for soon; if this one has to be compiled, so is that one, in the same run of the compiler.
[[nodiscard]] Expected<std::filesystem::path> compiledObject(std::span<const std::byte> bitcode, const std::string& kernel,
                                                             const std::string& next = {});

}  // namespace mneme::host
