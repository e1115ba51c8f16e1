// SPDX-License-Identifier: Apache-2.0
/// How long a bitcode module is that a program has in its memory: the compiler registers its address, not its size.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace mneme::host_runtime {

/// The module at the start of `bytes` (which may go on behind it); nullopt if there is none.
[[nodiscard]] std::optional<std::span<const std::byte>> bitcodeAt(std::span<const std::byte> bytes);

/// From `address` to the end of the loaded segment that holds it; empty if none does.
[[nodiscard]] std::span<const std::byte> restOfSegment(const void* address);

}  // namespace mneme::host_runtime
