// SPDX-License-Identifier: Apache-2.0
/// What a kernel keeps in the memory that its parameters point to, read from its typed loads and stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

/// What one pointer leads to. The pointer is a parameter, or a field of a structure passed by value.
struct PointeeElements {
  uint32_t parameter = 0;  ///< index
  uint32_t offset = 0;     ///< bytes from the parameter's start to the pointer
  bool stored = false;     ///< the kernel writes there; else it only reads
  std::string element;     ///< "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"; "bytes": mixed or not told
};

struct VariableElements {
  std::string name;  ///< mangled
  std::string element;
};

struct KernelElements {
  std::vector<PointeeElements> pointees;  ///< those that the kernel accesses
  std::vector<VariableElements> variables;  ///< all of the module that have a type of one kind of element
};

/// NotFound if the module defines no such kernel.
[[nodiscard]] Expected<KernelElements> kernelElements(std::span<const std::byte> bitcode, const std::string& kernel);

}  // namespace mneme::code
