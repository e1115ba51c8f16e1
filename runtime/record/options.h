// SPDX-License-Identifier: Apache-2.0
/// What the user asked the recorder to do: MNEME_RECORD and the MNEME_RECORD_* environment, read once.
/// A value that makes no sense is an Error naming the variable; the program then runs unrecorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"

namespace mneme::record {

/// A POSIX extended regular expression that matches anywhere in a text. Copies share it; matching is thread-safe.
class Pattern {
 public:
  [[nodiscard]] static Expected<Pattern> compile(const std::string& text);
  [[nodiscard]] bool matches(const std::string& text) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Compiled;
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

enum class Reach { Reachable, All };

struct Options {
  std::filesystem::path directory;
  std::optional<Pattern> kernels;  ///< on the mangled, the demangled or the short name
  uint64_t skip = 0;               ///< launches of each kernel
  uint64_t max = 1;                ///< recordings of each kernel, 0: no limit
  bool distinct = false;           ///< one for each shape and argument bytes
  Reach reach = Reach::Reachable;
  bool rankSelected = true;
  uint32_t rank = 0;
  uint64_t maxBytes = 0;  ///< of new data in the set, 0: no limit
  bool append = false;
  uint64_t memoryBytes = 0;  ///< most that captured memory waiting to be written may hold
  std::chrono::milliseconds deadline{2000};
  std::filesystem::path report;  ///< empty: none
};

/// Looks a variable up; nullptr if unset, like getenv.
using Environment = std::function<const char*(const char* name)>;

/// nullopt: MNEME_RECORD is unset or empty.
[[nodiscard]] Expected<std::optional<Options>> optionsFrom(const Environment& environment);

}  // namespace mneme::record
