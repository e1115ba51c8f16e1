// SPDX-License-Identifier: Apache-2.0
/// See gate_report.h.
#include "gate_report.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>

#include "base/file.h"
#include "base/printable.h"

namespace mneme::cli {
namespace {

constexpr size_t kShownAnnotations = 10;       // of each kind, by GitHub
constexpr size_t kSummaryBytes = 900 * 1024;   // of the 1 MiB that GitHub takes
constexpr const char* kSummaryHead =
    "### Mneme gates\n\n| recording | kind | verdict | ratio (95 %) | baseline, µs | candidate, µs | device | what |\n"
    "|---|---|---|---|---|---|---|---|\n";

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string text(const ReplayResult& result, const char* key) {
  const auto found = result.data.find(key);
  return found != result.data.end() && found->is_string() ? found->get<std::string>() : "";
}

/// GitHub's own escapes for the text of a command.
std::string escaped(const std::string& message) {
  std::string out;
  for (char c : message) switch (c) {
      case '%': out += "%25"; break;
      case '\r': out += "%0D"; break;
      case '\n': out += "%0A"; break;
      default: out += c;
    }
  return out;
}

std::string escapedProperty(const std::string& value) {
  std::string out;
  for (char c : escaped(value)) switch (c) {
      case ':': out += "%3A"; break;
      case ',': out += "%2C"; break;
      default: out += c;
    }
  return out;
}

bool isError(const ReplayResult& r) { return r.exitCode != kPass && r.exitCode != kNotHere; }
bool isWarning(const ReplayResult& r) {
  const auto verdict = text(r, "verdict");
  return !isError(r) && (verdict == "undecided" || verdict == "improvement");
}

std::string joined(const std::vector<std::string>& lines, const char* between) {
  std::string all;
  for (const auto& line : lines) all += (all.empty() ? "" : between) + printable(line);
  return all;
}

std::string annotation(const char* level, const ReplayResult& result) {
  std::string place;
  if (auto source = text(result, "source"); !source.empty()) {
    place = "file=" + escapedProperty(source) + ",";
    if (result.data.contains("line")) place += "line=" + result.data["line"].dump() + ",";
  }
  const std::string title = "mneme " + text(result, "kind") + ": " + text(result, "name");
  return std::string("::") + level + " " + place + "title=" + escapedProperty(title) + "::" + escaped(joined(result.lines, "\n")) + "\n";
}

std::string annotationsOf(const char* level, std::span<const ReplayResult> results, bool (*wanted)(const ReplayResult&)) {
  std::string all;
  const auto count = static_cast<size_t>(std::count_if(results.begin(), results.end(), wanted));
  size_t shown = 0;
  for (const auto& result : results) {
    if (!wanted(result)) continue;
    if (shown + 1 == kShownAnnotations && count > kShownAnnotations)
      return all + "::" + level + " title=mneme::and " + std::to_string(count - shown) + " more: see the step summary\n";
    all += annotation(level, result);
    ++shown;
  }
  return all;
}

/// A cell of a markdown table: nothing of what it says may end it.
std::string cell(const std::string& value) {
  std::string out;
  for (char c : printable(value)) {
    if (c == '|' || c == '`' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

std::string number(const nlohmann::json& data, const char* key, const char* form, double scale = 1) {
  const auto found = data.find(key);
  if (found == data.end() || !found->is_number()) return "";
  char out[48];
  std::snprintf(out, sizeof out, form, found->get<double>() * scale);
  return out;
}

std::string ratioCell(const nlohmann::json& data) {
  auto ratio = number(data, "ratio", "%.4f");
  return ratio.empty() ? "" : ratio + " (" + number(data, "ratio_low", "%.4f") + " to " + number(data, "ratio_high", "%.4f") + ")";
}

std::string row(const ReplayResult& result) {
  const auto& data = result.data;
  return "| " + cell(text(result, "name")) + " | " + cell(text(result, "kind")) + " | " +
         std::string(isError(result) ? "**" : "") + cell(text(result, "verdict")) + (isError(result) ? "**" : "") + " | " +
         ratioCell(data) + " | " + number(data, "baseline_ns", "%.3f", 1e-3) + " | " + number(data, "candidate_ns", "%.3f", 1e-3) +
         " | " + cell(text(result, "device")) + " | " + (result.exitCode == kPass ? "" : cell(joined(result.lines, " "))) + " |\n";
}

/// A label's value in OpenMetrics.
std::string label(const std::string& value) {
  std::string out;
  for (char c : printable(value)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

struct Metric {
  const char* key;
  const char* name;
  const char* help;
};

constexpr Metric kMetrics[]{{"ratio", "mneme_gate_ratio", "candidate over baseline"},
                            {"baseline_ns", "mneme_gate_baseline_nanoseconds", "one launch of the baseline"},
                            {"candidate_ns", "mneme_gate_candidate_nanoseconds", "one launch of the candidate"},
                            {"registers", "mneme_gate_registers", "registers of a thread"},
                            {"spills", "mneme_gate_spill_bytes", "bytes that a thread spills"},
                            {"occupancy", "mneme_gate_occupancy", "share of the warps that fit"}};

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char out[32];
  std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return out;
}

std::string commit() {
  for (const char* name : {"GITHUB_SHA", "CI_COMMIT_SHA"})
    if (*environment(name)) return environment(name);
  return "";
}

Expected<void> appendTo(const std::filesystem::path& path, const std::string& more) {
  auto file = openFile(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!file) return std::move(file).error();
  return writeAll(file->get(), std::as_bytes(std::span(more)), path);
}

}  // namespace

std::string githubAnnotations(std::span<const ReplayResult> results) {
  return annotationsOf("error", results, isError) + annotationsOf("warning", results, isWarning);
}

std::string markdownSummary(std::span<const ReplayResult> results, bool withHead) {
  std::vector<const ReplayResult*> order;
  for (const auto& result : results) order.push_back(&result);
  std::stable_partition(order.begin(), order.end(), [](const ReplayResult* result) { return isError(*result); });
  std::string all = withHead ? kSummaryHead : "";
  size_t left = order.size();
  for (const auto* result : order) {
    auto line = row(*result);
    if (all.size() + line.size() > kSummaryBytes) break;
    all += line;
    --left;
  }
  if (left > 0) all += "\nand " + std::to_string(left) + " more that pass or come later\n";
  return all;
}

std::string metricsText(std::span<const ReplayResult> results) {
  std::string all;
  for (const auto& metric : kMetrics) {
    std::string values;
    for (const auto& result : results)
      if (auto value = number(result.data, metric.key, "%.9g"); !value.empty())
        values += std::string(metric.name) + "{recording=\"" + label(text(result, "name")) + "\",device=\"" +
                  label(text(result, "device")) + "\"} " + value + "\n";
    if (!values.empty()) all += std::string("# TYPE ") + metric.name + " gauge\n# HELP " + metric.name + " " + metric.help + "\n" + values;
  }
  return all + "# EOF\n";
}

Expected<void> reportToGithub(std::span<const ReplayResult> results) {
  if (std::string(environment("GITHUB_ACTIONS")) == "true") std::fputs(githubAnnotations(results).c_str(), stdout);
  const std::string summary = environment("GITHUB_STEP_SUMMARY");
  if (summary.empty()) return {};
  const auto present = readText(summary, kSummaryBytes);
  // Tests of one step each run a command of their own: they share the table that the first one began.
  const bool goesOn = present && present->find(kSummaryHead) != std::string::npos && present->ends_with("|\n");
  return appendTo(summary, (present && !present->empty() && !goesOn ? "\n" : "") + markdownSummary(results, !goesOn));
}

std::string historyLines(std::span<const ReplayResult> results) {
  std::string all;
  const auto time = now();
  for (const auto& result : results) {
    nlohmann::json line{{"time", time}, {"commit", commit()}, {"exit", result.exitCode}};
    for (const char* key : {"name", "kind", "verdict", "device", "driver", "compiler", "ratio", "ratio_low", "ratio_high",
                            "baseline_ns", "candidate_ns", "registers", "spills", "occupancy"})
      if (result.data.contains(key)) line[key] = result.data[key];
    all += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return all;
}

Expected<void> appendHistory(const std::filesystem::path& file, std::span<const ReplayResult> results) {
  return appendTo(file, historyLines(results));
}

}  // namespace mneme::cli
