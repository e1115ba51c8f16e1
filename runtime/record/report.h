// SPDX-License-Identifier: Apache-2.0
/// What became of each selected launch: one JSON line an event for `mneme record`, and for people one line on stderr per
/// reason, said once. Thread-safe; several processes may append to one report.
/// Kernels are given by their mangled names; people see them demangled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace mneme::record {

enum class Event { Added, Replaced, Dropped, Refused, NotRecorded, Seen, Captured, OtherRank };

/// What is not recorded is said once: in the report's file where there is one, for who reads it, else on stderr.
class Report {
 public:
  /// An empty path: no file.
  explicit Report(std::filesystem::path path) : path_(std::move(path)) {}

  /// On disk. `manifest` as the writer returned it.
  void written(Event event, const std::filesystem::path& manifest, const std::string& kernel);
  /// Not recorded for a passing or outside reason; said once a reason, whatever the kernel.
  /// `captured`: after captured().
  void dropped(const std::string& kernel, const std::string& reason, bool captured = false);
  /// Cannot be recorded; said once for each kernel and reason.
  void refused(const std::string& kernel, const std::string& reason, bool captured = false);
  /// For the file alone: a kernel's first launch, whether it can be selected at all; a launch whose memory is captured and
  /// waits to be written; a process that records nothing because of its rank.
  void seen(const std::string& kernel, bool eligible);
  void captured(const std::string& kernel);
  void otherRank(uint32_t rank);
  /// Seen where recording is impossible; counted, said by sayCounts().
  void notRecorded(const std::string& kernel, const std::string& reason);
  void sayCounts();

 private:
  /// False if nothing could be written: then stderr has to say it.
  bool append(Event event, const std::filesystem::path& manifest, const std::string& kernel, const std::string& reason,
              uint64_t times = 1, bool captured = false);

  const std::filesystem::path path_;
  std::mutex mutex_;
  std::set<std::string> said_;
  std::map<std::pair<std::string, std::string>, uint64_t> counts_;
};

}  // namespace mneme::record
