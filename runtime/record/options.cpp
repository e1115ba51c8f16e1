// SPDX-License-Identifier: Apache-2.0
/// One small parser for each kind of value; the table of variables is optionsFrom.
#include "record/options.h"

#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>

namespace mneme::record {

struct Pattern::Compiled {
  regex_t regex{};
  ~Compiled() { regfree(&regex); }
};

Expected<Pattern> Pattern::compile(const std::string& text) {
  auto compiled = std::make_unique<Compiled>();
  if (int code = regcomp(&compiled->regex, text.c_str(), REG_EXTENDED | REG_NOSUB); code != 0) {
    std::array<char, 128> reason{};
    regerror(code, &compiled->regex, reason.data(), reason.size());
    compiled->regex = {};
    return Error(ErrorCode::InvalidArgument, "'" + text + "' is not a regular expression: " + reason.data());
  }
  Pattern pattern;
  pattern.text_ = text;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool Pattern::matches(const std::string& text) const {
  return regexec(&compiled_->regex, text.c_str(), 0, nullptr, 0) == 0;
}

namespace {

Error invalid(const char* variable, std::string_view text, const char* wanted) {
  return {ErrorCode::InvalidArgument,
          std::string(variable) + "='" + std::string(text) + "' is not " + wanted};
}

std::optional<uint64_t> parseNumber(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "4096", "512K", "64M", "2G": powers of 1024.
std::optional<uint64_t> parseBytes(std::string_view text) {
  constexpr std::string_view kSuffixes = "KMGT";
  unsigned shift = 0;
  if (!text.empty()) {
    const char suffix = static_cast<char>(text.back() & ~0x20);
    if (size_t at = kSuffixes.find(suffix); at != std::string_view::npos && text.size() > 1) {
      shift = 10 * static_cast<unsigned>(at + 1);
      text.remove_suffix(1);
    }
  }
  auto value = parseNumber(text);
  if (!value || *value > std::numeric_limits<uint64_t>::max() >> shift) return std::nullopt;
  return *value << shift;
}

std::optional<bool> parseFlag(std::string_view text) {
  if (text == "1" || text == "on" || text == "true" || text == "yes") return true;
  if (text == "0" || text == "off" || text == "false" || text == "no") return false;
  return std::nullopt;
}

/// "all", or a list like "0,2,8-11". nullopt: not such a list.
std::optional<bool> rankListHolds(std::string_view list, uint64_t rank) {
  if (list == "all") return true;
  bool holds = false;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const size_t dash = item.find('-');
    const auto first = parseNumber(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parseNumber(item.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    holds = holds || (*first <= rank && rank <= *last);
    if (comma == std::string_view::npos) return holds;
    list.remove_prefix(comma + 1);
  }
}

/// What launchers of parallel programs set, the widest known first.
std::optional<uint32_t> rankFrom(const Environment& environment) {
  constexpr std::array kVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK",        "PMI_RANK",       "MV2_COMM_WORLD_RANK",
                                  "ALPS_APP_PE",          "PALS_RANKID",      "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK",
                                  "SLURM_PROCID",         "MPI_LOCALRANKID"};
  for (const char* variable : kVariables)
    if (const char* text = environment(variable))
      if (auto rank = parseNumber(text); rank && *rank <= std::numeric_limits<uint32_t>::max())
        return static_cast<uint32_t>(*rank);
  return std::nullopt;
}

/// Half of this machine's memory.
uint64_t defaultMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) / 2 : uint64_t{1} << 30;
}

/// Reads one variable into `target` if it is set.
template <typename T, typename Parse>
Expected<void> readInto(const Environment& environment, const char* variable, const char* wanted, Parse parse,
                        T& target) {
  const char* text = environment(variable);
  if (!text) return {};
  auto value = parse(std::string_view(text));
  if (!value) return invalid(variable, text, wanted);
  target = static_cast<T>(*value);
  return {};
}

Expected<void> readKernels(const Environment& environment, Options& options) {
  const char* text = environment("MNEME_RECORD_KERNEL");
  if (!text || !*text) return {};
  auto pattern = Pattern::compile(text);
  if (!pattern) return std::move(pattern).error().context("MNEME_RECORD_KERNEL");
  options.kernels = std::move(*pattern);
  return {};
}

/// Without a list, rank 0 alone records; a program that no launcher started is rank 0.
Expected<void> readRanks(const Environment& environment, Options& options) {
  options.rank = rankFrom(environment).value_or(0);
  options.rankSelected = options.rank == 0;
  return readInto(environment, "MNEME_RECORD_RANKS", "'all' or a list such as 0,2,8-11",
                  [&](std::string_view list) { return rankListHolds(list, options.rank); }, options.rankSelected);
}

std::optional<Reach> parseReach(std::string_view text) {
  if (text == "reachable") return Reach::Reachable;
  if (text == "all") return Reach::All;
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> parseMilliseconds(std::string_view text) {
  constexpr uint64_t kDay = 24 * 3600 * 1000;
  auto value = parseNumber(text);
  if (!value || *value > kDay) return std::nullopt;
  return std::chrono::milliseconds(*value);
}

}  // namespace

Expected<std::optional<Options>> optionsFrom(const Environment& environment) {
  const char* directory = environment("MNEME_RECORD");
  if (!directory || !*directory) return std::optional<Options>();
  Options options;
  options.directory = directory;
  options.memoryBytes = defaultMemory();
  if (const char* report = environment("MNEME_RECORD_REPORT")) options.report = report;

  const char* kNumber = "a whole number";
  const char* kBytes = "a size such as 4096, 512K, 64M or 2G";
  const char* kFlag = "0 or 1";
  Expected<void> read = readKernels(environment, options);
  auto next = [&](const char* variable, const char* wanted, auto parse, auto& target) {
    if (read) read = readInto(environment, variable, wanted, parse, target);
  };
  next("MNEME_RECORD_DISTINCT", kFlag, parseFlag, options.distinct);
  if (options.distinct) options.max = 0;
  next("MNEME_RECORD_SKIP", kNumber, parseNumber, options.skip);
  next("MNEME_RECORD_MAX", kNumber, parseNumber, options.max);
  next("MNEME_RECORD_REACH", "'reachable' or 'all'", parseReach, options.reach);
  next("MNEME_RECORD_MAX_BYTES", kBytes, parseBytes, options.maxBytes);
  next("MNEME_RECORD_APPEND", kFlag, parseFlag, options.append);
  next("MNEME_RECORD_MEMORY", kBytes, parseBytes, options.memoryBytes);
  next("MNEME_RECORD_DEADLINE_MS", "a number of milliseconds, at most a day", parseMilliseconds, options.deadline);
  if (read) read = readRanks(environment, options);
  if (!read) return std::move(read).error();
  return std::optional<Options>(std::move(options));
}

}  // namespace mneme::record
