// SPDX-License-Identifier: Apache-2.0
/// When do two mangled names mean the same kernel or variable? nvcc and clang disagree on static ones and on anonymous
/// namespaces, and both put hashes of the compilation into them.
#pragma once

#include <string>
#include <string_view>

namespace mneme::replay {

/// A spelling that nvcc, clang and later compilations share. For comparing only: it may not be a valid mangled name.
[[nodiscard]] std::string normalisedName(std::string_view mangled);

/// True if the name is private to its translation unit, so that two of them may be different kernels.
[[nodiscard]] bool isInternalName(std::string_view mangled);

/// A demangled kernel, cut before its parameter list.
struct Signature {
  std::string function;    ///< "void ns::scale<float>"
  std::string parameters;  ///< "(float*, int)" without const, volatile and restrict
  friend bool operator==(const Signature&, const Signature&) = default;
};
[[nodiscard]] Signature signatureOf(std::string_view mangled);

}  // namespace mneme::replay
