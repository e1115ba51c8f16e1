// SPDX-License-Identifier: Apache-2.0
/// The neutral device: what replay, measuring and tuning need from CUDA, HIP or the CPU, and no more.
/// Order of calls for a replay: Backend::open -> reserve every range -> load -> write -> launch -> synchronize -> read.
/// A Device is used by one thread at a time. Addresses are device addresses; sizes are bytes; times are nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::device {

/// What kind of machine this is; two devices with the same model answer alike bit by bit.
struct DeviceInfo {
  std::string backend;       ///< "host", "cuda", "hip"
  std::string model;         ///< "NVIDIA H200", "host x86-64 znver4"
  std::string architecture;  ///< "sm_90", "gfx90a", "x86-64"
  std::string driver;        ///< version text, empty where there is none
  uint64_t memoryBytes = 0;
  uint32_t warpSize = 32;
  uint32_t multiprocessors = 0;
  uint32_t maxThreadsPerBlock = 1024;
  uint64_t maxSharedBytesPerBlock = 0;
};

/// Code to load. `bytes` is one cubin/code object, PTX text or LLVM bitcode module.
struct Code {
  CodeKind kind = CodeKind::Llvm;
  std::vector<std::byte> bytes;
  std::string firstKernel;  ///< the one that will be asked for first, where known; devices that compile do so at once
};

/// One mutable variable of a loaded module.
struct Variable {
  std::string name;  ///< mangled
  uint64_t address = 0;
  uint64_t size = 0;
  bool constant = false;
};

/// Attributes the program set on the function or context before the launch.
struct FunctionAttributes {
  int64_t maxDynamicSharedBytes = -1;  ///< -1: never set
  int64_t sharedCarveout = -1;         ///< percent, -1: never set
  int64_t stackLimit = -1;             ///< context limit, bytes
  int64_t printfLimit = -1;
  int64_t mallocHeapLimit = -1;
};

/// One entry of a loaded module. Lives as long as its Module.
class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Offsets and sizes of the parameters as the compiled code expects them.
  [[nodiscard]] virtual const std::vector<ParameterSlot>& parameters() const = 0;
  /// Names of the module's variables that its code mentions; nullopt where the device cannot tell.
  [[nodiscard]] virtual std::optional<std::vector<std::string>> usedVariables() const { return std::nullopt; }
};

/// Loaded code. Its variables exist from here on; their contents are the initialisers.
class Module {
 public:
  virtual ~Module() = default;
  [[nodiscard]] virtual std::vector<std::string> kernelNames() const = 0;
  /// NotFound if there is no such entry; Unsupported (naming kernel and reason) if this device cannot run it.
  [[nodiscard]] virtual Expected<Kernel*> findKernel(const std::string& mangledName) = 0;
  [[nodiscard]] virtual std::vector<Variable> variables() const = 0;
};

/// How to place a module's variables: by name, at the recorded address. Backends that cannot (image, ptx code on a GPU)
/// ignore it; the caller compares Module::variables() afterwards and relocates.
using VariablePlacement = std::vector<MemoryRange>;

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;

  /// Makes [address, address+size) usable memory of that kind. Unavailable if the range cannot be had at exactly that
  /// address. Ranges may share pages and granules: the backend merges. All or nothing: after a refusal none is reserved.
  [[nodiscard]] virtual Expected<void> reserve(std::span<const MemoryRange> ranges) = 0;
  /// Fresh memory anywhere (for relocation and scratch); freed with the device.
  [[nodiscard]] virtual Expected<uint64_t> allocate(uint64_t size, MemoryKind kind) = 0;

  [[nodiscard]] virtual Expected<void> write(uint64_t address, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Expected<void> read(uint64_t address, std::span<std::byte> bytes) = 0;
  /// True: from the first reservation or allocation on, any number of threads may read() and write() at once, while
  /// nothing else is called. False: one thread at a time.
  [[nodiscard]] virtual bool copiesConcurrently() const { return false; }
  [[nodiscard]] virtual Expected<void> fill(uint64_t address, std::byte value, uint64_t size) = 0;
  /// Where device memory is ordinary memory of this process: the bytes of [address, address+size), one reserved or
  /// allocated range or a part of one. Any number of threads may read and write them while nothing runs. Null elsewhere.
  [[nodiscard]] virtual std::byte* hostView(uint64_t /*address*/, uint64_t /*size*/) { return nullptr; }

  [[nodiscard]] virtual Expected<std::unique_ptr<Module>> load(const Code& code, const VariablePlacement& placement) = 0;

  /// Asynchronous. `arguments` are the packed parameter bytes as Kernel::parameters() describes them.
  [[nodiscard]] virtual Expected<void> launch(Kernel& kernel, const LaunchShape& shape,
                                              std::span<const std::byte> arguments,
                                              const FunctionAttributes& attributes) = 0;
  /// Waits for everything launched. Device (naming the fault) if a kernel failed.
  [[nodiscard]] virtual Expected<void> synchronize() = 0;

  /// Time between the start and the end of everything launched inside `work`, by the device's own clock.
  [[nodiscard]] virtual Expected<uint64_t> timeNanoseconds(const std::function<Expected<void>()>& work) = 0;
};

/// One vendor. Constructed once per process by the registry; opening may fail where no such device exists.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Number of devices; Unavailable (with what to do) where driver or device is missing. Must be cheap and must not
  /// initialise the vendor's library in a way that takes address ranges.
  [[nodiscard]] virtual Expected<uint32_t> count() = 0;
  [[nodiscard]] virtual Expected<std::unique_ptr<Device>> open(uint32_t ordinal) = 0;
  /// Which kinds of code `open`ed devices take, best first.
  [[nodiscard]] virtual std::vector<CodeKind> codeKinds() const = 0;
  /// How the threads of a kernel's block would share a core, in words for people; empty where every thread has its own.
  /// Unsupported (naming kernel and reason) if these devices cannot run it. Nothing of the code is loaded or run.
  [[nodiscard]] virtual Expected<std::string> threadModel(const Code& /*code*/, const std::string& /*kernel*/) { return std::string(); }
};

/// Every backend of this build, in the order of MNEME_BACKENDS. Generated from that list at configure time.
[[nodiscard]] const std::vector<Backend*>& backends();
[[nodiscard]] Backend* findBackend(const std::string& name);

}  // namespace mneme::device
