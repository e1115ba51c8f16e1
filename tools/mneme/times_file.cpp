// SPDX-License-Identifier: Apache-2.0
/// See times_file.h.
#include "times_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"

namespace mneme::cli {
namespace {

constexpr unsigned kFormat = 1;
constexpr uint64_t kMaxBytes = 64u << 20;
constexpr size_t kFewest = 4;

Expected<nlohmann::json> load(const std::filesystem::path& file) {
  auto text = readText(file, kMaxBytes);
  if (!text) return std::move(text).error();
  auto all = nlohmann::json::parse(*text, nullptr, false);
  if (!all.is_object() || !all.contains("times") || !all["times"].is_object())
    return Error(ErrorCode::InvalidArgument, file.string() + " holds no times of mneme gate --save-times");
  if (!all["format"].is_number_unsigned() || all["format"].get<unsigned>() > kFormat)
    return Error(ErrorCode::Unsupported, file.string() + " is of a newer version of Mneme");
  return all;
}

std::string textOf(const nlohmann::json& all, const char* key) {
  return all.contains(key) && all[key].is_string() ? all[key].get<std::string>() : std::string();
}

/// The first difference; what one side does not know is none.
Expected<void> checkOrigin(const nlohmann::json& all, const TimesOrigin& origin, const std::filesystem::path& file) {
  const std::pair<const char*, const std::string&> keys[]{
      {"device", origin.device}, {"driver", origin.driver}, {"compiler", origin.compiler}};
  for (const auto& [key, here] : keys)
    if (const auto there = textOf(all, key); !there.empty() && !here.empty() && there != here)
      return Error(ErrorCode::Mismatch, "the times in " + file.string() + " are of another " + key + ": " + there +
                                            ", here it is " + here);
  return {};
}

Expected<StoredTimes> timesFrom(const nlohmann::json& entry, const std::string& where) {
  const Error wrong(ErrorCode::InvalidArgument, where + " is not a list of at least " + std::to_string(kFewest) + " times");
  if (!entry.is_object() || !entry.contains("medians_ns") || !entry["medians_ns"].is_array()) return wrong;
  StoredTimes times;
  times.cache = textOf(entry, "cache");
  if (entry.contains("batch") && entry["batch"].is_number_unsigned()) times.batch = entry["batch"].get<unsigned>();
  for (const auto& value : entry["medians_ns"]) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0) return wrong;
    times.medians.push_back(value.get<double>());
  }
  if (times.medians.size() < kFewest) return wrong;
  return times;
}

}  // namespace

Expected<void> storeTimes(const std::filesystem::path& file, const std::string& recording, const TimesOrigin& origin,
                          const StoredTimes& times) {
  nlohmann::json all{{"format", kFormat}, {"device", origin.device}, {"driver", origin.driver}, {"compiler", origin.compiler},
                     {"times", nlohmann::json::object()}};
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    auto present = load(file);
    if (!present) return std::move(present).error();
    if (auto same = checkOrigin(*present, origin, file); !same) return std::move(same).error().context("not added");
    all = std::move(*present);
  }
  all["times"][recording] = {{"cache", times.cache}, {"batch", times.batch}, {"medians_ns", times.medians}};
  return writeAtomically(file, all.dump(2) + "\n");
}

Expected<StoredTimes> loadTimes(const std::filesystem::path& file, const std::string& recording, const TimesOrigin& origin) {
  auto all = load(file);
  if (!all) return std::move(all).error();
  if (auto same = checkOrigin(*all, origin, file); !same) return std::move(same).error();
  const auto& times = (*all)["times"];
  if (!times.contains(recording))
    return Error(ErrorCode::NotFound, "no baseline: " + file.string() + " has no times of " + recording);
  return timesFrom(times[recording], file.string() + ": " + recording);
}

}  // namespace mneme::cli
