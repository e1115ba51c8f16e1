// SPDX-License-Identifier: Apache-2.0
/// The process's own recorder, made from the environment at the first call and never destroyed.
#include <atomic>
#include <cstdlib>
#include <exception>

#include "base/log.h"
#include "record/process_recorder.h"
#include "record/recorder.h"
#include "record/report.h"

namespace mneme::record {
namespace {

std::atomic<Recorder*> activeRecorder{nullptr};

Recorder* recorderFromEnvironment(MemoryAccess& access) {
  auto options = optionsFrom([](const char* name) -> const char* { return std::getenv(name); });
  if (!options) {
    log(LogLevel::Error, options.error().message() + "; nothing is recorded");
    return nullptr;
  }
  if (!*options) return nullptr;
  if (!(*options)->rankSelected) {
    Report((*options)->report).otherRank((*options)->rank);
    return nullptr;
  }
  auto openWriter = setWriterFor(**options);
  return makeRecorder(std::move(**options), access, std::move(openWriter)).release();
}

}  // namespace

WriterQueue::OpenWriter setWriterFor(const Options& options) {
  format::SetWriter::Options wanted;
  wanted.directory = options.directory;
  wanted.rank = options.rank;
  wanted.append = options.append;
  wanted.maxBytes = options.maxBytes;
  return [wanted](uint64_t alreadyWritten) -> Expected<std::unique_ptr<format::SetWriter>> {
    auto now = wanted;
    if (wanted.maxBytes != 0 && alreadyWritten >= wanted.maxBytes)
      return Error(ErrorCode::Unavailable, "the limit of --max-bytes (MNEME_RECORD_MAX_BYTES) is reached");
    if (wanted.maxBytes != 0) now.maxBytes -= alreadyWritten;
    return format::SetWriter::open(now);
  };
}

Recorder* Recorder::start(MemoryAccess& access) noexcept {
  try {
    static Recorder* const recorder = recorderFromEnvironment(access);
    static const bool published = (activeRecorder.store(recorder, std::memory_order_release), true);
    (void)published;
  } catch (const std::exception& failure) {
    logOnce(LogLevel::Error, std::string("nothing is recorded: ") + failure.what());
  }
  return active();
}

Recorder* Recorder::active() noexcept { return activeRecorder.load(std::memory_order_acquire); }

}  // namespace mneme::record
