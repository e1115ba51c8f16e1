// SPDX-License-Identifier: Apache-2.0
/// Loaded modules: their variables' memory, and their kernels as they are asked for.
#include <cstring>
#include <map>
#include <mutex>

#include "backend/host/engine.h"
#include "backend/host/engine/kernel_object.h"
#include "backend/host/memory.h"

namespace mneme::host {
namespace {

class Kernel final : public CompiledKernel {
 public:
  explicit Kernel(std::unique_ptr<KernelObject> object) : object_(std::move(object)), name_(object_->descriptor().name) {
    const auto& descriptor = object_->descriptor();
    for (uint32_t i = 0; i < descriptor.parameterCount; ++i)
      parameters_.push_back({descriptor.parameters[i].offset, descriptor.parameters[i].size});
  }
  const std::string& name() const override { return name_; }
  const KernelDescriptor& descriptor() const override { return object_->descriptor(); }
  const std::vector<ParameterSlot>& parameters() const override { return parameters_; }
  const std::string& objectFile() const override { return object_->file(); }

 private:
  std::unique_ptr<KernelObject> object_;
  std::string name_;
  std::vector<ParameterSlot> parameters_;
};

class Module final : public LoadedModule {
 public:
  static Expected<std::shared_ptr<LoadedModule>> create(std::span<const std::byte> bitcode, std::span<const MemoryRange> placement,
                                                       const std::string& firstKernel) {
    auto module = std::make_shared<Module>();
    module->bitcode_.assign(bitcode.begin(), bitcode.end());
    auto object = KernelObject::load(bitcode, {}, firstKernel);
    if (!object) return std::move(object).error();
    module->object_ = std::move(*object);
    if (auto placed = module->placeVariables(placement); !placed) return std::move(placed).error();
    const auto& descriptor = module->object_->descriptor();
    module->names_.assign(descriptor.kernelNames, descriptor.kernelNames + descriptor.kernelCount);
    return std::shared_ptr<LoadedModule>(std::move(module));
  }
  ~Module() override {
    for (uint64_t address : owned_) static_cast<void>(Memory::instance().release(address).has_value());
  }

  const std::vector<std::string>& kernelNames() const override { return names_; }
  const std::vector<ModuleVariable>& variables() const override { return variables_; }
  Expected<CompiledKernel*> kernel(const std::string& name) override;

 private:
  Expected<uint64_t> memoryFor(const VariableDescriptor& variable, std::span<const MemoryRange> placement);
  Expected<void> placeVariables(std::span<const MemoryRange> placement);
  void initialise();

  std::vector<std::byte> bitcode_;
  std::unique_ptr<KernelObject> object_;
  std::vector<std::string> names_;
  std::vector<ModuleVariable> variables_;
  std::map<std::string, uint64_t> addresses_;
  std::vector<uint64_t> owned_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
};

Expected<uint64_t> Module::memoryFor(const VariableDescriptor& variable, std::span<const MemoryRange> placement) {
  for (auto& range : placement)
    if (range.name == variable.name) {
      if (range.size >= variable.size) return range.address;
      break;  // it has grown since: it lies elsewhere, and who placed it sees that in variables()
    }
  auto kind = variable.constant ? MemoryKind::Constant : MemoryKind::Global;
  auto address = Memory::instance().allocate(variable.size ? variable.size : 1, variable.alignment, kind, variable.name);
  if (address) owned_.push_back(*address);
  return address;
}

Expected<void> Module::placeVariables(std::span<const MemoryRange> placement) {
  const auto& descriptor = object_->descriptor();
  for (uint32_t i = 0; i < descriptor.variableCount; ++i) {
    const auto& variable = descriptor.variables[i];
    auto address = memoryFor(variable, placement);
    if (!address) return std::move(address).error().context(std::string("placing the device variable ") + variable.name);
    *variable.slot = reinterpret_cast<void*>(*address);
    addresses_[variable.name] = *address;
    variables_.push_back({variable.name, *address, variable.size, variable.constant != 0});
  }
  initialise();
  return {};
}

void Module::initialise() {
  const auto& descriptor = object_->descriptor();
  for (uint32_t i = 0; i < descriptor.variableCount; ++i) {
    const auto& variable = descriptor.variables[i];
    auto* memory = static_cast<std::byte*>(*variable.slot);
    if (variable.initial) std::memcpy(memory, variable.initial, variable.size);
    else std::memset(memory, 0, variable.size);
    for (uint32_t link = 0; link < variable.linkCount; ++link) {
      const auto& entry = variable.links[link];
      uint64_t target = reinterpret_cast<uint64_t>(*descriptor.variables[entry.target].slot) + entry.addend;
      std::memcpy(memory + entry.offset, &target, sizeof target);
    }
  }
}

Expected<CompiledKernel*> Module::kernel(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (auto found = kernels_.find(name); found != kernels_.end()) return found->second.get();
  bool known = false;
  for (auto& candidate : names_) known |= candidate == name;
  if (!known) return Error(ErrorCode::NotFound, "the module has no kernel " + name);
  auto object = KernelObject::load(bitcode_, name);
  if (!object) return std::move(object).error();
  const auto& descriptor = (*object)->descriptor();
  for (uint32_t i = 0; i < descriptor.variableCount; ++i) {
    auto address = addresses_.find(descriptor.variables[i].name);
    if (address == addresses_.end()) return Error(ErrorCode::Mismatch, std::string("no memory for the device variable ") + descriptor.variables[i].name);
    *descriptor.variables[i].slot = reinterpret_cast<void*>(address->second);
  }
  return (kernels_[name] = std::make_unique<Kernel>(std::move(*object))).get();
}

}  // namespace

Expected<std::shared_ptr<LoadedModule>> loadModule(std::span<const std::byte> bitcode, std::span<const MemoryRange> placement,
                                                   const std::string& firstKernel) {
  return Module::create(bitcode, placement, firstKernel);
}

}  // namespace mneme::host
