// SPDX-License-Identifier: Apache-2.0
/// What is in a bitcode file, without its function bodies.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

struct BitcodeContents {
  std::string compiler;              ///< "clang 22.1.8", from the module's own identification; "clang" where it has none
  std::vector<std::string> kernels;  ///< mangled names of those defined in the module, in its order
};
[[nodiscard]] Expected<BitcodeContents> bitcodeContents(std::span<const std::byte> bitcode);

}  // namespace mneme::code
