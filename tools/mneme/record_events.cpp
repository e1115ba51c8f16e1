// SPDX-License-Identifier: Apache-2.0
/// See record_events.h.
#include "record_events.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "format/manifest.h"

namespace mneme::cli {
namespace {

void addOnce(RecordEvents& events, const std::string& event, const std::filesystem::path& manifest) {
  auto known = events.recorded();
  if (std::find(known.begin(), known.end(), manifest) != known.end()) return;
  (event == "replaced" ? events.replaced : events.added).push_back(manifest);
}

void take(RecordEvents& events, const nlohmann::json& line) {
  const auto event = line.value("event", ""), reason = line.value("reason", "");
  const auto kernel = format::demangle(line.value("kernel", ""));
  if (event == "seen") return static_cast<void>((reason.empty() ? events.selectable : events.others).insert(kernel));
  if (event == "other-rank") return static_cast<void>(events.otherRanks.insert(reason));
  if (event == "captured") return static_cast<void>(++events.lost[kernel]);
  const bool wasCaptured = event == "added" || event == "replaced" || line.value("captured", false);
  if (auto lost = events.lost.find(kernel); wasCaptured && lost != events.lost.end() && --lost->second <= 0)
    events.lost.erase(lost);
  if (event == "added" || event == "replaced") return addOnce(events, event, line.value("manifest", ""));
  events.missed[kernel + ": " + reason] += line.value("times", uint64_t{1});
}

}  // namespace

std::vector<std::filesystem::path> RecordEvents::recorded() const {
  auto all = added;
  all.insert(all.end(), replaced.begin(), replaced.end());
  return all;
}

Expected<RecordEvents> readRecordEvents(const std::filesystem::path& report) {
  auto text = readText(report);
  if (!text) return std::move(text).error();
  RecordEvents events;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    auto parsed = nlohmann::json::parse(line, nullptr, false);
    if (!parsed.is_object()) continue;
    try {
      take(events, parsed);
    } catch (const nlohmann::json::exception&) {
      continue;  // a field of another type: not one of our lines
    }
  }
  return events;
}

}  // namespace mneme::cli
