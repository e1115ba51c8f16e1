// SPDX-License-Identifier: Apache-2.0
/// What a kernel's machine code needs, read from the code itself: no device, no disassembler, no LLVM.
/// Hostile input is an error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/source_lines.h"

namespace mneme::code {

struct KernelStatistics {
  std::string kernel;        ///< mangled
  std::string architecture;  ///< "sm_90", "gfx90a"
  uint32_t registers = 0;    ///< per thread; AMD: vector registers
  std::optional<uint32_t> scalarRegisters;  ///< AMD only, per wave
  uint64_t stackBytes = 0;       ///< per thread, of the kernel itself
  uint64_t spillStoreBytes = 0;  ///< per thread: what its spill instructions move
  uint64_t spillLoadBytes = 0;
  std::optional<SourceLine> firstSpill;  ///< of the first instruction that spills, where the code has line tables
  uint64_t sharedBytes = 0;      ///< static, per block
  uint64_t constantBytes = 0;    ///< `__constant__` variables of the module and the compiler's literals
  uint64_t parameterBytes = 0;
  uint64_t codeBytes = 0;        ///< 0: unknown
  uint32_t maxThreads = 0;       ///< launch bound, threads a block; 0: none
  std::map<std::string, uint32_t> instructions;  ///< by class (instruction_classes.h); empty where they cannot be told apart
};

/// Of every kernel of a cubin or an AMD code object, in the file's order. Unsupported for anything else.
[[nodiscard]] Expected<std::vector<KernelStatistics>> imageStatistics(std::span<const std::byte> image);

}  // namespace mneme::code
