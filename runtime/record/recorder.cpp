// SPDX-License-Identifier: Apache-2.0
/// Order within one recorded launch: choose, hold the device, capture, [the program launches], compare, let the device
/// go, queue. Whatever fails on the way drops that recording and nothing else.
#include "record/recorder.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <exception>

#include "base/log.h"
#include "record/annotations.h"
#include "record/manifest_builder.h"
#include "record/process_recorder.h"
#include "record/report.h"
#include "record/selection.h"
#include "record/session.h"

namespace mneme::record {
namespace {

constexpr size_t kGates = 64;  ///< devices further apart than this share one

class ProcessRecorder final : public Recorder {
 public:
  ProcessRecorder(Options options, MemoryAccess& access, WriterQueue::OpenWriter openWriter)
      : options_(std::move(options)),
        access_(access),
        selector_(
            options_, [this](ModuleId module) { return modules_.identity(module); },
            [this](const std::string& kernel, bool eligible) { report_.seen(kernel, eligible); }),
        budget_(options_.memoryBytes),
        report_(options_.report),
        queue_(std::move(openWriter), report_) {}

  void moduleLoaded(ModuleId module, std::span<const ModuleCode> code) noexcept override {
    shielded([&] { modules_.load(module, code); });
  }
  void moduleUnloaded(ModuleId module) noexcept override {
    shielded([&] { modules_.unload(module); });
  }
  LaunchToken launching(const LaunchInfo& info) noexcept override {
    LaunchToken token;
    shielded([&] { token = chooseAndBegin(info); });
    return token;
  }
  Settled settled(const LaunchInfo& info) noexcept override {
    Settled answer;
    shielded([&] { answer = selector_.settled(info); });
    return answer;
  }
  void launched(LaunchToken token, bool succeeded) noexcept override {
    shielded([&] {
      if (auto session = take(token)) complete(std::move(session), succeeded);
    });
    if (abandoned_.load(std::memory_order_relaxed)) (void)take(token).release();  // its locks may never be free again
  }
  void writing(uint32_t device) noexcept override {
    if (gate(device).isFree()) return;
    shielded([&] {
      if (!HeldDevice::heldByThisThread()) gate(device).waitUntilFree(options_.deadline);
    });
  }
  void notRecorded(std::string_view kernel, std::string_view reason) noexcept override {
    shielded([&] { report_.notRecorded(std::string(kernel), std::string(reason)); });
  }
  void drain(std::chrono::milliseconds longest) noexcept override {
    if (getpid() != process_) return;
    shielded([&] {
      if (!queue_.drain(longest)) return;
      report_.sayCounts();
    });
  }
  void settleInSignal() noexcept override {
    if (!abandoned_.load(std::memory_order_relaxed) && getpid() == process_) queue_.settleInSignal();
  }
  void abandonInChild() noexcept override { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  template <typename Work>
  void shielded(Work work) noexcept;
  [[nodiscard]] LaunchToken chooseAndBegin(const LaunchInfo& info);
  [[nodiscard]] LaunchToken begin(const LaunchInfo& info, const Choice& choice);
  void complete(std::unique_ptr<Session> session, bool succeeded);
  void giveUp(const Choice& choice, const Error& error, bool captured = false);
  [[nodiscard]] DeviceGate& gate(uint32_t device) { return gates_[device % kGates]; }

  const Options options_;
  const pid_t process_ = getpid();
  MemoryAccess& access_;
  std::atomic<bool> abandoned_{false};
  Modules modules_;
  Selector selector_;
  std::array<DeviceGate, kGates> gates_;
  MemoryBudget budget_;
  Report report_;
  WriterQueue queue_;
};

/// The program must never see an exception, whatever the recorder ran out of.
template <typename Work>
void ProcessRecorder::shielded(Work work) noexcept {
  if (abandoned_.load(std::memory_order_relaxed)) return;
  try {
    work();
  } catch (const std::exception& failure) {
    logOnce(LogLevel::Warn, std::string("a launch was not recorded: ") + failure.what());
  } catch (...) {
    logOnce(LogLevel::Warn, "a launch was not recorded: unknown failure");
  }
}

LaunchToken ProcessRecorder::chooseAndBegin(const LaunchInfo& info) {
  if (HeldDevice::heldByThisThread()) return {};
  const Choice choice = queue_.failed() ? Choice{} : selector_.choose(info);
  if (choice.kernel) return begin(info, choice);
  gate(info.device).waitUntilFree(options_.deadline);
  return {};
}

LaunchToken ProcessRecorder::begin(const LaunchInfo& info, const Choice& choice) {
  if (!info.refusal.empty()) {
    giveUp(choice, Error(ErrorCode::Unsupported, std::string(info.refusal)));
    return {};
  }
  const Deadline deadline = Clock::now() + options_.deadline;
  auto session = std::make_unique<Session>(choice, budget_);
  session->code = modules_.keep(info.module);
  if (!session->code) {
    giveUp(choice, Error(ErrorCode::Unsupported, "its code was not found"));
    return {};
  }
  if (!gate(info.device).enter(deadline)) {
    giveUp(choice, Error(ErrorCode::Unavailable, "another launch was being recorded until the deadline"));
    return {};
  }
  session->device = std::make_unique<HeldDevice>(gate(info.device));
  auto taken = session->snapshot.take(access_, info, options_.reach, suballocatedBlocks(), deadline);
  if (!taken) {
    giveUp(choice, taken.error());
    return {};
  }
  report_.captured(choice.kernel->name);
  session->manifest = describeLaunch(info, choice, options_.rank, access_.describe());
  return tokenFor(std::move(session));
}

void ProcessRecorder::complete(std::unique_ptr<Session> session, bool succeeded) {
  if (!succeeded) return giveUp(session->choice, Error(ErrorCode::Unavailable, "the program's launch failed"), true);
  auto compared = session->snapshot.compare(access_);
  if (!compared) return giveUp(session->choice, compared.error(), true);
  session->fleeting = access_.fleetingRanges();
  session->manifest.kernelNanoseconds = access_.lastKernelNanoseconds().value_or(0);
  const bool intruded = session->device->release();
  session->manifest.sharedWrites = intruded || session->snapshot.sharedWrites();
  session->contents = session->snapshot.contents();
  describeMemory(session->manifest, session->contents, bufferAnnotations());
  selector_.finish(session->choice);
  queue_.push(std::move(session));
}

/// What cannot be recorded now is tried again at a later launch; what cannot be recorded at all is not.
void ProcessRecorder::giveUp(const Choice& choice, const Error& error, bool captured) {
  if (error.code() == ErrorCode::Unsupported) {
    selector_.finish(choice);
    return report_.refused(choice.kernel->name, error.message(), captured);
  }
  selector_.giveBack(choice);
  report_.dropped(choice.kernel->name, error.message(), captured);
}

}  // namespace

std::unique_ptr<Recorder> makeRecorder(Options options, MemoryAccess& access, WriterQueue::OpenWriter openWriter) {
  return std::make_unique<ProcessRecorder>(std::move(options), access, std::move(openWriter));
}

LaunchToken Recorder::tokenFor(std::unique_ptr<Session> session) { return LaunchToken(std::move(session)); }
std::unique_ptr<Session> Recorder::take(LaunchToken& token) { return std::move(token.session_); }

LaunchToken::LaunchToken() = default;
LaunchToken::LaunchToken(std::unique_ptr<Session> session) : session_(std::move(session)) {}
LaunchToken::LaunchToken(LaunchToken&&) noexcept = default;
LaunchToken& LaunchToken::operator=(LaunchToken&&) noexcept = default;
LaunchToken::~LaunchToken() = default;

}  // namespace mneme::record
