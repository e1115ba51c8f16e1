// SPDX-License-Identifier: Apache-2.0
/// The host device's engine: NVPTX (later AMDGPU) bitcode in, kernels run on the cores of this machine.
/// No LLVM in this process: code comes from the helper program mneme-hostcc as shared objects (kernel_abi.h), kept in a
/// cache on disk by content. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/host/kernel_abi.h"
#include "base/error.h"
#include "base/launch.h"

namespace mneme::host {

struct ModuleVariable {
  std::string name;  ///< mangled
  uint64_t address = 0, size = 0;
  bool constant = false;
};

/// One compiled kernel, loaded. Owned by its LoadedModule.
class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const KernelDescriptor& descriptor() const = 0;
  [[nodiscard]] virtual const std::vector<ParameterSlot>& parameters() const = 0;
  /// The compiler's shared object in the cache; gone once the cache is emptied.
  [[nodiscard]] virtual const std::string& objectFile() const = 0;
};

/// A module whose variables have memory. Kernels are compiled at first request.
class LoadedModule {
 public:
  virtual ~LoadedModule() = default;
  [[nodiscard]] virtual const std::vector<std::string>& kernelNames() const = 0;
  [[nodiscard]] virtual const std::vector<ModuleVariable>& variables() const = 0;
  [[nodiscard]] virtual Expected<CompiledKernel*> kernel(const std::string& mangledName) = 0;
};

/// `placement`: variables that must lie at given addresses (their memory is there already); others are allocated.
/// `firstKernel`, where known: the kernel that will be asked for first; compiling both at once is quicker.
[[nodiscard]] Expected<std::shared_ptr<LoadedModule>> loadModule(std::span<const std::byte> bitcode,
                                                                 std::span<const MemoryRange> placement = {},
                                                                 const std::string& firstKernel = {});

/// How the threads of a block of this kernel share a core, for people: "loop", "segments (3)". Compiles; loads nothing.
[[nodiscard]] Expected<std::string> threadModel(std::span<const std::byte> bitcode, const std::string& kernel);

/// Why a kernel stopped; as CUDA tells programs.
enum class Fault { None, Trap, Assert, IllegalAddress, InvalidLaunch, Unsupported };

struct LaunchResult {
  Fault fault = Fault::None;
  std::string message;  ///< of a fault: kernel, block, thread where known
};

/// Runs the whole grid and returns when it is done. `arguments` are packed as kernel.parameters() says.
[[nodiscard]] LaunchResult run(CompiledKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments);

/// True if the address lies in code or constant data of a loaded kernel object.
[[nodiscard]] bool isCodeAddress(uint64_t address);
/// Every such place, and the device's heap. Another process has them elsewhere. A range's name says what is there.
[[nodiscard]] std::vector<MemoryRange> codePlaces();
/// Shared memory and local variables of launches, the last ones' included. They mean nothing once the launch is over.
[[nodiscard]] std::vector<MemoryRange> launchPlaces();

/// "host x86-64 AMD EPYC (family 25, model 17, instructions 1a2b3c4d)": the device model. Equal names mean equal code.
[[nodiscard]] const std::string& processorName();
/// What else the code depends on (a hash of the processor's feature flags); part of cache keys.
[[nodiscard]] const std::string& processorFeatures();
[[nodiscard]] unsigned coreCount();

}  // namespace mneme::host
