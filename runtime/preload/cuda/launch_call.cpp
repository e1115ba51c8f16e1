// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/launch_call.h"

#include <cupti.h>

#include <algorithm>
#include <cstring>

namespace mneme::preload {
namespace {

/// cuLaunchKernel and cuLaunchCooperativeKernel, plain and per-thread, have the same leading parameters.
LaunchCall decodePlain(const void* functionParams, bool cooperative, bool perThread) {
  const auto& p = *static_cast<const cuLaunchKernel_params*>(functionParams);
  LaunchCall call;
  call.handle = p.f;
  call.shape.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  call.shape.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  call.shape.dynamicSharedBytes = p.sharedMemBytes;
  call.shape.cooperative = cooperative;
  call.stream = namedStream(p.hStream, perThread);
  call.parameters = p.kernelParams;
  if (!cooperative) call.extra = p.extra;  // the cooperative form has none
  return call;
}

std::optional<LaunchCall> decodeExtended(const void* functionParams, bool perThread) {
  const auto& p = *static_cast<const cuLaunchKernelEx_params*>(functionParams);
  if (!p.config) return std::nullopt;
  const CUlaunchConfig& config = *p.config;
  LaunchCall call;
  call.handle = p.f;
  call.shape.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  call.shape.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  call.shape.dynamicSharedBytes = config.sharedMemBytes;
  call.stream = namedStream(config.hStream, perThread);
  for (unsigned i = 0; config.attrs && i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) call.shape.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      call.shape.cluster = {std::max(attribute.value.clusterDim.x, 1u), std::max(attribute.value.clusterDim.y, 1u),
                            std::max(attribute.value.clusterDim.z, 1u)};
  }
  call.parameters = p.kernelParams;
  call.extra = p.extra;
  return call;
}

/// `extra`: pairs of a tag and a value up to an end tag; the arguments are one buffer.
bool copyBuffer(void** extra, uint32_t size, std::vector<std::byte>& packed) {
  const void* buffer = nullptr;
  size_t given = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) given = *static_cast<const size_t*>(extra[1]);
  }
  if (given < size || (size > 0 && !buffer)) return false;
  if (size > 0) std::memcpy(packed.data(), buffer, size);
  return true;
}

}  // namespace

CUstream namedStream(CUstream stream, bool perThreadDefault) {
  if (stream) return stream;
  return perThreadDefault ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
}

std::optional<LaunchCall> decodeLaunch(uint32_t callbackId, const void* functionParams) {
  switch (callbackId) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel: return decodePlain(functionParams, false, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: return decodePlain(functionParams, false, true);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel: return decodePlain(functionParams, true, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: return decodePlain(functionParams, true, true);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx: return decodeExtended(functionParams, false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: return decodeExtended(functionParams, true);
    default: return std::nullopt;
  }
}

bool packArguments(const LaunchCall& call, const std::vector<ParameterSlot>& slots, uint32_t size,
                   std::vector<std::byte>& packed) {
  packed.assign(size, std::byte{0});
  if (slots.empty()) return true;
  if (!call.parameters) return call.extra && copyBuffer(call.extra, size, packed);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!call.parameters[i]) return false;
    std::memcpy(packed.data() + slots[i].offset, call.parameters[i], slots[i].size);
  }
  return true;
}

}  // namespace mneme::preload
