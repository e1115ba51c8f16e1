// SPDX-License-Identifier: Apache-2.0
/// `mneme history`: looks back over the lines that `mneme gate --history` appended: how each kernel's time went, and where it
/// changed its level.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "base/printable.h"
#include "command.h"
#include "gate/change_points.h"
#include "text.h"

namespace mneme::cli {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{256} << 20;
constexpr size_t kShownRuns = 300;  // of each kernel, the last ones
constexpr double kWidth = 640, kHeight = 120, kMargin = 8;

struct Arguments {
  std::string file = "mneme-history.jsonl", kernel, html;
  bool json = false;
};

struct Run {
  std::string time, commit, verdict;
  double nanoseconds = 0;
};

/// Of one recording on one device model.
struct Series {
  std::string name, device;
  std::vector<Run> runs;
  std::vector<gate::Segment> segments;
};

std::string textOf(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Lines that are none of a perf gate's, or are damaged, are passed over; `damaged` counts those. CorruptRecording if that is
/// every line.
Expected<std::vector<Series>> readSeries(const Arguments& arguments, size_t& damaged) {
  auto text = readText(arguments.file, kMaxBytes);
  if (!text) return std::move(text).error();
  std::map<std::pair<std::string, std::string>, Series> all;
  std::istringstream lines(*text);
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    const auto data = nlohmann::json::parse(line, nullptr, false);
    if (!data.is_object()) {
      damaged += !line.empty();
      continue;
    }
    any = true;
    const auto time = data.find("candidate_ns");
    if (textOf(data, "kind") != "perf" || time == data.end() || !time->is_number() || !(time->get<double>() > 0)) continue;
    auto& series = all[{textOf(data, "name"), textOf(data, "device")}];
    series.name = textOf(data, "name");
    series.device = textOf(data, "device");
    series.runs.push_back({textOf(data, "time"), textOf(data, "commit"), textOf(data, "verdict"), time->get<double>()});
  }
  if (!any && damaged > 0)
    return Error(ErrorCode::CorruptRecording, arguments.file + " holds no line that can be read; name a file that mneme gate --history FILE wrote");
  std::vector<Series> found;
  for (auto& [key, series] : all) found.push_back(std::move(series));
  return found;
}

Expected<void> keepMatching(std::vector<Series>& all, const std::string& pattern) {
  if (pattern.empty()) return {};
  try {
    const std::regex wanted(pattern);
    std::erase_if(all, [&](const Series& series) { return !std::regex_search(series.name, wanted); });
    return {};
  } catch (const std::regex_error&) {
    return Error{ErrorCode::InvalidArgument, "--kernel " + pattern + " is not a regular expression"};
  }
}

void findChanges(Series& series) {
  if (series.runs.size() > kShownRuns) series.runs.erase(series.runs.begin(), series.runs.end() - kShownRuns);
  std::stable_sort(series.runs.begin(), series.runs.end(), [](const Run& a, const Run& b) { return a.time < b.time; });
  std::vector<double> times;
  for (const auto& run : series.runs) times.push_back(run.nanoseconds);
  series.segments = gate::segments(times);
}

std::string when(const Run& run) { return run.time + (run.commit.empty() ? "" : " (" + run.commit.substr(0, 12) + ")"); }

std::string changeText(const Series& series, size_t segment) {
  const double before = series.segments[segment - 1].level, after = series.segments[segment].level;
  char percent[32];
  std::snprintf(percent, sizeof percent, "%+.1f %%", (after / before - 1) * 100);
  return timeText(std::llround(before)) + " -> " + timeText(std::llround(after)) + " (" + percent + ") since " +
         when(series.runs[series.segments[segment].first]);
}

void print(const Series& series) {
  std::printf("%s on %s: %s, last %s, level %s\n", printable(series.name).c_str(), printable(series.device).c_str(),
              counted(series.runs.size(), "run").c_str(), timeText(std::llround(series.runs.back().nanoseconds)).c_str(),
              timeText(std::llround(series.segments.back().level)).c_str());
  for (size_t i = 1; i < series.segments.size(); ++i) std::printf("  %s\n", printable(changeText(series, i)).c_str());
}

nlohmann::json toJson(const Series& series) {
  auto runs = nlohmann::json::array(), changes = nlohmann::json::array();
  for (const auto& run : series.runs)
    runs.push_back({{"time", run.time}, {"commit", run.commit}, {"verdict", run.verdict}, {"candidate_ns", run.nanoseconds}});
  for (size_t i = 1; i < series.segments.size(); ++i) {
    const auto& at = series.runs[series.segments[i].first];
    changes.push_back({{"time", at.time}, {"commit", at.commit}, {"before_ns", series.segments[i - 1].level},
                       {"after_ns", series.segments[i].level}});
  }
  return {{"name", series.name}, {"device", series.device}, {"runs", runs}, {"changes", changes}};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : printable(text)) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

/// Places runs on the plot: time from left to right, slower is higher.
class Plot {
 public:
  explicit Plot(const Series& series) : series_(series) {
    for (const auto& run : series.runs) {
      low_ = std::min(low_, run.nanoseconds);
      high_ = std::max(high_, run.nanoseconds);
    }
    if (high_ <= low_ * 1.02) low_ *= 0.98, high_ *= 1.02;  // noise alone shall not look like a mountain range
  }

