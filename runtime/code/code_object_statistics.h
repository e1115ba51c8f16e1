// SPDX-License-Identifier: Apache-2.0
/// Statistics of AMD's code objects.
#pragma once

#include "code/kernel_statistics.h"

namespace mneme::code {

/// True for an ELF64 file of AMD's machine number; reads no more than the header.
[[nodiscard]] bool isCodeObject(std::span<const std::byte> bytes);

[[nodiscard]] Expected<std::vector<KernelStatistics>> codeObjectStatistics(std::span<const std::byte> image);

}  // namespace mneme::code
