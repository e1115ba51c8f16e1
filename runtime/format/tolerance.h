// SPDX-License-Identifier: Apache-2.0
/// How far an answer may be off: the `--tolerance` specification and the set's tolerance.json, which people review.
/// An empty field says nothing; what says nothing falls back to the next source (flag > file > annotation > default).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mneme::format {

/// Limits for one buffer, or for all of a kernel's buffers where `buffer` is empty. An element passes if it is within
/// atol + rtol * |expected|, or within ulp.
struct Tolerance {
  std::optional<double> atol, rtol;
  std::optional<uint64_t> ulp;
  std::optional<std::string> buffer;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

/// `[buffer:]atol=…,rtol=…,ulp=…`, at least one of the three; InvalidArgument says what is wrong and shows the form.
[[nodiscard]] Expected<Tolerance> parseTolerance(std::string_view specification);
/// The same form, parsed back to an equal value.
[[nodiscard]] std::string toText(const Tolerance& tolerance);

/// One line of tolerance.json.
struct ToleranceEntry {
  std::string kernel;  ///< mangled
  Tolerance tolerance;
};

/// The set's tolerance.json as a value; sorted by kernel and buffer when written.
class ToleranceFile {
 public:
  /// An empty one if the set has no tolerance.json; CorruptRecording if it is not what it should be.
  [[nodiscard]] static Expected<ToleranceFile> load(const std::filesystem::path& set);
  [[nodiscard]] static Expected<ToleranceFile> parse(std::string_view json, const std::string& origin);

  [[nodiscard]] const std::vector<ToleranceEntry>& entries() const { return entries_; }
  /// The entry for that buffer, else the kernel's entry for all buffers, else nullptr.
  [[nodiscard]] const Tolerance* find(std::string_view kernel, std::string_view buffer) const;
  [[nodiscard]] const Tolerance* findExactly(const std::string& kernel, const std::optional<std::string>& buffer) const;
  /// Replaces the entry of the same kernel and buffer.
  void set(const std::string& kernel, const Tolerance& tolerance);

  [[nodiscard]] std::string toJson() const;

 private:
  void sort();
  std::vector<ToleranceEntry> entries_;
};

/// Reads, changes and writes the set's tolerance.json as one step under the set's lock: of processes that do so at once none
/// loses what another wrote. Nothing is written if `change` fails.
[[nodiscard]] Expected<void> updateTolerances(const std::filesystem::path& set,
                                              const std::function<Expected<void>(ToleranceFile&)>& change);

/// Whose tolerance counts where two say different things of one kernel and buffer.
enum class OnConflict { Refuse, Keep, Take };

/// Adds entries to `file`. With Refuse: InvalidArgument, naming both, where one of them contradicts an entry of `file`.
[[nodiscard]] Expected<void> mergeTolerances(ToleranceFile& file, std::span<const ToleranceEntry> entries,
                                             const std::string& origin, OnConflict onConflict);

}  // namespace mneme::format
