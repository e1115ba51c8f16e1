// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cubin/ptx.h"

namespace mneme::cuda {
namespace {

struct Described {
  std::vector<cubin::Kernel> kernels;
  std::vector<cubin::Variable> variables;
};

Expected<Described> describe(const device::Code& code) {
  if (code.kind == CodeKind::Ptx) {
    auto ptx = cubin::scanPtx({reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size()});
    return Described{std::move(ptx.kernels), std::move(ptx.variables)};
  }
  auto cubin = cubin::parse(code.bytes);
  if (!cubin) return std::move(cubin).error();
  if (cubin->relocatable)
    return Error(ErrorCode::Unsupported, "the image is an object for the device linker and cannot be loaded alone");
  return Described{std::move(cubin->kernels), std::move(cubin->variables)};
}

/// The driver reads PTX up to a NUL, which files do not have.
std::vector<std::byte> loadable(const device::Code& code) {
  std::vector<std::byte> bytes = code.bytes;
  if (code.kind == CodeKind::Ptx) bytes.push_back(std::byte{0});
  return bytes;
}

Expected<CUmodule> loadModule(const Api& api, const std::vector<std::byte>& bytes) {
  std::array<char, 16 * 1024> errors{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{errors.data(), reinterpret_cast<void*>(errors.size())};
  CUmodule module = nullptr;
  const CUresult result = api.cuModuleLoadDataEx(&module, bytes.data(), options.size(), options.data(), values.data());
  if (auto ok = api.check(result, "cuModuleLoadDataEx"); !ok) {
    Error error = std::move(ok).error();
    const std::string_view log(errors.data());
    return log.empty() ? std::move(error) : Error(error.code(), error.message() + "\n" + std::string(log));
  }
  return module;
}

}  // namespace

Expected<std::unique_ptr<CudaModule>> CudaModule::load(const Api& api, const device::Code& code) {
  if (code.kind == CodeKind::Llvm)
    return Error(ErrorCode::Unsupported,
                 "the cuda device takes images and PTX; LLVM bitcode has to be generated for it first");
  auto described = describe(code);
  if (!described) return std::move(described).error();
  auto module = loadModule(api, loadable(code));
  if (!module) return std::move(module).error();
  std::unique_ptr<CudaModule> loaded(new CudaModule(api, *module));
  loaded->described_ = std::move(described->kernels);
  loaded->variables_ = std::move(described->variables);
  return loaded;
}

CudaModule::~CudaModule() { api_.cuModuleUnload(module_); }

std::vector<std::string> CudaModule::kernelNames() const {
  std::vector<std::string> names;
  for (const cubin::Kernel& kernel : described_) names.push_back(kernel.name);
  return names;
}

std::vector<ParameterSlot> CudaModule::parametersOf(CUfunction function, const cubin::Kernel& described) const {
  if (!api_.cuFuncGetParamInfo) return described.parameters;
  std::vector<ParameterSlot> slots;
  size_t offset = 0, size = 0;
  while (api_.cuFuncGetParamInfo(function, slots.size(), &offset, &size) == CUDA_SUCCESS)
    slots.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(size)});
  return slots;
}

Expected<device::Kernel*> CudaModule::findKernel(const std::string& mangledName) {
  auto& known = kernels_[mangledName];
  if (known) return known.get();
  const auto described = std::ranges::find(described_, mangledName, &cubin::Kernel::name);
  if (described == described_.end())
    return Error(ErrorCode::NotFound, "the code has no kernel " + mangledName);
  CUfunction function = nullptr;
  const CUresult result = api_.cuModuleGetFunction(&function, module_, mangledName.c_str());
  if (auto ok = api_.check(result, "cuModuleGetFunction"); !ok)
    return std::move(ok).error().context("kernel " + mangledName);
  if (api_.cuFuncLoad)  // now rather than in its first launch, which is timed
    if (auto ok = api_.check(api_.cuFuncLoad(function), "cuFuncLoad"); !ok)
      return std::move(ok).error().context("kernel " + mangledName);
  known = std::make_unique<CudaKernel>(mangledName, function, parametersOf(function, *described));
  return known.get();
}

std::vector<device::Variable> CudaModule::variables() const {
  std::vector<device::Variable> found;
  for (const cubin::Variable& variable : variables_) {
    CUdeviceptr address = 0;
    size_t size = 0;
    if (api_.cuModuleGetGlobal(&address, &size, module_, variable.name.c_str()) == CUDA_SUCCESS)
      found.push_back({variable.name, address, size, variable.constant});
  }
  return found;
}

}  // namespace mneme::cuda
