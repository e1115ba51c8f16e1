// SPDX-License-Identifier: Apache-2.0
/// One line a call. Numbers and parameter layouts are the driver's and never change; those newer than CUDA 12.0's
/// headers are written out here.
#include "preload/cuda/callbacks.h"

#include <cupti.h>

#include <array>

#include "base/log.h"
#include "preload/cuda/own_work.h"
#include "preload/cuda/thread_state.h"

namespace mneme::preload {
namespace {

using Handler = void (*)(Interceptor&, const CallSite&, const void* parameters);

template <typename Parameters>
const Parameters& as(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

uint64_t addressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// ---- Calls newer than CUDA 12.0 ---------------------------------------------------------------------------------

constexpr uint32_t kGraphAddNode = 712, kGraphAddNodeV2 = 723;
constexpr uint32_t kBeginCaptureToGraph = 720, kBeginCaptureToGraphPerThread = 721;
constexpr uint32_t kThreadExit = 123, kDeviceReset = 164;  // of the runtime API
constexpr uint32_t kBatchCopies[] = {776, 777, 778, 779, 796, 797, 798, 799};

/// cuGraphAddNode's node parameters: the kind, three reserved words, then for a kernel node its parameters.
struct GraphNodeParameters {
  int kind;
  int reserved[3];
  struct {
    CUfunction function;
    unsigned shape[7];
    void** parameters;
    void** extra;
    CUkernel kernel;
  } kernelNode;
};
constexpr int kKernelNode = 0;

struct GraphAddNodeParameters {
  void* result;
  void* graph;
  const void* dependencies;
  size_t dependencyCount;
  const GraphNodeParameters* node;
};

struct GraphAddNodeV2Parameters {
  void* result;
  void* graph;
  const void* dependencies;
  const void* dependencyData;
  size_t dependencyCount;
  const GraphNodeParameters* node;
};

void addedNode(Interceptor& to, const CallSite& site, const GraphNodeParameters* node) {
  if (!node || node->kind != kKernelNode) return;
  const auto& kernel = node->kernelNode;
  to.kernelNode(site, kernel.function ? kernel.function : reinterpret_cast<CUfunction>(kernel.kernel));
}

// ---- What several calls have in common ----------------------------------------------------------------------------

template <typename Parameters, MemoryKind kKind>
void allocates(Interceptor& to, const CallSite& site, const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  to.allocation(site, p.dptr, p.bytesize, kKind);
}

template <typename Parameters>
void allocatesHost(Interceptor& to, const CallSite& site, const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  const CUdeviceptr address = !site.enter && p.pp ? addressOf(*p.pp) : 0;
  to.allocation(site, &address, 0, MemoryKind::Pinned);
}

void registers(Interceptor& to, const CallSite& site, const void* parameters) {
  const auto& p = as<cuMemHostRegister_v2_params>(parameters);
  const CUdeviceptr address = addressOf(p.p);
  to.allocation(site, &address, 0, MemoryKind::Registered);
}

void writes(Interceptor& to, const CallSite& site, const void*) { to.writing(site); }

template <typename Parameters>
void obtainsModule(Interceptor& to, const CallSite& site, const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  if (p.module) to.moduleObtained(site, *p.module);
}

template <typename Parameters, bool kPerThread>
void beginsCapture(Interceptor& to, const CallSite& site, const void* parameters) {
  to.beginCapture(site, namedStream(as<Parameters>(parameters).hStream, kPerThread));
}

template <bool kPerThread>
void endsCapture(Interceptor& to, const CallSite& site, const void* parameters) {
  to.endCapture(site, namedStream(as<cuStreamEndCapture_params>(parameters).hStream, kPerThread));
}

template <typename Parameters>
void endsPrimaryContext(Interceptor& to, const CallSite& site, const void* parameters) {
  to.primaryContextEnding(site, as<Parameters>(parameters).dev);
}

template <uint32_t kId>
void launches(Interceptor& to, const CallSite& site, const void* parameters) {
  if (!site.enter) return to.launchEnded(site);
  if (const auto call = decodeLaunch(kId, parameters)) to.launch(site, *call);
}

struct Entry {
  uint32_t id;
  Handler handler;
};

#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name
#define LAUNCH(name) {ID(name), launches<ID(name)>}

constexpr Entry kEntries[] = {
    LAUNCH(cuLaunchKernel), LAUNCH(cuLaunchKernel_ptsz), LAUNCH(cuLaunchCooperativeKernel),
    LAUNCH(cuLaunchCooperativeKernel_ptsz), LAUNCH(cuLaunchKernelEx), LAUNCH(cuLaunchKernelEx_ptsz),
    {ID(cuLaunchCooperativeKernelMultiDevice),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto& p = as<cuLaunchCooperativeKernelMultiDevice_params>(parameters);
       if (p.numDevices > 0 && p.launchParamsList)
         to.notRecorded(site, p.launchParamsList[0].function, "it is launched on several devices at once");
     }},
    {ID(cuGraphAddKernelNode),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto* node = as<cuGraphAddKernelNode_params>(parameters).nodeParams;
       if (node) to.kernelNode(site, node->func);
     }},
    {ID(cuGraphAddKernelNode_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto* node = as<cuGraphAddKernelNode_v2_params>(parameters).nodeParams;
       if (node) to.kernelNode(site, node->func ? node->func : reinterpret_cast<CUfunction>(node->kern));
     }},
    {kGraphAddNode,
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       addedNode(to, site, as<GraphAddNodeParameters>(parameters).node);
     }},
    {kGraphAddNodeV2,
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       addedNode(to, site, as<GraphAddNodeV2Parameters>(parameters).node);
     }},

    {ID(cuMemAlloc_v2), allocates<cuMemAlloc_v2_params, MemoryKind::Device>},
    {ID(cuMemAllocManaged), allocates<cuMemAllocManaged_params, MemoryKind::Managed>},
    {ID(cuMemAllocAsync), allocates<cuMemAllocAsync_params, MemoryKind::Device>},
    {ID(cuMemAllocAsync_ptsz), allocates<cuMemAllocAsync_params, MemoryKind::Device>},
    {ID(cuMemAllocFromPoolAsync), allocates<cuMemAllocFromPoolAsync_params, MemoryKind::Device>},
    {ID(cuMemAllocFromPoolAsync_ptsz), allocates<cuMemAllocFromPoolAsync_params, MemoryKind::Device>},
    {ID(cuMemAllocPitch_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto& p = as<cuMemAllocPitch_v2_params>(parameters);
       to.allocation(site, p.dptr, p.WidthInBytes * p.Height, MemoryKind::Device);
     }},
    {ID(cuMemAllocHost_v2), allocatesHost<cuMemAllocHost_v2_params>},
    {ID(cuMemHostAlloc), allocatesHost<cuMemHostAlloc_params>},
    {ID(cuMemHostRegister_v2), registers},
    {ID(cuIpcOpenMemHandle_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.allocation(site, as<cuIpcOpenMemHandle_v2_params>(parameters).pdptr, 0, MemoryKind::Device);
     }},
    {ID(cuMemPoolImportPointer),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.allocation(site, as<cuMemPoolImportPointer_params>(parameters).ptr_out, 0, MemoryKind::Device);
     }},
    {ID(cuMemCreate),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.allocation(site, nullptr, as<cuMemCreate_params>(parameters).size, MemoryKind::Device);
     }},
    {ID(cuMemMap),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.allocation(site, &as<cuMemMap_params>(parameters).ptr, 0, MemoryKind::Device);
     }},
    {ID(cuGraphAddMemAllocNode),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto* node = as<cuGraphAddMemAllocNode_params>(parameters).nodeParams;
       if (node) to.allocation(site, &node->dptr, node->bytesize, MemoryKind::Device);
     }},

    {ID(cuMemFree_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, as<cuMemFree_v2_params>(parameters).dptr);
     }},
    {ID(cuMemFreeAsync),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, as<cuMemFreeAsync_params>(parameters).dptr);
     }},
    {ID(cuMemFreeAsync_ptsz),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, as<cuMemFreeAsync_params>(parameters).dptr);
     }},
    {ID(cuMemFreeHost),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, addressOf(as<cuMemFreeHost_params>(parameters).p));
     }},
    {ID(cuMemHostUnregister),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, addressOf(as<cuMemHostUnregister_params>(parameters).p));
     }},
    {ID(cuIpcCloseMemHandle),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.release(site, as<cuIpcCloseMemHandle_params>(parameters).dptr);
     }},
    {ID(cuMemUnmap),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto& p = as<cuMemUnmap_params>(parameters);
       to.release(site, p.ptr, p.size);
     }},
    {ID(cuMemGetInfo_v2),
     [](Interceptor& to, const CallSite& site, const void*) { to.freeMemoryAsked(site); }},

    {ID(cuStreamBeginCapture), beginsCapture<cuStreamBeginCapture_params, false>},
    {ID(cuStreamBeginCapture_ptsz), beginsCapture<cuStreamBeginCapture_params, true>},
    {ID(cuStreamBeginCapture_v2), beginsCapture<cuStreamBeginCapture_v2_params, false>},
    {ID(cuStreamBeginCapture_v2_ptsz), beginsCapture<cuStreamBeginCapture_v2_params, true>},
    {kBeginCaptureToGraph, beginsCapture<cuStreamBeginCapture_params, false>},
    {kBeginCaptureToGraphPerThread, beginsCapture<cuStreamBeginCapture_params, true>},
    {ID(cuStreamEndCapture), endsCapture<false>},
    {ID(cuStreamEndCapture_ptsz), endsCapture<true>},
    {ID(cuStreamDestroy_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.streamDestroyed(site, as<cuStreamDestroy_v2_params>(parameters).hStream);
     }},

    {ID(cuTexObjectCreate),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.textureCreated(site, as<cuTexObjectCreate_params>(parameters).pTexObject, Textures::Kind::Texture);
     }},
    {ID(cuTexObjectDestroy),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.textureDestroyed(site, as<cuTexObjectDestroy_params>(parameters).texObject, Textures::Kind::Texture);
     }},
    {ID(cuSurfObjectCreate),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.textureCreated(site, as<cuSurfObjectCreate_params>(parameters).pSurfObject, Textures::Kind::Surface);
     }},
    {ID(cuSurfObjectDestroy),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.textureDestroyed(site, as<cuSurfObjectDestroy_params>(parameters).surfObject, Textures::Kind::Surface);
     }},

    {ID(cuModuleLoad), obtainsModule<cuModuleLoad_params>},
    {ID(cuModuleLoadData), obtainsModule<cuModuleLoadData_params>},
    {ID(cuModuleLoadDataEx), obtainsModule<cuModuleLoadDataEx_params>},
    {ID(cuModuleLoadFatBinary), obtainsModule<cuModuleLoadFatBinary_params>},
    {ID(cuModuleGetFunction),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.moduleObtained(site, as<cuModuleGetFunction_params>(parameters).hmod);
     }},
    {ID(cuLibraryGetModule),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto& p = as<cuLibraryGetModule_params>(parameters);
       if (p.pMod) to.moduleObtained(site, *p.pMod);
     }},
    {ID(cuModuleUnload), [](Interceptor& to, const CallSite& site, const void*) { to.moduleUnloaded(site); }},
    {ID(cuLibraryUnload), [](Interceptor& to, const CallSite& site, const void*) { to.moduleUnloaded(site); }},
    {ID(cuFuncSetAttribute), [](Interceptor& to, const CallSite& site, const void*) { to.attributeSet(site); }},
    {ID(cuKernelSetAttribute), [](Interceptor& to, const CallSite& site, const void*) { to.attributeSet(site); }},
    {ID(cuCtxSetLimit),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       const auto& p = as<cuCtxSetLimit_params>(parameters);
       to.limitSet(site, p.limit, p.value);
     }},

    {ID(cuCtxDestroy_v2),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.contextEnding(site, as<cuCtxDestroy_v2_params>(parameters).ctx);
     }},
    {ID(cuCtxDestroy),
     [](Interceptor& to, const CallSite& site, const void* parameters) {
       to.contextEnding(site, as<cuCtxDestroy_params>(parameters).ctx);
     }},
    {ID(cuDevicePrimaryCtxRelease), endsPrimaryContext<cuDevicePrimaryCtxRelease_params>},
    {ID(cuDevicePrimaryCtxReset), endsPrimaryContext<cuDevicePrimaryCtxReset_params>},
    {ID(cuDevicePrimaryCtxRelease_v2), endsPrimaryContext<cuDevicePrimaryCtxRelease_v2_params>},
    {ID(cuDevicePrimaryCtxReset_v2), endsPrimaryContext<cuDevicePrimaryCtxReset_v2_params>},
};