  [[nodiscard]] std::string svg() const {
    std::string text = "<svg viewBox=\"0 0 640 120\" width=\"640\" height=\"120\" role=\"img\">";
    for (size_t i = 1; i < series_.segments.size(); ++i) text += mark(series_.segments[i].first);
    for (const auto& segment : series_.segments) text += level(segment);
    for (size_t i = 0; i < series_.runs.size(); ++i) text += dot(i);
    return text + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(size_t run) const {
    const double steps = std::max<double>(1, static_cast<double>(series_.runs.size()) - 1);
    return kMargin + static_cast<double>(run) / steps * (kWidth - 2 * kMargin);
  }
  [[nodiscard]] double y(double value) const { return kHeight - kMargin - (value - low_) / (high_ - low_) * (kHeight - 2 * kMargin); }

  [[nodiscard]] std::string mark(size_t run) const {
    char text[160];
    std::snprintf(text, sizeof text, "<line class=\"change\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"120\"/>", x(run), x(run));
    return text;
  }
  [[nodiscard]] std::string level(const gate::Segment& segment) const {
    char text[160];
    std::snprintf(text, sizeof text, "<line class=\"level\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x(segment.first),
                  y(segment.level), x(segment.last), y(segment.level));
    return text;
  }
  [[nodiscard]] std::string dot(size_t run) const {
    char text[120];
    std::snprintf(text, sizeof text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\">", x(run), y(series_.runs[run].nanoseconds));
    return text + ("<title>" + escaped(when(series_.runs[run]) + ": " + timeText(std::llround(series_.runs[run].nanoseconds))) + "</title></circle>");
  }

  const Series& series_;
  double low_ = INFINITY, high_ = 0;
};

std::string htmlOf(const std::vector<Series>& all) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Kernel times</title>\n<style>body{font:14px "
      "sans-serif;max-width:700px;margin:2em auto}svg{background:#f6f6f6}circle{fill:#456}.level{stroke:#27a;stroke-width:1.5}"
      ".change{stroke:#c33;stroke-dasharray:4 3}h2{font-size:16px}</style>\n<h1>Kernel times</h1>\n";
  for (const auto& series : all) {
    text += "<h2>" + escaped(series.name) + "</h2>\n<p>" + escaped(series.device) + ", " + counted(series.runs.size(), "run") +
            ", now " + timeText(std::llround(series.segments.back().level)) + "</p>\n" + Plot(series).svg();
    if (series.segments.size() > 1) text += "<ul>";
    for (size_t i = 1; i < series.segments.size(); ++i) text += "<li>" + escaped(changeText(series, i)) + "</li>";
    if (series.segments.size() > 1) text += "</ul>\n";
  }
  return text + "</html>\n";
}

void printAll(const std::vector<Series>& all, bool json) {
  if (!json) {
    for (const auto& series : all) print(series);
    return;
  }
  auto list = nlohmann::json::array();
  for (const auto& series : all) list.push_back(toJson(series));
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int runHistory(const Arguments& arguments) {
  size_t damaged = 0;
  auto all = readSeries(arguments, damaged);
  if (!all) return report(all.error());
  if (auto kept = keepMatching(*all, arguments.kernel); !kept) return report(kept.error());
  if (damaged > 0) std::fprintf(stderr, "mneme: %s of %s cannot be read\n", counted(damaged, "line").c_str(), arguments.file.c_str());
  if (all->empty() && !arguments.json)
    std::fprintf(stderr, "mneme: %s has no times of perf gates yet; mneme gate --history %s appends them\n", arguments.file.c_str(),
                 shellQuoted(arguments.file).c_str());
  for (auto& series : *all) findChanges(series);
  printAll(*all, arguments.json);
  if (arguments.html.empty()) return kPass;
  auto written = writeAtomically(arguments.html, htmlOf(*all));
  return written ? kPass : report(written.error());
}

}  // namespace

std::function<int()> setupHistory(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->file, "what `mneme gate --history FILE` wrote")->capture_default_str();
  app.add_option("--kernel", arguments->kernel, "only recordings whose name matches this regular expression");
  app.add_option("--html", arguments->html, "write a page with a plot of each recording, its changes marked, to this file");
  app.add_flag("--json", arguments->json, "print JSON");
  app.footer("Times of different device models are never joined. A change is a level that stays, not a single slow run.\n\n"
             "Example:\n  mneme gate recordings --code build/app --history times.jsonl && mneme history times.jsonl --html times.html");
  return [arguments] { return runHistory(*arguments); };
}

}  // namespace mneme::cli
