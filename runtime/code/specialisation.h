// SPDX-License-Identifier: Apache-2.0
/// What can be chosen when a kernel's code is generated anew. Plain values, no LLVM; part of the cache key.
/// Everything that is not set leaves the code as the program's own compiler would have made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/launch.h"

namespace mneme::code {

/// A parameter replaced by the bytes it had. The signature stays: the packed arguments do not change.
struct FoldedArgument {
  uint32_t index = 0;            ///< among the kernel's parameters
  std::vector<std::byte> value;  ///< exactly the parameter's size
};

/// What a recording showed of a pointer parameter. True for that launch only: a verdict must guard it.
struct PointerFact {
  uint32_t index = 0;
  uint64_t alignment = 0;        ///< bytes, a power of two; 0: unknown
  uint64_t dereferenceable = 0;  ///< bytes from the pointer on; 0: unknown
  bool noAlias = false;
};

/// Fast-math flags, one bit each, put on every floating-point operation.
enum FastMath : uint32_t {
  kNoNans = 1, kNoInfinities = 2, kNoSignedZeros = 4, kReciprocal = 8, kContract = 16, kApproximate = 32,
  kReassociate = 64,
};

inline constexpr uint32_t kUnrollFully = 0xffffffffu;

struct Specialisation {
  std::vector<FoldedArgument> arguments;
  std::vector<PointerFact> pointers;
  std::optional<Dim3> grid, block;          ///< folded into the code, which is then right for this shape only
  uint32_t maxThreads = 0;                  ///< launch bound in threads a block, 0: as written
  uint32_t minBlocks = 0;                   ///< blocks per multiprocessor, 0: as written
  uint32_t maxRegisters = 0;                ///< per thread, 0: as written
  std::optional<Dim3> cluster;              ///< blocks
  uint32_t minWavesPerEu = 0, maxWavesPerEu = 0;  ///< AMD only, 0: as written
  uint32_t waveSize = 0;                    ///< AMD only: 32 or 64, 0: the architecture's
  std::string pipeline = "default<O3>";     ///< default<O0..O3, Os, Oz> or any LLVM pass pipeline
  std::vector<std::string> options;         ///< -mllvm options, "name" or "name=value" with or without dashes
  std::optional<uint32_t> unroll;           ///< every loop: 1 forbids, N a count, kUnrollFully
  std::optional<uint32_t> vectorWidth;      ///< every loop: 1 forbids
  uint32_t fastMath = 0;                    ///< FastMath bits, added to the flags the code has
  std::optional<bool> flushDenormals;       ///< overrides the noted command
};

}  // namespace mneme::code
