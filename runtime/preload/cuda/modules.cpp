// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/modules.h"

namespace mneme::preload {
namespace {
thread_local record::ModuleId lastLoaded = 0;  // on this thread, 0: claimed or none
}

void Modules::loaded(CUcontext context, uint32_t driverNumber, std::span<const std::byte> bytes) {
  if (!cubin::isCubin(bytes)) return;
  auto cubin = std::make_shared<LoadedCubin>();
  cubin->context = context;
  cubin->driverNumber = driverNumber;
  cubin->bytes.assign(bytes.begin(), bytes.end());
  std::lock_guard lock(mutex_);
  cubin->id = nextId_++;
  lastLoaded = cubin->id;
  cubins_.emplace(cubin->id, std::move(cubin));
}

template <typename Which>
void Modules::removeWhere(const Which& which) {
  std::lock_guard lock(mutex_);
  for (auto at = cubins_.begin(); at != cubins_.end();) {
    if (!which(*at->second)) {
      ++at;
      continue;
    }
    byHandle_.erase(at->second->handle);
    unloaded_.push_back(std::move(at->second));
    at = cubins_.erase(at);
  }
  ++generation_;
}

void Modules::unloading(CUcontext context, uint32_t driverNumber) {
  removeWhere([&](const LoadedCubin& cubin) { return cubin.context == context && cubin.driverNumber == driverNumber; });
}

void Modules::contextDestroyed(CUcontext context) {
  removeWhere([&](const LoadedCubin& cubin) { return cubin.context == context; });
}

void Modules::claimLastLoaded(CUmodule handle) {
  const record::ModuleId id = std::exchange(lastLoaded, 0);
  if (id == 0 || !handle) return;
  std::lock_guard lock(mutex_);
  const auto found = cubins_.find(id);
  if (found == cubins_.end() || found->second->handle) return;
  if (!byHandle_.emplace(handle, id).second) return;
  found->second->handle = handle;
}

void Modules::parse(LoadedCubin& cubin) {
  if (cubin.parsed) return;
  auto parsed = cubin::parse(cubin.bytes);
  cubin.parsed = parsed ? std::move(*parsed) : cubin::Cubin{};
}

std::shared_ptr<LoadedCubin> Modules::find(CUmodule handle, CUcontext context, const std::string& kernel) {
  std::lock_guard lock(mutex_);
  if (const auto known = byHandle_.find(handle); known != byHandle_.end()) {
    auto& cubin = cubins_.at(known->second);
    parse(*cubin);
    if (cubin->parsed->kernel(kernel)) return cubin;
  }
  for (auto at = cubins_.rbegin(); at != cubins_.rend(); ++at) {
    LoadedCubin& cubin = *at->second;
    if (cubin.context != context || (cubin.handle && cubin.handle != handle)) continue;
    parse(cubin);
    if (!cubin.parsed->kernel(kernel)) continue;
    if (handle && byHandle_.emplace(handle, cubin.id).second) cubin.handle = handle;
    return at->second;
  }
  return nullptr;
}

std::shared_ptr<LoadedCubin> Modules::find(record::ModuleId id) const {
  std::lock_guard lock(mutex_);
  const auto found = cubins_.find(id);
  return found == cubins_.end() ? nullptr : found->second;
}

void Modules::announce(LoadedCubin& cubin, record::Recorder& recorder) {
  {
    std::lock_guard lock(mutex_);
    if (cubin.announced) return;
    cubin.announced = true;
  }
  record::ModuleCode code;
  code.kind = CodeKind::Image;
  code.bytes = cubin.bytes;
  if (cubin.parsed) code.architecture = cubin.parsed->architecture;
  recorder.moduleLoaded(cubin.id, {&code, 1});
}

void Modules::reportUnloaded(record::Recorder& recorder) {
  std::vector<std::shared_ptr<LoadedCubin>> gone;
  {
    std::lock_guard lock(mutex_);
    gone.swap(unloaded_);
  }
  for (const auto& cubin : gone)
    if (cubin->announced) recorder.moduleUnloaded(cubin->id);
}

uint64_t Modules::generation() const { return generation_.load(std::memory_order_acquire); }

}  // namespace mneme::preload
