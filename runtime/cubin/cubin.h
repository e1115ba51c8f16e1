// SPDX-License-Identifier: Apache-2.0
/// What a cubin (NVIDIA's device ELF) says of itself: architecture, kernels with their parameter layout, variables.
/// Answers where the driver is too old to be asked, or is not there. Hostile input is an error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::cubin {

/// How code reaches textures and surfaces.
enum class Sampling : uint8_t {
  None,
  Objects,     ///< by handles, from arguments or memory
  References,  ///< by names that the program binds
  Unknown,     ///< code of before sm_70, whose instructions are not told apart
};

struct Kernel {
  std::string name;                       ///< mangled
  std::vector<ParameterSlot> parameters;  ///< in order of declaration
  Sampling sampling = Sampling::None;
  bool usesHeap = false;  ///< malloc or free in device code, its own or that of a function it calls
  bool launchesKernels = false;  ///< dynamic parallelism, likewise
};

struct Variable {
  std::string name;  ///< mangled
  uint64_t size = 0;
  bool constant = false;
  bool managed = false;
};

struct Cubin {
  std::string architecture;  ///< "sm_90"; a cubin does not say whether it is the "a" or "f" variant
  bool relocatable = false;  ///< an object for the device linker: cannot be loaded
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;

  [[nodiscard]] const Kernel* kernel(std::string_view name) const;
};

/// True for an ELF64 file of NVIDIA's machine number; reads no more than the header.
[[nodiscard]] bool isCubin(std::span<const std::byte> bytes);

[[nodiscard]] Expected<Cubin> parse(std::span<const std::byte> bytes);

}  // namespace mneme::cubin
