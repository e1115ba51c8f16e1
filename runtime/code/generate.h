// SPDX-License-Identifier: Apache-2.0
/// From the bitcode of a program to code that a device loads: link one kernel, pin, specialise, optimise, emit.
/// Any number of threads may generate at once; each call has an LLVM context of its own. No LLVM in this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "code/numeric_flags.h"
#include "code/specialisation.h"

namespace mneme::code {

/// One translation unit's device code. `origin` is for messages: "heat/stencil.cu in libheat.so".
struct BitcodeModule {
  std::span<const std::byte> bytes;  ///< borrowed for the call
  std::string origin;
};

struct Target {
  std::string architecture;        ///< "sm_90", "sm_90a", "gfx90a"
  uint32_t ptxVersion = 0;         ///< newest that the driver takes, as 10*major+minor (CUDA 12.4: 84); 0: a careful one
  uint32_t codeObjectVersion = 5;  ///< AMD: 4 or 5
};

/// A variable that becomes the address it had. Named as the recording names it: mangled by nvcc or by clang.
struct Pin {
  std::string variable;
  uint64_t address = 0;
};

struct GenerateInput {
  std::span<const BitcodeModule> modules;  ///< the archive; the one that defines the kernel may stand anywhere
  std::string kernel;                      ///< mangled by nvcc or by clang
  Target target;
  NumericFlags numerics;                   ///< of the command that built the program (numericFlags())
  std::vector<Pin> pins;                   ///< `__constant__` and unused ones are passed over, and the log says so
  Specialisation specialisation;
  bool assemble = false;                   ///< also make the image: nvJitLink, ptxas, or lld. AMD: always made
  bool cache = true;                       ///< look into and fill MNEME_CACHE_DIR
};

/// A variable that the generated code holds, or that was pinned away.
struct CodeVariable {
  std::string name;      ///< symbol in the generated code
  std::string original;  ///< its name in the bitcode; another where two modules had the same
  uint64_t size = 0;
  bool constant = false;
  bool pinned = false;
  bool holdsCode = false;  ///< its initial value has addresses of functions: take it from this code, not from a recording
};

struct GeneratedCode {
  std::string kernel;                     ///< the entry's name in the generated code
  std::string ptx;                        ///< empty for AMD
  std::vector<std::byte> image;           ///< cubin or code object; empty if not asked for or nothing here can assemble
  std::vector<ParameterSlot> parameters;  ///< as this code expects them
  std::vector<CodeVariable> variables;
  std::string log;                        ///< what people should know, one sentence a line
  bool fromCache = false;
};

/// NotFound: no such kernel, or symbols that no module defines (all are listed, with the modules searched).
/// Unsupported: named construct, architecture or newer bitcode. CorruptRecording: not bitcode. InvalidArgument: pipeline,
/// option or index that makes no sense.
[[nodiscard]] Expected<GeneratedCode> generate(const GenerateInput& input);

/// "22.1.8"
[[nodiscard]] std::string llvmVersion();

}  // namespace mneme::code
