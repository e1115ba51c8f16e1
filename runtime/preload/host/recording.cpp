// SPDX-License-Identifier: Apache-2.0
/// Starts the recorder with the first registered code, feeds it launches, and drains it at exit.
#include "preload/host/recording.h"

#include <pthread.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "preload/host/device_gate.h"
#include "preload/host/memory_access.h"
#include "preload/host/module_registry.h"

namespace mneme::host_runtime {
namespace {

HostMemoryAccess& access() {
  static auto* const only = new HostMemoryAccess;  // the recorder's threads read from it until the very end
  return *only;
}

void drain() {
  if (auto* recorder = record::Recorder::active()) recorder->drain();
}

void abandon() {
  if (auto* recorder = record::Recorder::active()) recorder->abandonInChild();
}

/// What a crash would lose is written first; then the signal does what it would have done.
void settleAndDie(int number, siginfo_t* info, void*) {
  const int before = errno;
  if (auto* recorder = record::Recorder::active()) recorder->settleInSignal();
  ::signal(number, SIG_DFL);
  if (info->si_code <= 0) ::raise(number);  // others come again when their instruction does
  errno = before;
}

/// Only where the program (or a sanitizer) has nothing of its own.
void settleBeforeCrashes() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) continue;
    struct sigaction own {};
    own.sa_sigaction = settleAndDie;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(number, &own, nullptr);
  }
}

void startRecorder() {
  if (!record::Recorder::start(access())) return;
  settleBeforeCrashes();
  armGate();
  access().arm();
  pthread_atfork(nullptr, nullptr, abandon);
  at_quick_exit(drain);
}

/// After the program's own exit handlers, before the process ends.
__attribute__((destructor)) void drainAtExit() { drain(); }

}  // namespace

void startRecording() noexcept {
  static std::once_flag once;
  std::call_once(once, startRecorder);
}

void announceLoaded(uint64_t module, std::span<const std::byte> code, std::string_view library) noexcept {
  startRecording();
  auto* recorder = record::Recorder::active();
  if (!recorder) return;
  std::array<record::ModuleCode, 1> pieces;
  pieces[0].kind = CodeKind::Llvm;
  pieces[0].bytes = code;
  pieces[0].library = library;
  recorder->moduleLoaded(module, pieces);
}

void announceUnloaded(uint64_t module) noexcept {
  if (auto* recorder = record::Recorder::active()) recorder->moduleUnloaded(module);
}

void noteNotRecorded(std::string_view kernel, std::string_view reason) noexcept {
  if (auto* recorder = record::Recorder::active()) recorder->notRecorded(kernel, reason);
}

void RecordedLaunch::begin(record::Recorder& recorder, const KernelEntry& entry, const host::CompiledKernel& kernel,
                           const LaunchShape& shape, std::span<const std::byte> arguments,
                           const void* stream) noexcept {
  record::LaunchInfo info;
  info.module = entry.owner->id();
  info.kernel = kernel.name();
  info.shape = shape;
  info.parameters = kernel.parameters();
  info.arguments = arguments;
  info.stream = reinterpret_cast<uint64_t>(stream);
  info.maxDynamicSharedBytes = entry.maxDynamicSharedBytes;
  info.sharedCarveout = entry.sharedCarveout;
  token_ = recorder.launching(info);
  if (!token_) openGate();  // a capture that failed half way has closed it
  start_ = std::chrono::steady_clock::now();
}

void RecordedLaunch::end(bool succeeded) noexcept {
  access().setKernelTime(std::chrono::steady_clock::now() - start_);
  record::Recorder::active()->launched(std::move(token_), succeeded);
  openGate();
}

}  // namespace mneme::host_runtime
