// SPDX-License-Identifier: Apache-2.0
/// Whether it shows if the lanes of a warp run one after another instead of in step.
#pragma once

#include <llvm/IR/Instructions.h>

#include <vector>

#include "backend/host/compiler/lane_form.h"

namespace mneme::host::compiler {

/// One access of the kernel to shared memory.
struct SharedAccess {
  llvm::Instruction* instruction = nullptr;
  const llvm::Value* object = nullptr;  ///< the variable; null if it is one of several
  bool reads = false, writes = false, atomic = false;
  int64_t width = 0;                    ///< bytes
  const llvm::SCEV* offset = nullptr;   ///< in the object; null: not known
  LaneForm form;
  Pins pins{};
};

/// Every access to shared memory, in the order of the blocks. A copy inside it is two.
[[nodiscard]] std::vector<SharedAccess> sharedAccesses(llvm::Function& kernel, LaneForms& forms);

/// Lanes run in ascending order. True if it can be proved that no lane's `first` reaches what a lower lane's `second`, later in
/// the program, reads or writes. `again`: the outermost loop that has gone into another round between them, or null.
[[nodiscard]] bool orderHolds(LaneForms& forms, const SharedAccess& first, const SharedAccess& second, const llvm::Loop* again);

}  // namespace mneme::host::compiler
