// SPDX-License-Identifier: Apache-2.0
/// One name for a kernel or variable, however the compiler mangled it: nvcc and clang disagree on `static`, on anonymous
/// namespaces and on the per-file hashes of relocatable code. No LLVM.
/// Two entities may share a name below (equal static functions of two files), so look for the exact name first.
#pragma once

#include <string>
#include <string_view>

namespace mneme::code {

/// A spelling that nvcc, clang and later compilations share. For comparing only: it may not be a valid mangled name.
[[nodiscard]] std::string normalisedName(std::string_view mangled);

/// The same, demangled.
[[nodiscard]] std::string sourceName(std::string_view mangled);

/// True if the name is private to its translation unit, so that two of them may be different entities.
[[nodiscard]] bool isInternalName(std::string_view mangled);

/// A demangled kernel, cut before its parameter list.
struct Signature {
  std::string function;    ///< "void ns::scale<float>"
  std::string parameters;  ///< "(float*, int)" without const, volatile and restrict
  friend bool operator==(const Signature&, const Signature&) = default;
};
[[nodiscard]] Signature signatureOf(std::string_view mangled);

}  // namespace mneme::code
