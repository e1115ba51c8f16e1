// SPDX-License-Identifier: Apache-2.0
/// A launch's arguments and regions as a reviewer reads them.
#pragma once

#include <string>
#include <vector>

#include "format/manifest.h"

namespace mneme::cli {

/// One line an argument: position, type where the kernel's name tells it, value; pointers as "region 1 + 64".
[[nodiscard]] std::vector<std::string> argumentLines(const format::Manifest& manifest);

/// The parameter types in a demangled name: "k<int>(int, A<b, c>*)" gives "int" and "A<b, c>*". Empty for C names.
[[nodiscard]] std::vector<std::string> parameterTypes(const std::string& demangled);

/// Positions, from 0, of the arguments that hold a pointer into the region.
[[nodiscard]] std::vector<size_t> argumentsInto(const format::Manifest& manifest, size_t region);

/// "region y (argument 3)", "region 1 (argument 3)", "variable counter", "region 4".
[[nodiscard]] std::string regionLabel(const format::Manifest& manifest, size_t region);

}  // namespace mneme::cli
