// SPDX-License-Identifier: Apache-2.0
/// This machine's processor as the neutral device, over the engine and the host memory. Launches run to their end inside
/// launch(); a kernel's fault is told by the next synchronize().
#pragma once

#include <optional>
#include <vector>

#include "backend/host/engine.h"
#include "device/device.h"
#include "device/machine_code.h"

namespace mneme::host {

[[nodiscard]] device::Backend& deviceBackend();

class HostKernel final : public device::Kernel, public device::MachineCode {
 public:
  explicit HostKernel(CompiledKernel& compiled) : compiled_(compiled) {}
  [[nodiscard]] const std::string& name() const override { return compiled_.name(); }
  [[nodiscard]] const std::vector<ParameterSlot>& parameters() const override { return compiled_.parameters(); }
  [[nodiscard]] std::optional<std::vector<std::string>> usedVariables() const override;
  [[nodiscard]] Expected<Hash128> machineCodeHash() override;
  [[nodiscard]] CompiledKernel& compiled() const { return compiled_; }

 private:
  CompiledKernel& compiled_;
};

class HostModule final : public device::Module {
 public:
  explicit HostModule(std::shared_ptr<LoadedModule> loaded) : loaded_(std::move(loaded)) {}
  [[nodiscard]] std::vector<std::string> kernelNames() const override { return loaded_->kernelNames(); }
  [[nodiscard]] Expected<device::Kernel*> findKernel(const std::string& mangledName) override;
  [[nodiscard]] std::vector<device::Variable> variables() const override;

 private:
  std::shared_ptr<LoadedModule> loaded_;
  std::vector<std::unique_ptr<HostKernel>> kernels_;
};

class HostDevice final : public device::Device {
 public:
  HostDevice();
  ~HostDevice() override;

  [[nodiscard]] const device::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Expected<void> reserve(std::span<const MemoryRange> ranges) override;
  [[nodiscard]] Expected<uint64_t> allocate(uint64_t size, MemoryKind kind) override;
  [[nodiscard]] Expected<void> write(uint64_t address, std::span<const std::byte> bytes) override;
  [[nodiscard]] Expected<void> read(uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] Expected<void> fill(uint64_t address, std::byte value, uint64_t size) override;
  [[nodiscard]] std::byte* hostView(uint64_t address, uint64_t size) override;
  [[nodiscard]] Expected<std::unique_ptr<device::Module>> load(const device::Code& code,
                                                               const device::VariablePlacement& placement) override;
  [[nodiscard]] Expected<void> launch(device::Kernel& kernel, const LaunchShape& shape,
                                      std::span<const std::byte> arguments,
                                      const device::FunctionAttributes& attributes) override;
  [[nodiscard]] Expected<void> synchronize() override;
  [[nodiscard]] Expected<uint64_t> timeNanoseconds(const std::function<Expected<void>()>& work) override;

 private:
  [[nodiscard]] Expected<std::byte*> view(uint64_t address, uint64_t size);

  void guard(const MemoryRange& range);
  [[nodiscard]] Expected<void> checkGuards();

  device::DeviceInfo info_;
  std::vector<MemoryRange> guarded_;  ///< ranges with a pattern behind their end
  std::vector<uint64_t> owned_;  ///< bases of what this device reserved or allocated
  std::optional<Error> fault_;   ///< of a kernel, until the next synchronize
};

}  // namespace mneme::host
