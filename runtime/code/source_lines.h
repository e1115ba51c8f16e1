// SPDX-License-Identifier: Apache-2.0
/// Which source line an instruction of a cubin comes from, where the code carries line tables (nvcc -lineinfo).
/// Reads DWARF 2 to 4 line programs, as ptxas writes them. Hostile input gives no line, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cubin/elf.h"

namespace mneme::code {

struct SourceLine {
  std::string file;  ///< as the compiler was given it, below the folder that the table names
  uint32_t line = 0;
};

/// Of the instruction at `offset` in the function's own code; nullopt where there is no table or it does not say.
[[nodiscard]] std::optional<SourceLine> sourceLineOf(const ElfView& cubin, const std::string& function, uint64_t offset);

}  // namespace mneme::code
