// SPDX-License-Identifier: Apache-2.0
/// What a cubin's kernels use beyond memory that a program allocates: textures, surfaces, the device heap, other kernels.
/// Functions that a kernel calls count as its own. Reads what ptxas wrote; a cubin that names nothing uses nothing.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "cubin/cubin.h"
#include "cubin/elf.h"

namespace mneme::cubin {

/// 90 of sm_90.
[[nodiscard]] uint32_t architectureNumber(const ElfView& elf);

class CodeUse {
 public:
  /// Borrows both for its life.
  CodeUse(const ElfView& elf, const std::vector<ElfSymbol>& symbols);

  /// `kernel`: the index of its symbol.
  [[nodiscard]] Sampling sampling(uint32_t kernel) const;
  [[nodiscard]] bool heap(uint32_t kernel) const;
  [[nodiscard]] bool deviceLaunch(uint32_t kernel) const;

 private:
  [[nodiscard]] std::set<uint32_t> reachedFrom(uint32_t kernel) const;
  [[nodiscard]] Sampling samplingOf(const ElfSymbol& function) const;

  const ElfView& elf_;
  const std::vector<ElfSymbol>& symbols_;
  std::multimap<uint32_t, uint32_t> calls_;  ///< caller -> callee
};

}  // namespace mneme::cubin
