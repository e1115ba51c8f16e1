// SPDX-License-Identifier: Apache-2.0
/// The device code that the program's objects registered: which host stub and host variable stands for what in which
/// module. Modules load at first use. Thread-safe; entries live until their object is unloaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/host/engine.h"
#include "base/error.h"

namespace mneme::host_runtime {

/// One registered object's device code.
class FatBinary {
 public:
  explicit FatBinary(const void* data) : data_(data) {}
  ~FatBinary();

  /// Loads at the first call; a failure is remembered and returned again. `kernel`: the one that will be asked for, if any.
  [[nodiscard]] Expected<host::LoadedModule*> module(const std::string& kernel = {});
  /// A variable that is the program's own memory at that address; before the module loads.
  void share(const std::string& variable, uint64_t address, uint64_t size);
  /// All variables are known: those that are shared get their initial values now, before the program reads them.
  void complete();
  /// The recorder's number of this module; 0 before it is loaded.
  [[nodiscard]] uint64_t id() const { return id_.load(std::memory_order_acquire); }
  /// Those that the kernel can use.
  [[nodiscard]] std::vector<MemoryRange> variables(const std::string& kernel) const;

 private:
  Expected<std::shared_ptr<host::LoadedModule>> load(const std::string& kernel);

  const void* data_;
  std::vector<MemoryRange> shared_;
  std::string library_;
  std::atomic<uint64_t> id_{0};
  std::once_flag once_;
  Expected<std::shared_ptr<host::LoadedModule>> loaded_ = std::shared_ptr<host::LoadedModule>();
};

/// One kernel as the program names it.
struct KernelEntry {
  FatBinary* owner = nullptr;
  std::string name;  ///< mangled
  std::atomic<host::CompiledKernel*> compiled{nullptr};
  std::atomic<int64_t> maxDynamicSharedBytes{-1}, sharedCarveout{-1};  ///< -1: never set

  [[nodiscard]] Expected<host::CompiledKernel*> kernel();
};

/// One device variable as the program names it.
struct SymbolEntry {
  FatBinary* owner = nullptr;
  std::string name;  ///< mangled
  uint64_t size = 0;
  bool constant = false;
};

class ModuleRegistry {
 public:
  static ModuleRegistry& instance();

  [[nodiscard]] FatBinary* add(const void* data);
  void addKernel(FatBinary* owner, const void* stub, const char* name);
  void addSymbol(FatBinary* owner, const void* variable, const char* name, uint64_t size, bool constant);
  void remove(FatBinary* binary);
  /// Variables of the program between these addresses are the device's too.
  void addManaged(const char* start, const char* stop);

  /// nullptr: the program has no such kernel.
  [[nodiscard]] KernelEntry* kernel(const void* stub) const;
  [[nodiscard]] const SymbolEntry* symbol(const void* variable) const;
  [[nodiscard]] std::vector<MemoryRange> variables(uint64_t moduleId, const std::string& kernel) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<FatBinary*, std::unique_ptr<FatBinary>> binaries_;
  std::unordered_map<const void*, std::unique_ptr<KernelEntry>> kernels_;
  std::unordered_map<const void*, std::unique_ptr<SymbolEntry>> symbols_;
  std::vector<std::pair<const char*, const char*>> managed_;
};

}  // namespace mneme::host_runtime
