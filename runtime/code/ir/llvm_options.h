// SPDX-License-Identifier: Apache-2.0
/// -mllvm options for one compilation. LLVM keeps them in process-wide variables: compilations without options run side
/// by side, one with options runs alone, and the defaults are back when it ends.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>

#include "base/error.h"

namespace mneme::code {

class LlvmOptions {
 public:
  /// InvalidArgument for an option that LLVM does not have or that would end the process.
  [[nodiscard]] static Expected<LlvmOptions> apply(std::span<const std::string> options);
  LlvmOptions(LlvmOptions&&) = default;
  LlvmOptions& operator=(LlvmOptions&&) = delete;
  ~LlvmOptions();

 private:
  LlvmOptions() = default;
  std::shared_lock<std::shared_mutex> shared_;
  std::unique_lock<std::shared_mutex> exclusive_;
};

}  // namespace mneme::code