#define WITH_PER_THREAD(name, suffix) ID(name), ID(name##suffix)

/// Copies, fills and graph launches: they may write memory that is being recorded.
constexpr uint32_t kWriting[] = {
    WITH_PER_THREAD(cuMemcpyHtoD_v2, _ptds), WITH_PER_THREAD(cuMemcpyDtoD_v2, _ptds), WITH_PER_THREAD(cuMemcpy, _ptds),
    WITH_PER_THREAD(cuMemcpyAtoD_v2, _ptds), WITH_PER_THREAD(cuMemcpy2D_v2, _ptds),
    WITH_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds), WITH_PER_THREAD(cuMemcpy3D_v2, _ptds),
    WITH_PER_THREAD(cuMemcpyPeer, _ptds), WITH_PER_THREAD(cuMemcpy3DPeer, _ptds), WITH_PER_THREAD(cuMemcpyAsync, _ptsz),
    WITH_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz), WITH_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz),
    WITH_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz), WITH_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz),
    WITH_PER_THREAD(cuMemcpyPeerAsync, _ptsz), WITH_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz),
    WITH_PER_THREAD(cuMemsetD8_v2, _ptds), WITH_PER_THREAD(cuMemsetD16_v2, _ptds), WITH_PER_THREAD(cuMemsetD32_v2, _ptds),
    WITH_PER_THREAD(cuMemsetD2D8_v2, _ptds), WITH_PER_THREAD(cuMemsetD2D16_v2, _ptds),
    WITH_PER_THREAD(cuMemsetD2D32_v2, _ptds), WITH_PER_THREAD(cuMemsetD8Async, _ptsz),
    WITH_PER_THREAD(cuMemsetD16Async, _ptsz), WITH_PER_THREAD(cuMemsetD32Async, _ptsz),
    WITH_PER_THREAD(cuMemsetD2D8Async, _ptsz), WITH_PER_THREAD(cuMemsetD2D16Async, _ptsz),
    WITH_PER_THREAD(cuMemsetD2D32Async, _ptsz), WITH_PER_THREAD(cuGraphLaunch, _ptsz)};

