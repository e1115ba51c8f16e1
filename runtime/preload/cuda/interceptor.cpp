// SPDX-License-Identifier: Apache-2.0
/// No lock of this file is held across a driver call or a call of the recorder.
#include "preload/cuda/interceptor.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "preload/cuda/own_work.h"
#include "preload/cuda/thread_state.h"

namespace mneme::preload {
namespace {

constexpr uint64_t kAllocationMargin = uint64_t{64} << 20;
constexpr std::chrono::seconds kLongestDrain{60};  ///< before a context ends

/// The launch that this thread is inside of, if it is being recorded.
thread_local std::optional<record::LaunchToken> pending;
void dropPending() {
  threadState.launchPending = false;
  pending.reset();
}

/// What a free at enter took out of the register.
thread_local std::map<uint64_t, MemoryKind> released;

struct ContextCache {
  CUcontext handle = nullptr;
  uint64_t generation = 0;
  std::shared_ptr<Context> context;
};
thread_local ContextCache contextCache;

}  // namespace

bool Interceptor::start() {
  recorder_ = record::Recorder::start(memory_);
  return recorder_ != nullptr;
}

std::shared_ptr<Context> Interceptor::contextOf(CUcontext handle) {
  if (!handle) return nullptr;
  const uint64_t generation = contextsGeneration_.load(std::memory_order_acquire);
  if (contextCache.handle == handle && contextCache.generation == generation) return contextCache.context;
  {
    std::lock_guard lock(contextsMutex_);
    const auto found = contexts_.find(handle);
    if (found != contexts_.end() && (found->second.context || found->second.refused)) {
      contextCache = {handle, generation, found->second.context};
      return found->second.context;
    }
  }
  return makeContext(handle);
}

std::shared_ptr<Context> Interceptor::makeContext(CUcontext handle) {
  CUdevice device = 0;
  OwnWork own(api_, handle);
  if (api_.cuCtxGetDevice(&device) != CUDA_SUCCESS || captures_.open(device)) return nullptr;
  auto made = Context::make(api_, handle);
  if (!made) logOnce(LogLevel::Warn, "cannot record in a CUDA context: " + made.error().message());
  std::lock_guard lock(contextsMutex_);
  KnownContext& known = contexts_[handle];
  known.refused = !made;
  if (made && !known.context) known.context = *made;  // another thread may have been faster
  return known.context;
}

Interceptor::Limits Interceptor::limitsOf(CUcontext context) {
  std::lock_guard lock(contextsMutex_);
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? Limits{} : found->second.limits;
}

bool Interceptor::goesBy(const CallSite& site, const LaunchCall& call) {
  const SettledEntry& entry = threadState.settledFor(call.handle);
  if (entry.handle != call.handle || entry.context != site.context || entry.modules != modules_.generation() ||
      entry.contexts != contextsGeneration_.load(std::memory_order_acquire) || entry.shape != call.shape ||
      captures_.openAnywhere())
    return false;
  if (entry.launches) entry.launches->fetch_add(1, std::memory_order_relaxed);
  recorder_->writing(entry.device);
  return true;
}

void Interceptor::learnSettled(const CallSite& site, const LaunchCall& call, const record::LaunchInfo& info) {
  const record::Recorder::Settled settled = recorder_->settled(info);
  if (!settled.yes) return;
  threadState.settledFor(call.handle) = {call.handle, site.context, modules_.generation(), contextsGeneration_.load(),
                               call.shape,  info.device,  settled.launches};
}

void Interceptor::launchEnded(const CallSite& site) {
  if (!threadState.launchPending) return;
  record::LaunchToken token = std::move(*pending);
  dropPending();
  if (site.succeeded) memory_.launchEnds();
  recorder_->launched(std::move(token), site.succeeded);
  DriverMemory::clearLaunch();
}

void Interceptor::launch(const CallSite& site, const LaunchCall& call) {
  if (threadState.launchPending) dropPending();
  if (goesBy(site, call)) return;
  const std::shared_ptr<Context> context = contextOf(site.context);
  const KnownKernel& kernel = kernels_.of(call.handle, site.context, site.symbol, *recorder_);
  if (kernel.name.empty()) return;
  if (kernel.usesHeap && context) context->noteHeapUse();
  if (captures_.capturing(call.stream))
    return recorder_->notRecorded(kernel.name, "it is launched by a graph; record it with the graph switched off");
  if (!context || captures_.open(context->device()))
    return recorder_->notRecorded(kernel.name, "a stream capture was open on its device");
  if (kernel.module == 0) return recorder_->notRecorded(kernel.name, "its image was not seen being loaded");
  beginLaunch(site, call, kernel, context);
}

std::string Interceptor::refusalOf(const KnownKernel& kernel, std::span<const std::byte> arguments) const {
  if (kernel.launchesKernels) return "it launches kernels itself (dynamic parallelism), which are not recorded yet";
  if (kernel.usesHeap) return "it uses the device heap (malloc in device code)";
  return textures_.refusal(kernel.sampling, kernel.parameters, arguments).value_or(std::string());
}

void Interceptor::beginLaunch(const CallSite& site, const LaunchCall& call, const KnownKernel& kernel,
                              std::shared_ptr<Context> context) {
  thread_local std::vector<std::byte> arguments;
  if (!packArguments(call, kernel.parameters, kernel.argumentBytes, arguments)) return;
  const std::string refusal = refusalOf(kernel, arguments);
  const Limits limits = limitsOf(site.context);
  record::LaunchInfo info;
  info.module = kernel.module;
  info.kernel = kernel.name;
  info.shape = call.shape;
  info.parameters = kernel.parameters;
  info.arguments = arguments;
  info.device = static_cast<uint32_t>(context->device());
  info.stream = reinterpret_cast<uint64_t>(call.stream);
  info.maxDynamicSharedBytes = kernel.maxDynamicSharedBytes;
  info.sharedCarveout = kernel.sharedCarveout;
  info.stackLimit = limits.stack;
  info.printfLimit = limits.printf;
  info.mallocHeapLimit = limits.mallocHeap;
  info.refusal = refusal;
  DriverMemory::setLaunch(std::move(context), call.stream);
  record::LaunchToken token = recorder_->launching(info);
  if (token) {
    memory_.launchBegins();
    pending.emplace(std::move(token));
    threadState.launchPending = true;
    return;
  }
  DriverMemory::clearLaunch();
  learnSettled(site, call, info);
}

void Interceptor::kernelNode(const CallSite& site, CUfunction handle) {
  notRecorded(site, handle, "it is a node of a graph; record it with the graph switched off");
}

void Interceptor::notRecorded(const CallSite& site, CUfunction handle, const char* reason) {
  if (!site.enter || !handle) return;
  const KnownKernel& kernel = kernels_.of(handle, site.context, site.symbol, *recorder_);
  if (!kernel.name.empty()) recorder_->notRecorded(kernel.name, reason);
}

void Interceptor::makeRoom(const CallSite& site, size_t size) {
  const auto context = contextOf(site.context);
  if (!context || DeviceBlock::heldBytes(context->device()) == 0) return;
  size_t free = 0, total = 0;
  {
    OwnWork own(api_);
    if (api_.cuMemGetInfo(&free, &total) != CUDA_SUCCESS) return;
  }
  if (free < size || free - size < kAllocationMargin) recorder_->drain();
}

void Interceptor::allocation(const CallSite& site, const CUdeviceptr* address, size_t size, MemoryKind kind) {
  if (site.enter) return makeRoom(site, size);
  if (site.succeeded && address) allocations_.add(*address, kind);
}

void Interceptor::release(const CallSite& site, uint64_t address, uint64_t size) {
  if (site.enter)
    released = allocations_.remove(address, size);
  else if (!site.succeeded)
    allocations_.addAll(std::exchange(released, {}));
}

void Interceptor::freeMemoryAsked(const CallSite& site) {
  if (!site.enter) return;
  const auto context = contextOf(site.context);
  if (context && DeviceBlock::heldBytes(context->device()) > 0) recorder_->drain();
}

void Interceptor::writing(const CallSite& site) {
  if (!site.enter) return;
  if (const auto context = contextOf(site.context)) recorder_->writing(static_cast<uint32_t>(context->device()));
}

void Interceptor::beginCapture(const CallSite& site, CUstream stream) {
  if (!site.enter) {
    if (!site.succeeded) captures_.end(stream);
    return;
  }
  CUdevice device = 0;
  OwnWork own(api_);
  if (api_.cuCtxGetDevice(&device) == CUDA_SUCCESS) captures_.begin(device, stream);
}

void Interceptor::endCapture(const CallSite& site, CUstream stream) {
  if (!site.enter && (site.succeeded || site.result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)) captures_.end(stream);
}

void Interceptor::streamDestroyed(const CallSite& site, CUstream stream) {
  if (site.enter) captures_.end(stream);
}

void Interceptor::textureCreated(const CallSite& site, const unsigned long long* handle, Textures::Kind kind) {
  if (!site.enter && site.succeeded && handle) textures_.created(*handle, kind);
}

void Interceptor::textureDestroyed(const CallSite& site, unsigned long long handle, Textures::Kind kind) {
  if (!site.enter && site.succeeded) textures_.destroyed(handle, kind);
}

void Interceptor::moduleObtained(const CallSite& site, CUmodule module) {
  if (!site.enter && site.succeeded) modules_.claimLastLoaded(module);
}

void Interceptor::moduleUnloaded(const CallSite& site) {
  if (!site.enter) modules_.reportUnloaded(*recorder_);
}

void Interceptor::attributeSet(const CallSite& site) {
  if (!site.enter) kernels_.attributesChanged();
}

void Interceptor::limitSet(const CallSite& site, CUlimit limit, size_t value) {
  if (site.enter || !site.succeeded || !site.context) return;
  std::lock_guard lock(contextsMutex_);
  Limits& limits = contexts_[site.context].limits;
  const auto bytes = static_cast<int64_t>(value);
  if (limit == CU_LIMIT_STACK_SIZE) limits.stack = bytes;
  if (limit == CU_LIMIT_PRINTF_FIFO_SIZE) limits.printf = bytes;
  if (limit == CU_LIMIT_MALLOC_HEAP_SIZE) limits.mallocHeap = bytes;
}

void Interceptor::dropContexts(CUcontext context, std::optional<CUdevice> device) {
  std::vector<std::shared_ptr<Context>> dropped;  // destroyed outside the lock: that calls the driver
  {
    std::lock_guard lock(contextsMutex_);
    for (auto& [handle, known] : contexts_)
      if (known.context && (handle == context || (device && known.context->device() == *device)))
        dropped.push_back(std::exchange(known.context, nullptr));
    ++contextsGeneration_;
  }
  contextCache = {};  // other threads see the generation
  for (const auto& context : dropped) context->close();
}

void Interceptor::contextEnding(const CallSite& site, CUcontext context) {
  if (!site.enter) return;
  recorder_->drain(kLongestDrain);
  dropContexts(context, std::nullopt);
}

void Interceptor::primaryContextEnding(const CallSite& site, CUdevice device) {
  if (!site.enter) return;
  recorder_->drain(kLongestDrain);
  dropContexts(nullptr, device);
}

void Interceptor::deviceReset(const CallSite& site) {
  CUdevice device = 0;
  OwnWork own(api_);
  if (site.enter && api_.cuCtxGetDevice(&device) == CUDA_SUCCESS) primaryContextEnding(site, device);
}

void Interceptor::noteModule(CUcontext context, uint32_t number, std::span<const std::byte> bytes) {
  if (!LoadingOwnModule::active()) modules_.loaded(context, number, bytes);
}

/// A context that ends without any call that was seen: the driver may hold its locks already, so the writer gets a
/// moment and no more.
void Interceptor::noteContextDestroyed(CUcontext context) {
  if (!OwnWork::active() && isInUse(context)) recorder_->drain(memory_.patience());
  modules_.contextDestroyed(context);
  std::lock_guard lock(contextsMutex_);
  const auto found = contexts_.find(context);
  if (found == contexts_.end()) return;
  if (found->second.context) found->second.context->markEnded();
  contexts_.erase(found);
  ++contextsGeneration_;
}

bool Interceptor::isInUse(CUcontext context) {
  std::lock_guard lock(contextsMutex_);
  const auto found = contexts_.find(context);
  return found != contexts_.end() && found->second.context;
}

void Interceptor::abandonInChild() {
  stop();
  recorder_->abandonInChild();
}

}  // namespace mneme::preload
