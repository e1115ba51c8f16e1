// SPDX-License-Identifier: Apache-2.0
/// Code loaded into the CUDA context: a cubin, or PTX that the driver compiles. Lives no longer than its context.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/api.h"
#include "cubin/cubin.h"
#include "device/device.h"

namespace mneme::cuda {

class CudaKernel final : public device::Kernel {
 public:
  CudaKernel(std::string name, CUfunction function, std::vector<ParameterSlot> parameters)
      : name_(std::move(name)), function_(function), parameters_(std::move(parameters)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const std::vector<ParameterSlot>& parameters() const override { return parameters_; }
  [[nodiscard]] CUfunction function() const { return function_; }

 private:
  std::string name_;
  CUfunction function_;
  std::vector<ParameterSlot> parameters_;
};

class CudaModule final : public device::Module {
 public:
  /// The context is current. A refusal by the driver's compiler carries its log.
  [[nodiscard]] static Expected<std::unique_ptr<CudaModule>> load(const Api& api, const device::Code& code);
  ~CudaModule() override;

  [[nodiscard]] std::vector<std::string> kernelNames() const override;
  [[nodiscard]] Expected<device::Kernel*> findKernel(const std::string& mangledName) override;
  [[nodiscard]] std::vector<device::Variable> variables() const override;

 private:
  CudaModule(const Api& api, CUmodule module) : api_(api), module_(module) {}
  [[nodiscard]] std::vector<ParameterSlot> parametersOf(CUfunction function, const cubin::Kernel& described) const;

  const Api& api_;
  CUmodule module_;
  std::vector<cubin::Kernel> described_;
  std::vector<cubin::Variable> variables_;
  std::map<std::string, std::unique_ptr<CudaKernel>> kernels_;
};

}  // namespace mneme::cuda