constexpr size_t kTableSize = 1024;  // more than any CUPTI has calls

constexpr std::array<Handler, kTableSize> kTable = [] {
  std::array<Handler, kTableSize> filled{};
  for (const Entry& entry : kEntries) filled[entry.id] = entry.handler;
  for (const uint32_t id : kWriting) filled[id] = writes;
  for (const uint32_t id : kBatchCopies) filled[id] = writes;
  return filled;
}();

CallSite siteOf(const CUpti_CallbackData& data) {
  CallSite site;
  site.enter = data.callbackSite == CUPTI_API_ENTER;
  if (!site.enter && data.functionReturnValue) site.result = *static_cast<const CUresult*>(data.functionReturnValue);
  site.succeeded = !site.enter && site.result == CUDA_SUCCESS;
  site.context = data.context;
  site.symbol = data.symbolName;
  return site;
}

constexpr bool isLaunch(CUpti_CallbackId id) {
  return id == ID(cuLaunchKernel) || id == ID(cuLaunchKernelEx) || id == ID(cuLaunchKernel_ptsz) ||
         id == ID(cuLaunchKernelEx_ptsz) || id == ID(cuLaunchCooperativeKernel) || id == ID(cuLaunchCooperativeKernel_ptsz);
}

void onDriverCall(Interceptor& to, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const ThreadState& thread = threadState;
  if (thread.ownWork > 0 || to.off() || id >= kTableSize) return;
  if (data.callbackSite == CUPTI_API_EXIT && !thread.launchPending && isLaunch(id)) return;
  if (const Handler handler = kTable[id]) handler(to, siteOf(data), data.functionParams);
}

