// SPDX-License-Identifier: Apache-2.0
/// What PTX text says of itself: kernels with their parameter layout, names of module variables. A scanner for what
/// compilers write, not a checker: text that is not PTX gives fewer names, never a crash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cubin/cubin.h"

namespace mneme::cubin {

struct Ptx {
  std::string target;  ///< "sm_90"; empty if the text has none
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;  ///< `size` is 0: ask the loaded module
};

[[nodiscard]] Ptx scanPtx(std::string_view text);

}  // namespace mneme::cubin
