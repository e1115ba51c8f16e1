// SPDX-License-Identifier: Apache-2.0
/// LLVM's errors become Mneme's here, and nowhere else.
#pragma once

#include <llvm/Support/Error.h>

#include <string>

#include "base/error.h"

namespace mneme::code {

[[nodiscard]] inline mneme::Error fromLlvm(llvm::Error error, ErrorCode code, const std::string& what) {
  return {code, what + ": " + llvm::toString(std::move(error))};
}

}  // namespace mneme::code