/// The CUDA runtime resets a device behind the driver API's back.
void onRuntimeCall(Interceptor& to, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (OwnWork::active() || to.off()) return;
  if (id == kDeviceReset || id == kThreadExit) to.deviceReset(siteOf(data));
}

void onResource(Interceptor& to, CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (to.off()) return;
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && module && module->pCubin)
    to.noteModule(data.context, module->moduleId,
                  {reinterpret_cast<const std::byte*>(module->pCubin), module->cubinSize});
  if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING && module) to.noteModuleUnloading(data.context, module->moduleId);
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) to.noteContextDestroyed(data.context);
}

}  // namespace

void enableCallbacks(const Cupti& cupti) {
  for (uint32_t id = 0; id < kTableSize; ++id)
    if (kTable[id]) cupti.enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const uint32_t id : {kDeviceReset, kThreadExit}) cupti.enable(CUPTI_CB_DOMAIN_RUNTIME_API, id);
  for (const uint32_t id : {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
                            CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING})
    cupti.enable(CUPTI_CB_DOMAIN_RESOURCE, id);
}

void CUPTIAPI onCallback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!data) return;
  auto& interceptor = *static_cast<Interceptor*>(user);
  try {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
      onDriverCall(interceptor, id, *static_cast<const CUpti_CallbackData*>(data));
    else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
      onRuntimeCall(interceptor, id, *static_cast<const CUpti_CallbackData*>(data));
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE)
      onResource(interceptor, id, *static_cast<const CUpti_ResourceData*>(data));
  } catch (...) {  // out of memory: the program goes on, recording does not
    interceptor.stop();
    logOnce(LogLevel::Error, "recording stopped: out of host memory");
  }
}

}  // namespace mneme::preload
