// SPDX-License-Identifier: Apache-2.0
/// What NVIDIA's 128-bit instructions (sm_70 and up) do, by class. Read off the opcode's low nine bits, which kept their meaning
/// from sm_75 to sm_100; an opcode that is not known is "other".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace mneme::code {

/// All classes: "float" is FADD, FFMA and their like, "half" two at once (also how compilers load some constants), "global"
/// loads and stores of generic addresses too.
inline constexpr std::array<std::string_view, 15> kInstructionClasses{
    "float", "double", "half", "tensor", "integer", "special", "conversion", "global",
    "shared", "local", "constant", "atomic", "texture", "control", "other"};

/// The class of one instruction's first eight bytes; empty for padding.
[[nodiscard]] std::string_view instructionClass(uint64_t low);

/// Every class with its number, also of none. Padding does not count.
[[nodiscard]] std::map<std::string, uint32_t> countInstructions(std::span<const std::byte> code);

}  // namespace mneme::code
