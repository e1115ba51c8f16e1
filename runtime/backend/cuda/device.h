// SPDX-License-Identifier: Apache-2.0
/// One NVIDIA GPU as the neutral device. Order inside: driver initialised by open(), addresses reserved, then the
/// context made by the first call that needs it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "backend/cuda/address_space.h"
#include "backend/cuda/api.h"
#include "backend/cuda/clocks.h"
#include "backend/cuda/module.h"
#include "backend/cuda/staging.h"
#include "backend/cuda/stopwatch.h"
#include "device/device.h"

namespace mneme::cuda {

class CudaDevice final : public device::Device, public device::ClockSource {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<CudaDevice>> open(const Api& api, uint32_t ordinal);
  ~CudaDevice() override;

  [[nodiscard]] const device::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Expected<void> reserve(std::span<const MemoryRange> ranges) override;
  [[nodiscard]] Expected<uint64_t> allocate(uint64_t size, MemoryKind kind) override;
  [[nodiscard]] Expected<void> write(uint64_t address, std::span<const std::byte> bytes) override;
  [[nodiscard]] Expected<void> read(uint64_t address, std::span<std::byte> bytes) override;
  [[nodiscard]] bool copiesConcurrently() const override { return true; }
  [[nodiscard]] Expected<void> fill(uint64_t address, std::byte value, uint64_t size) override;
  [[nodiscard]] Expected<std::unique_ptr<device::Module>> load(const device::Code& code,
                                                               const device::VariablePlacement& placement) override;
  [[nodiscard]] Expected<void> launch(device::Kernel& kernel, const LaunchShape& shape,
                                      std::span<const std::byte> arguments,
                                      const device::FunctionAttributes& attributes) override;
  [[nodiscard]] Expected<void> synchronize() override;
  [[nodiscard]] Expected<uint64_t> timeNanoseconds(const std::function<Expected<void>()>& work) override;
  [[nodiscard]] std::optional<device::ClockReading> readClock() override;

 private:
  CudaDevice(const Api& api, CUdevice device) : api_(api), device_(device), memory_(api, device) {}
  /// Makes the context and what lives in it, once, and makes it current.
  [[nodiscard]] Expected<void> ensureContext();
  [[nodiscard]] Expected<void> beforeCopy();
  [[nodiscard]] Expected<void> applyAttributes(const CudaKernel& kernel, const LaunchShape& shape,
                                               const device::FunctionAttributes& attributes);
  [[nodiscard]] Expected<void> applyLimit(CUlimit limit, int64_t value, const char* what);

  const Api& api_;
  CUdevice device_;
  device::DeviceInfo info_;
  AddressSpace memory_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::optional<Stopwatch> stopwatch_;
  std::optional<Staging> staging_;
  std::optional<Clocks> clocks_;
  std::atomic<bool> running_{false};  ///< something was put on the stream and not waited for
  std::string lastKernel_;  ///< names the fault's likely cause
};

}  // namespace mneme::cuda
