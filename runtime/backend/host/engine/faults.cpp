// SPDX-License-Identifier: Apache-2.0
/// Signal handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, chained to the program's own.
#include "backend/host/engine/faults.h"

#include <ucontext.h>

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <sstream>

namespace mneme::host {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction previous[NSIG];
thread_local FaultScope* current = nullptr;
thread_local int signalNumber = 0;
thread_local void* signalAddress = nullptr;

void chain(int number, siginfo_t* info, void* machine) {
  const auto& before = previous[number];
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, machine);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
  ::signal(number, SIG_DFL);  // the instruction runs again and ends the program as if nothing was in between
  if (info->si_code <= 0) ::raise(number);
}

/// Allocates nothing: the message is made after the jump.
void onSignal(int number, siginfo_t* info, void* machine) {
  if (!current || !current->block || info->si_code <= 0) return chain(number, info, machine);
  signalNumber = number;
  signalAddress = info->si_addr;
  // ThreadSanitizer runs handlers with every signal blocked, and the jump would leave them so.
  ::pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(machine)->uc_sigmask, nullptr);
  siglongjmp(current->jump, number);
}

void install() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  for (int number : kSignals) {
    struct sigaction now{};
    ::sigaction(number, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &onSignal) continue;
    struct sigaction own{};
    own.sa_sigaction = &onSignal;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&own.sa_mask);
    previous[number] = now;
    ::sigaction(number, &own, nullptr);
  }
}

bool installed() {
  struct sigaction now{};
  ::sigaction(SIGSEGV, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &onSignal;
}

/// A stack for the handler, so that a kernel's own stack overflow can be told.
class SignalStack {
 public:
  SignalStack() {
    stack_t now{};
    ::sigaltstack(nullptr, &now);
    if (!(now.ss_flags & SS_DISABLE)) return;
    memory_ = std::malloc(kSize);
    stack_t own{};
    own.ss_sp = memory_, own.ss_size = kSize;
    if (memory_) ::sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    if (!memory_) return;
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    ::sigaltstack(&off, nullptr);
    std::free(memory_);
  }

 private:
  static constexpr size_t kSize = 64 << 10;
  void* memory_ = nullptr;
};

std::string addressText(void* address) {
  std::ostringstream text;
  text << "0x" << std::hex << reinterpret_cast<uintptr_t>(address);
  return text.str();
}

}  // namespace

FaultScope::FaultScope() : outer_(current) { current = this; }
FaultScope::~FaultScope() { current = outer_; }

void raiseFault(Fault fault, std::string message, BlockContext* block, uint32_t thread) {
  current->record = {fault, message + " in " + describePlace(*block, thread)};
  std::string().swap(message);  // the jump runs no destructors
  siglongjmp(current->jump, -1);
}

void prepareFaultHandling() {
  static thread_local SignalStack stack;
  if (!installed()) install();
}

FaultRecord signalFault(const BlockContext& block) {
  switch (signalNumber) {
    case SIGFPE: return {Fault::Trap, "integer division by zero in " + describePlace(block)};
    case SIGILL: return {Fault::Trap, "the kernel reached code that cannot be executed in " + describePlace(block)};
    default: return {Fault::IllegalAddress, "illegal address " + addressText(signalAddress) + " in " + describePlace(block)};
  }
}

std::string describePlace(const BlockContext& block) {
  std::ostringstream text;
  text << "block (" << block.blockIdx[0] << "," << block.blockIdx[1] << "," << block.blockIdx[2] << ")";
  return text.str();
}

std::string describePlace(const BlockContext& block, uint32_t thread) {
  const uint32_t width = block.blockDim[0], height = block.blockDim[1];
  std::ostringstream text;
  text << describePlace(block) << ", thread (" << thread % width << "," << thread / width % height << "," << thread / width / height << ")";
  return text.str();
}

}  // namespace mneme::host
