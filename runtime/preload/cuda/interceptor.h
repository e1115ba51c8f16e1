// SPDX-License-Identifier: Apache-2.0
/// The recorder's view of the program's driver calls: what each callback means, in one place, under the rules of
/// docs/recording.md. One object a process, never destroyed. Its functions are called by callbacks of the program's
/// threads, never on a thread that does the recorder's own work.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "preload/cuda/allocations.h"
#include "preload/cuda/captures.h"
#include "preload/cuda/context.h"
#include "preload/cuda/kernels.h"
#include "preload/cuda/launch_call.h"
#include "preload/cuda/memory_access.h"
#include "preload/cuda/modules.h"
#include "preload/cuda/textures.h"
#include "record/recorder.h"

namespace mneme::preload {

/// Where a call stands: before the driver works on it, or after, with its answer.
struct CallSite {
  bool enter = true;
  bool succeeded = false;  ///< at exit
  CUresult result = CUDA_SUCCESS;
  CUcontext context = nullptr;
  const char* symbol = nullptr;  ///< of a launch, the kernel's name where the interface knows it
};

class Interceptor {
 public:
  explicit Interceptor(const cuda::Api& api)
      : api_(api), kernels_(api, modules_), memory_(api, allocations_, modules_) {}

  /// False where the recorder does not start; nothing may be called then.
  [[nodiscard]] bool start();
  /// Nothing is recorded from here on.
  void stop() { off_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool off() const { return off_.load(std::memory_order_relaxed); }

  /// At enter and at exit.
  void launch(const CallSite& site, const LaunchCall& call);
  void launchEnded(const CallSite& site);
  void kernelNode(const CallSite& site, CUfunction handle);
  void notRecorded(const CallSite& site, CUfunction handle, const char* reason);

  /// `address`: where the call leaves what it allocated; `size` in bytes.
  void allocation(const CallSite& site, const CUdeviceptr* address, size_t size, MemoryKind kind);
  /// Everything that begins in [address, address+size) goes.
  void release(const CallSite& site, uint64_t address, uint64_t size = 1);
  void freeMemoryAsked(const CallSite& site);
  void writing(const CallSite& site);

  void beginCapture(const CallSite& site, CUstream stream);
  void endCapture(const CallSite& site, CUstream stream);
  void streamDestroyed(const CallSite& site, CUstream stream);

  /// `handle`: where the call leaves it.
  void textureCreated(const CallSite& site, const unsigned long long* handle, Textures::Kind kind);
  void textureDestroyed(const CallSite& site, unsigned long long handle, Textures::Kind kind);

  void moduleObtained(const CallSite& site, CUmodule module);
  void moduleUnloaded(const CallSite& site);
  void attributeSet(const CallSite& site);
  void limitSet(const CallSite& site, CUlimit limit, size_t value);

  void contextEnding(const CallSite& site, CUcontext context);
  void primaryContextEnding(const CallSite& site, CUdevice device);
  void deviceReset(const CallSite& site);

  /// From resource callbacks, on any thread: these only note.
  void noteModule(CUcontext context, uint32_t number, std::span<const std::byte> bytes);
  void noteModuleUnloading(CUcontext context, uint32_t number) { modules_.unloading(context, number); }
  void noteContextDestroyed(CUcontext context);

  void drain() { recorder_->drain(); }
  void abandonInChild();

 private:
  struct Limits {
    int64_t stack = -1, printf = -1, mallocHeap = -1;
  };
  struct KnownContext {
    std::shared_ptr<Context> context;  ///< null: not made yet
    bool refused = false;              ///< it could not be made, and is not tried again
    Limits limits;
  };
  [[nodiscard]] std::shared_ptr<Context> contextOf(CUcontext context);
  [[nodiscard]] std::shared_ptr<Context> makeContext(CUcontext context);
  [[nodiscard]] Limits limitsOf(CUcontext context);
  void makeRoom(const CallSite& site, size_t size);
  [[nodiscard]] bool goesBy(const CallSite& site, const LaunchCall& call);
  void learnSettled(const CallSite& site, const LaunchCall& call, const record::LaunchInfo& info);
  [[nodiscard]] std::string refusalOf(const KnownKernel& kernel, std::span<const std::byte> arguments) const;
  void beginLaunch(const CallSite& site, const LaunchCall& call, const KnownKernel& kernel,
                   std::shared_ptr<Context> context);
  [[nodiscard]] bool isInUse(CUcontext context);
  void dropContexts(CUcontext context, std::optional<CUdevice> device);

  const cuda::Api& api_;
  Captures captures_;
  Allocations allocations_;
  Textures textures_;
  Modules modules_;
  Kernels kernels_;
  DriverMemory memory_;
  record::Recorder* recorder_ = nullptr;
  std::atomic<bool> off_{false};
  std::mutex contextsMutex_;
  std::map<CUcontext, KnownContext> contexts_;
  std::atomic<uint64_t> contextsGeneration_{1};
};

}  // namespace mneme::preload
