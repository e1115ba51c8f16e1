// SPDX-License-Identifier: Apache-2.0
/// Registered device code and its loading.
#include "preload/host/module_registry.h"

#include <algorithm>

#include "backend/host/memory.h"
#include "base/log.h"
#include "preload/host/bitcode_span.h"
#include "preload/host/library_of.h"
#include "preload/host/recording.h"

namespace mneme::host_runtime {

namespace {

bool canUse(const host::KernelDescriptor& kernel, const std::string& variable) {
  if (kernel.callsPointers) return true;
  const auto* end = kernel.variables + kernel.variableCount;
  return std::find_if(kernel.variables, end, [&](const auto& used) { return used.name == variable; }) != end;
}

}  // namespace

FatBinary::~FatBinary() {
  if (id()) announceUnloaded(id());
}

Expected<std::shared_ptr<host::LoadedModule>> FatBinary::load(const std::string& kernel) {
  static std::atomic<uint64_t> nextId{1};
  auto code = bitcodeAt(restOfSegment(data_));
  if (!code)
    return Error(ErrorCode::Unsupported,
                 "this program's device code is no LLVM bitcode; build it with mneme host-toolchain for the host device");
  auto module = host::loadModule(*code, shared_, kernel);
  if (!module) return module;
  uint64_t id = nextId++;
  id_.store(id, std::memory_order_release);
  library_ = libraryOf(data_);
  announceLoaded(id, *code, library_);
  return module;
}

void FatBinary::share(const std::string& variable, uint64_t address, uint64_t size) {
  MemoryRange range;
  range.address = address, range.size = size, range.name = variable;
  shared_.push_back(range);
  static_cast<void>(host::Memory::instance().adopt(address, size).has_value());
}

void FatBinary::complete() {
  if (shared_.empty()) return;
  if (auto loaded = module(); !loaded) log(LogLevel::Error, loaded.error().message());
}

Expected<host::LoadedModule*> FatBinary::module(const std::string& kernel) {
  std::call_once(once_, [&] { loaded_ = load(kernel); });
  if (!loaded_) return loaded_.error();
  return loaded_->get();
}

std::vector<MemoryRange> FatBinary::variables(const std::string& kernel) const {
  std::vector<MemoryRange> ranges;
  if (!loaded_ || !*loaded_) return ranges;
  auto compiled = (*loaded_)->kernel(kernel);
  for (const auto& v : (*loaded_)->variables())
    if (!compiled || canUse((*compiled)->descriptor(), v.name))
      ranges.push_back({v.address, v.size, v.constant ? MemoryKind::Constant : MemoryKind::Global, v.name});
  return ranges;
}

Expected<host::CompiledKernel*> KernelEntry::kernel() {
  if (auto* known = compiled.load(std::memory_order_acquire)) return known;
  auto module = owner->module(name);
  if (!module) return module.error();
  auto kernel = (*module)->kernel(name);
  if (kernel) compiled.store(*kernel, std::memory_order_release);
  return kernel;
}

ModuleRegistry& ModuleRegistry::instance() {
  static auto* const only = new ModuleRegistry;  // objects unregister in static destructors
  return *only;
}

FatBinary* ModuleRegistry::add(const void* data) {
  std::unique_lock lock(mutex_);
  auto binary = std::make_unique<FatBinary>(data);
  auto* handle = binary.get();
  binaries_.emplace(handle, std::move(binary));
  return handle;
}

// A kernel template that two objects share has one stub; the first to register it keeps it, as with CUDA.
void ModuleRegistry::addKernel(FatBinary* owner, const void* stub, const char* name) {
  auto entry = std::make_unique<KernelEntry>();
  entry->owner = owner;
  entry->name = name;
  std::unique_lock lock(mutex_);
  kernels_.try_emplace(stub, std::move(entry));
}

void ModuleRegistry::addSymbol(FatBinary* owner, const void* variable, const char* name, uint64_t size, bool constant) {
  auto entry = std::make_unique<SymbolEntry>(SymbolEntry{owner, name, size, constant});
  std::unique_lock lock(mutex_);
  symbols_.try_emplace(variable, std::move(entry));
  const auto* address = static_cast<const char*>(variable);
  for (const auto& [start, stop] : managed_)
    if (start <= address && address < stop) owner->share(name, reinterpret_cast<uint64_t>(variable), size);
}

void ModuleRegistry::addManaged(const char* start, const char* stop) {
  std::unique_lock lock(mutex_);
  managed_.emplace_back(start, stop);
}

void ModuleRegistry::remove(FatBinary* binary) {
  std::unique_ptr<FatBinary> last;  // destroyed outside the lock: it calls the recorder
  std::unique_lock lock(mutex_);
  std::erase_if(kernels_, [&](const auto& item) { return item.second->owner == binary; });
  std::erase_if(symbols_, [&](const auto& item) { return item.second->owner == binary; });
  if (auto node = binaries_.extract(binary)) last = std::move(node.mapped());
  lock.unlock();
}

KernelEntry* ModuleRegistry::kernel(const void* stub) const {
  std::shared_lock lock(mutex_);
  auto found = kernels_.find(stub);
  return found == kernels_.end() ? nullptr : found->second.get();
}

const SymbolEntry* ModuleRegistry::symbol(const void* variable) const {
  std::shared_lock lock(mutex_);
  auto found = symbols_.find(variable);
  return found == symbols_.end() ? nullptr : found->second.get();
}

std::vector<MemoryRange> ModuleRegistry::variables(uint64_t moduleId, const std::string& kernel) const {
  std::shared_lock lock(mutex_);
  for (const auto& [handle, binary] : binaries_)
    if (binary->id() == moduleId) return binary->variables(kernel);
  return {};
}

}  // namespace mneme::host_runtime
