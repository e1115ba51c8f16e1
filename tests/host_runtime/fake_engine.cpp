// SPDX-License-Identifier: Apache-2.0
/// The engine that only remembers.
#include "fake_engine.h"

#include "backend/host/memory.h"

namespace mneme::host {
namespace fake {

State& state() {
  static State only;
  return only;
}

namespace {

class Kernel final : public CompiledKernel {
 public:
  Kernel() {
    descriptor_.staticSharedBytes = 64;
    descriptor_.maxThreads = 512;
  }
  const std::string& name() const override { return name_; }
  const KernelDescriptor& descriptor() const override { return descriptor_; }
  const std::vector<ParameterSlot>& parameters() const override { return slots_; }
  const std::string& objectFile() const override { return file_; }

 private:
  std::string name_ = kScale, file_;
  KernelDescriptor descriptor_{};
  std::vector<ParameterSlot> slots_{{0, 8}, {8, 4}};
};

ModuleVariable makeVariable(const char* name, uint64_t size, bool constant) {
  auto address = Memory::instance().allocate(size, 16, constant ? MemoryKind::Constant : MemoryKind::Global, name);
  return {name, address ? *address : 0, size, constant};
}

class Module final : public LoadedModule {
 public:
  ~Module() override {
    for (const auto& v : variables_) (void)Memory::instance().release(v.address).has_value();
  }
  const std::vector<std::string>& kernelNames() const override { return names_; }
  const std::vector<ModuleVariable>& variables() const override { return variables_; }
  Expected<CompiledKernel*> kernel(const std::string& name) override {
    if (name == kScale) return static_cast<CompiledKernel*>(&kernel_);
    if (name == kRefused) return Error(ErrorCode::Unsupported, "texture fetches are not supported");
    return Error(ErrorCode::NotFound, "no kernel " + name);
  }

 private:
  Kernel kernel_;
  std::vector<std::string> names_{kScale, kRefused};
  std::vector<ModuleVariable> variables_{makeVariable("table", 16, false), makeVariable("limits", 8, true)};
};

}  // namespace
}  // namespace fake

Expected<std::shared_ptr<LoadedModule>> loadModule(std::span<const std::byte>, std::span<const MemoryRange>,
                                                   const std::string&) {
  ++fake::state().loads;
  return std::shared_ptr<LoadedModule>(std::make_shared<fake::Module>());
}

LaunchResult run(CompiledKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments) {
  fake::state().launches.push_back({kernel.name(), shape, {arguments.begin(), arguments.end()}});
  if (fake::state().during) fake::state().during();
  return fake::state().answer;
}

bool isCodeAddress(uint64_t) { return false; }
std::vector<MemoryRange> codePlaces() { return {}; }
std::vector<MemoryRange> launchPlaces() { return {}; }
const std::string& processorName() {
  static const std::string name = "host fake";
  return name;
}
unsigned coreCount() { return 4; }

}  // namespace mneme::host
