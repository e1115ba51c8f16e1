// SPDX-License-Identifier: Apache-2.0
/// A line is one write(2) to a file opened for appending, so lines of threads, ranks and processes do not mix.
#include "record/report.h"

#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"
#include "format/manifest.h"

namespace mneme::record {
namespace {

const char* nameOf(Event event) {
  switch (event) {
    case Event::Added: return "added";
    case Event::Replaced: return "replaced";
    case Event::Dropped: return "dropped";
    case Event::Refused: return "refused";
    case Event::Seen: return "seen";
    case Event::Captured: return "captured";
    case Event::OtherRank: return "other-rank";
    case Event::NotRecorded: break;
  }
  return "not-recorded";
}

}  // namespace

bool Report::append(Event event, const std::filesystem::path& manifest, const std::string& kernel,
                    const std::string& reason, uint64_t times, bool captured) {
  if (path_.empty()) return false;
  nlohmann::json line = {{"event", nameOf(event)}, {"kernel", kernel}};
  if (!manifest.empty()) line["manifest"] = manifest.string();
  if (!reason.empty()) line["reason"] = reason;
  if (times != 1) line["times"] = times;
  if (captured) line["captured"] = true;
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  auto file = openFile(path_, O_WRONLY | O_APPEND | O_CREAT);
  Expected<void> written = file ? writeAll(file->get(), std::as_bytes(std::span(text)), path_)
                                : Expected<void>(std::move(file).error());
  if (!written) logOnce(LogLevel::Warn, written.error().message());
  return written.has_value();
}

void Report::written(Event event, const std::filesystem::path& manifest, const std::string& kernel) {
  append(event, manifest, kernel, {});
  if (logEnabled(LogLevel::Info)) log(LogLevel::Info, std::string(nameOf(event)) + " " + manifest.string());
}

void Report::dropped(const std::string& kernel, const std::string& reason, bool captured) {
  if (append(Event::Dropped, {}, kernel, reason, 1, captured)) return;
  std::lock_guard lock(mutex_);
  if (said_.insert(reason).second) log(LogLevel::Warn, "a launch of " + format::demangle(kernel) + " was not recorded: " + reason);
}

void Report::refused(const std::string& kernel, const std::string& reason, bool captured) {
  if (append(Event::Refused, {}, kernel, reason, 1, captured)) return;
  std::lock_guard lock(mutex_);
  const std::string line = format::demangle(kernel) + " cannot be recorded: " + reason;
  if (said_.insert(line).second) log(LogLevel::Warn, line);
}

void Report::seen(const std::string& kernel, bool eligible) {
  append(Event::Seen, {}, kernel, eligible ? "" : "not selected");
}

void Report::captured(const std::string& kernel) { append(Event::Captured, {}, kernel, {}); }

void Report::otherRank(uint32_t rank) { append(Event::OtherRank, {}, {}, "rank " + std::to_string(rank)); }

void Report::notRecorded(const std::string& kernel, const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    if (counts_[{kernel, reason}]++ > 0) return;
  }
  append(Event::NotRecorded, {}, kernel, reason);  // now: the program may be killed
}

void Report::sayCounts() {
  std::lock_guard lock(mutex_);
  for (const auto& [what, count] : std::exchange(counts_, {})) {
    if (!path_.empty() && (count == 1 || append(Event::NotRecorded, {}, what.first, what.second, count - 1))) continue;
    log(LogLevel::Warn, std::to_string(count) + (count == 1 ? " launch of " : " launches of ") +
                            format::demangle(what.first) +
                            " not recorded: " + what.second);
  }
}

}  // namespace mneme::record
