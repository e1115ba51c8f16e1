// SPDX-License-Identifier: Apache-2.0
/// The thread takes no signals: the program's handlers run on the program's threads.
#include "record/writer_queue.h"

#include <csignal>
#include <ctime>
#include <exception>

#include <pthread.h>

#include "base/log.h"

namespace mneme::record {
namespace {

/// Blocks all signals of the calling thread, and so of threads it starts, while it lives.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

std::string extensionOf(CodeKind kind, const std::string& backend) {
  if (kind == CodeKind::Ptx) return "ptx";
  if (kind == CodeKind::Llvm) return "bc";
  return backend == "hip" ? "hsaco" : "cubin";
}

}  // namespace

WriterQueue::~WriterQueue() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void WriterQueue::push(std::unique_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) {
    SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  }
  unwritten_.fetch_add(1, std::memory_order_relaxed);
  waiting_.push_back(std::move(session));
  changed_.notify_all();
}

bool WriterQueue::drain(std::chrono::milliseconds longest) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, longest, [this] { return waiting_.empty() && !busy_; })) return false;
  }
  std::lock_guard lock(writing_);
  if (!writer_) return true;
  bytesWritten_ += writer_->bytesWritten();
  auto finished = std::exchange(writer_, nullptr)->finish();
  if (!finished) log(LogLevel::Warn, finished.error().message());
  return true;
}

void WriterQueue::settleInSignal() const noexcept {
  constexpr timespec kStep{0, 1'000'000};
  for (int steps = 0; steps < 10000 && unwritten_.load(std::memory_order_acquire) > 0; ++steps) nanosleep(&kStep, nullptr);
}

void WriterQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !waiting_.empty() || stopping_; });
    if (waiting_.empty()) return;
    auto session = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    write(*session);
    unwritten_.fetch_sub(1, std::memory_order_release);
    session.reset();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void WriterQueue::write(Session& session) noexcept {
  try {
    std::lock_guard lock(writing_);
    if (auto added = add(session); !added) reportFailure(session, added.error());
  } catch (const std::exception& failure) {
    reportFailure(session, Error(ErrorCode::Unavailable, failure.what()));
  }
}

/// Code that was only handed to the writer is not on disk yet: a failed recording takes it along.
Expected<void> WriterQueue::addCode(Session& session) {
  format::Manifest& manifest = session.manifest;
  manifest.code = session.code->references;
  if (!manifest.code.empty()) return {};
  for (const KeptCode::Piece& piece : session.code->pieces) {
    auto reference = writer_->addCode(piece.kind, piece.bytes, extensionOf(piece.kind, manifest.backend));
    if (!reference) return std::move(reference).error();
    reference->architecture = piece.architecture.empty() ? manifest.architecture : piece.architecture;
    reference->source = piece.source;
    reference->command = piece.command;
    reference->library = piece.library;
    manifest.code.push_back(std::move(*reference));
  }
  return {};
}

Expected<void> WriterQueue::add(Session& session) {
  if (auto sound = session.snapshot.checkWritten(session.fleeting); !sound) return sound;
  if (!writer_) {
    auto opened = open_(bytesWritten_);
    if (!opened) return std::move(opened).error();
    writer_ = std::move(*opened);
  }
  if (auto added = addCode(session); !added) return added;
  const Snapshot::Contents& contents = session.contents;
  auto added = writer_->add(session.manifest, contents.before, contents.changedChunks, contents.after);
  if (!added) return std::move(added).error();
  session.code->references = session.manifest.code;
  session.code->pieces.clear();
  report_.written(added->replaced ? Event::Replaced : Event::Added, added->manifest, session.manifest.kernel);
  return {};
}

void WriterQueue::reportFailure(const Session& session, const Error& error) {
  if (error.code() == ErrorCode::Io) failed_.store(true, std::memory_order_relaxed);
  if (error.code() == ErrorCode::Unsupported) return report_.refused(session.manifest.kernel, error.message(), true);
  report_.dropped(session.manifest.kernel, error.message(), true);
}

}  // namespace mneme::record
