// SPDX-License-Identifier: Apache-2.0
/// Tells whether two builds of a kernel are the same machine code, and whether code was built for a debugger.
/// Names, symbol tables and line tables do not count. Where nothing finer is known the whole code counts: two equal kernels
/// may then look different, never two different ones equal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"

namespace mneme::code {

/// Of a cubin: the kernel's instructions and constants, what it takes of registers and memory, and all functions that are
/// no kernels. Of any other image: of all its bytes.
[[nodiscard]] Expected<Hash128> imageCodeHash(std::span<const std::byte> image, const std::string& kernel);

/// Of PTX without comments, line tables, debug sections and white space.
[[nodiscard]] Hash128 ptxCodeHash(std::string_view ptx);

/// True for code that nvcc -G made, which is not optimised.
[[nodiscard]] bool isDebugImage(std::span<const std::byte> image);
[[nodiscard]] bool isDebugPtx(std::string_view ptx);
/// The flag of a compile command because of which the code is not what a release would ship: "-G", "-O0", "-g without
/// -O"; empty for none. Words are separated by spaces.
[[nodiscard]] std::string debugFlag(std::string_view command);

}  // namespace mneme::code
