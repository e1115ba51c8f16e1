// SPDX-License-Identifier: Apache-2.0
/// Written with one write(2) a line, so lines of threads and processes do not mix.
#include "base/log.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>

namespace mneme {
namespace {
LogLevel configuredLevel() {
  static const LogLevel level = [] {
    constexpr std::array<std::string_view, 4> kNames{"error", "warn", "info", "debug"};
    const char* text = std::getenv("MNEME_LOG");
    for (size_t i = 0; text && i < kNames.size(); ++i)
      if (kNames[i] == text) return static_cast<LogLevel>(i);
    return LogLevel::Warn;
  }();
  return level;
}
}  // namespace

bool logEnabled(LogLevel level) { return level <= configuredLevel(); }

void log(LogLevel level, std::string_view message) {
  if (!logEnabled(level)) return;
  std::string line = "mneme: " + std::string(message) + "\n";
  [[maybe_unused]] auto ignored = ::write(STDERR_FILENO, line.data(), line.size());
}

void logOnce(LogLevel level, std::string_view message) {
  static std::mutex mutex;
  static auto& seen = *new std::set<std::string, std::less<>>;  // outlives static destructors
  {
    std::lock_guard lock(mutex);
    if (!seen.emplace(message).second) return;
  }
  log(level, message);
}

}  // namespace mneme
