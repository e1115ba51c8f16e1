// SPDX-License-Identifier: Apache-2.0
/// One name for a kernel or variable, however the compiler mangled it: nvcc and clang disagree on `static`, on anonymous
/// namespaces and on the per-file hashes of relocatable code. No LLVM.
#pragma once

#include <string>
#include <string_view>

namespace mneme::code {

/// Demangled, without per-file hashes and linkage marks. Two symbols of one source entity have the same; two entities
/// may share one (equal static functions of two files), so look for the exact name first.
[[nodiscard]] std::string sourceName(std::string_view symbol);

}  // namespace mneme::code
