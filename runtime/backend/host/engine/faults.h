// SPDX-License-Identifier: Apache-2.0
/// Faults of running kernels: how a thread leaves compiled code that cannot go on, by signal or by the code's own wish.
/// Compiled code holds no C++ objects, so leaving it by a long jump is safe. Signals outside kernels go to the program.
#pragma once

#include <csetjmp>
#include <string>

#include "backend/host/engine.h"

namespace mneme::host {

struct FaultRecord {
  Fault fault = Fault::None;
  std::string message;
};

/// One per thread that runs kernels, while it runs them. `jump` is set by the owner with sigsetjmp before any kernel.
class FaultScope {
 public:
  FaultScope();
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;

  sigjmp_buf jump;
  FaultRecord record;                 ///< written before the jump
  BlockContext* block = nullptr;      ///< what runs now, for the message

 private:
  FaultScope* outer_;
};

/// What the signal that ended this thread's kernel was; after the jump returned a positive number.
[[nodiscard]] FaultRecord signalFault(const BlockContext& block);

[[noreturn]] void raiseFault(Fault fault, std::string message, BlockContext* block, uint32_t thread);

/// Installs the handlers if the program replaced them, and gives this thread a signal stack if it has none.
void prepareFaultHandling();

/// "block (1,2,3), thread (4,5,6)".
[[nodiscard]] std::string describePlace(const BlockContext& block, uint32_t thread);
[[nodiscard]] std::string describePlace(const BlockContext& block);

}  // namespace mneme::host
