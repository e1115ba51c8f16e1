// SPDX-License-Identifier: Apache-2.0
/// `mneme report`: one HTML page of what tunings found, without a network: how each search went, what each parameter does,
/// the best configurations, why trials were lost, on which machine.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "base/file.h"
#include "base/printable.h"
#include "command.h"
#include "mneme/version.h"
#include "replay_job.h"
#include "set_text.h"
#include "text.h"
#include "tune/store.h"

namespace mneme::cli {
namespace {

constexpr double kWidth = 720, kHeight = 220, kLeft = 8, kRight = 8, kTop = 10, kBottom = 12;
constexpr size_t kBestRows = 20, kEffectValues = 24, kReasons = 5;

struct ReportOptions {
  std::vector<std::string> recordings{"recordings"};
  std::string output = "report.html";
};

struct Kernel {
  format::Manifest manifest;
  std::string name;
  std::vector<tune::StoredTrial> trials;  ///< in the order in which they were made
};

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Mneme tuning report</title>
<style>
:root { color-scheme: light dark; --ink: #1c2733; --soft: #66727f; --line: #d5dbe1; --paper: #fff; --panel: #f5f7f9; --mark: #0b6bcb; --base: #b3541e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ed; --soft: #97a3af; --line: #37424d; --paper: #14191f; --panel: #1c232b; --mark: #5db2ff; --base: #f0a060; } }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; overflow-wrap: anywhere; } h3 { font-size: 1rem; margin-bottom: .3rem; }
p.soft, td.soft { color: var(--soft); } figure { margin: 0; } figcaption { color: var(--soft); font-size: .9rem; }
svg { display: block; width: 100%; height: auto; background: var(--panel); border-radius: 6px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; } td.number, th.number { text-align: right; white-space: nowrap; }
.effects { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
.bar { display: grid; grid-template-columns: 6rem 1fr 4rem; gap: .4rem; align-items: center; font-size: .85rem; }
.bar span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .bar span:last-child { text-align: right; }
.bar i { display: block; height: .6rem; background: var(--mark); border-radius: 2px; }
</style></head><body>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : printable(std::string(text))) result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string time(double nanoseconds) { return timeText(static_cast<uint64_t>(nanoseconds)); }

const tune::StoredTrial* defaultOf(const Kernel& kernel) {
  for (const auto& trial : kernel.trials)
    if (trial.configuration.empty() && trial.result.worked()) return &trial;
  return nullptr;
}

std::vector<const tune::StoredTrial*> fastestFirst(const Kernel& kernel) {
  std::vector<const tune::StoredTrial*> worked;
  for (const auto& trial : kernel.trials)
    if (trial.result.worked()) worked.push_back(&trial);
  std::stable_sort(worked.begin(), worked.end(), [](const auto* a, const auto* b) { return a->result.nanoseconds < b->result.nanoseconds; });
  return worked;
}

/// Logarithmic, since a factor counts the same everywhere.
class Plot {
 public:
  Plot(size_t count, double low, double high) : count_(count), low_(std::log(low)), high_(std::log(std::max(high, low * 1.05))) {}
  [[nodiscard]] std::string x(size_t i) const { return fixed(kLeft + (kWidth - kLeft - kRight) * static_cast<double>(i) / static_cast<double>(std::max<size_t>(count_ - 1, 1))); }
  [[nodiscard]] std::string y(double value) const {
    return fixed(kTop + (kHeight - kTop - kBottom) * std::clamp((high_ - std::log(value)) / (high_ - low_), 0.0, 1.0));
  }

 private:
  size_t count_;
  double low_, high_;
};

/// Every trial a dot, the best so far a line, the default a dashed one. What is over five times the best lies on the upper edge.
std::string convergence(const Kernel& kernel, double best) {
  double worst = best;
  for (const auto& trial : kernel.trials)
    if (trial.result.worked()) worst = std::max(worst, trial.result.nanoseconds);
  const Plot plot(kernel.trials.size(), best, std::min(worst, 5 * best));
  std::string dots, line;
  double soFar = HUGE_VAL;
  for (size_t i = 0; i < kernel.trials.size(); ++i) {
    const auto& result = kernel.trials[i].result;
    if (!result.worked()) {
      dots += "<path d=\"M" + plot.x(i) + " " + fixed(kHeight - kBottom) + "v5\" stroke=\"var(--base)\"/>";
      continue;
    }
    dots += "<circle cx=\"" + plot.x(i) + "\" cy=\"" + plot.y(result.nanoseconds) + "\" r=\"2.5\" fill=\"var(--soft)\"/>";
    if (result.nanoseconds >= soFar) continue;
    line += (line.empty() ? "M" + plot.x(i) : "H" + plot.x(i) + "V") + (line.empty() ? " " : "") + plot.y(result.nanoseconds);
    soFar = result.nanoseconds;
  }
  if (!line.empty()) line += "H" + fixed(kWidth - kRight);
  std::string base;
  if (const auto* standard = defaultOf(kernel))
    base = "<path d=\"M" + fixed(kLeft) + " " + plot.y(standard->result.nanoseconds) + "H" + fixed(kWidth - kRight) + "\" stroke=\"var(--base)\" stroke-dasharray=\"5 4\"/>";
  return "<figure><svg role=\"img\" aria-label=\"times of the trials in order\" viewBox=\"0 0 " + fixed(kWidth) + " " + fixed(kHeight) + "\">" + dots + base +
         "<path d=\"" + line + "\" fill=\"none\" stroke=\"var(--mark)\" stroke-width=\"2\"/></svg><figcaption>Trials 1 to " + std::to_string(kernel.trials.size()) +
         " from left to right, faster ones lower (logarithmic); the best so far as a line, the default dashed, lost trials as ticks below.</figcaption></figure>\n";
}

/// For each value of a parameter the best time that any configuration with it had, as a share of the best of all.
std::string effects(const Kernel& kernel, double best) {
  std::map<std::string, std::map<tune::Value, double>> values;
  for (const auto& trial : kernel.trials) {
    if (!trial.result.worked()) continue;
    for (const auto& [name, value] : trial.configuration) {
      auto [place, added] = values[name].emplace(value, trial.result.nanoseconds);
      place->second = std::min(place->second, trial.result.nanoseconds);
    }
  }
  std::string html;
  for (const auto& [name, times] : values) {
    if (times.size() < 2) continue;
    html += "<div><h3>" + escaped(name) + "</h3>";
    size_t shown = 0;
    for (const auto& [value, nanoseconds] : times) {
      if (++shown > kEffectValues) break;
      const std::string share = fixed(100 * best / nanoseconds);
      html += "<div class=\"bar\"><span>" + escaped(tune::text(value)) + "</span><i style=\"width:" + share + "%\"></i><span>" + share + " %</span></div>";
    }
    if (times.size() > kEffectValues) html += "<p class=\"soft\">and " + counted(times.size() - kEffectValues, "more value") + "</p>";
    html += "</div>\n";
  }
  return html.empty() ? "" : "<h3>What each parameter does</h3><p class=\"soft\">The best that was found with each value, in percent of the best of all.</p><div class=\"effects\">" + html + "</div>\n";
}

std::string bestTable(const Kernel& kernel) {
  const auto worked = fastestFirst(kernel);
  const auto* standard = defaultOf(kernel);
  std::set<std::string> names;
  for (const auto* trial : worked)
    for (const auto& [name, value] : trial->configuration) names.insert(name);
  std::string html = "<h3>Best configurations</h3><div class=\"scroll\"><table><tr><th class=\"number\">time</th><th class=\"number\">&times; default</th>";
  for (const auto& name : names) html += "<th class=\"number\">" + escaped(name) + "</th>";
  html += "</tr>\n";
  for (size_t i = 0; i < std::min(kBestRows, worked.size()); ++i) {
    const auto& trial = *worked[i];
    html += "<tr><td class=\"number\">" + time(trial.result.nanoseconds) + "</td><td class=\"number\">" +
            (standard ? numberText(std::round(100 * standard->result.nanoseconds / trial.result.nanoseconds) / 100) : "") + "</td>";
    for (const auto& name : names) {
      auto value = trial.configuration.find(name);
      html += "<td class=\"number\">" + (value == trial.configuration.end() ? "default" : escaped(tune::text(value->second))) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string failures(const Kernel& kernel) {
  std::map<std::string, std::map<std::string, size_t>> reasons;
  for (const auto& trial : kernel.trials)
    if (!trial.result.worked()) ++reasons[trial.result.failure][trial.result.reason.substr(0, std::min<size_t>(trial.result.reason.find('\n'), 160))];
  if (reasons.empty()) return "";
  std::string html = "<h3>Lost trials</h3><div class=\"scroll\"><table><tr><th>what</th><th class=\"number\">how many</th><th>why</th></tr>\n";
  for (const auto& [failure, all] : reasons) {
    size_t shown = 0;
    for (const auto& [reason, count] : all)
      if (++shown <= kReasons) html += "<tr><td>" + escaped(failure) + "</td><td class=\"number\">" + std::to_string(count) + "</td><td>" + escaped(reason) + "</td></tr>\n";
    if (all.size() > kReasons) html += "<tr><td>" + escaped(failure) + "</td><td></td><td class=\"soft\">and " + counted(all.size() - kReasons, "other reason") + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

std::string section(const Kernel& kernel) {
  std::set<std::string> devices;
  for (const auto& trial : kernel.trials) devices.insert(trial.device);
  std::string on;
  for (const auto& device : devices) on += (on.empty() ? "" : ", ") + escaped(device);
  const auto worked = fastestFirst(kernel);
  std::string html = "<h2>" + escaped(kernel.manifest.demangled.empty() ? kernel.name : kernel.manifest.demangled) + "</h2>\n<p class=\"soft\">" + escaped(kernel.name) + " on " + on + "; " +
                     counted(kernel.trials.size(), "trial") + ", the last at " + escaped(kernel.trials.back().at) + "; recorded with " + escaped(kernel.manifest.toolchain) + "</p>\n";
  if (worked.empty()) return html + "<p>No trial worked.</p>\n" + failures(kernel);
  const double best = worked.front()->result.nanoseconds;
  if (const auto* standard = defaultOf(kernel))
    html += "<p>Default " + time(standard->result.nanoseconds) + ", fastest trial " + time(best) + ". What was confirmed against the default is in tuned.json.</p>\n";
  return html + convergence(kernel, best) + effects(kernel, best) + bestTable(kernel) + failures(kernel);
}

Expected<std::vector<Kernel>> readKernels(const std::vector<std::string>& recordings) {
  std::vector<Kernel> kernels;
  auto manifests = manifestsOf(recordings, true);
  if (!manifests) return manifests.error();
  for (const auto& path : *manifests) {
    auto manifest = readManifest(path);
    if (!manifest) return manifest.error();
    auto trials = tune::readStore(tune::storePath(path));
    if (!trials) return trials.error();
    if (!trials->empty()) kernels.push_back({std::move(*manifest), recordingName(path), std::move(*trials)});
  }
  return kernels;
}

int writeReport(const ReportOptions& options) {
  auto kernels = readKernels(options.recordings);
  if (!kernels) return report(kernels.error());
  if (kernels->empty()) return report(Error(ErrorCode::NotFound, "no trials to report; `mneme tune REC` makes some"));
  std::string html = std::string(kHead) + "<h1>What tuning found</h1>\n<p class=\"soft\">Mneme " + MNEME_VERSION + ", " + counted(kernels->size(), "recording") + "</p>\n";
  for (const auto& kernel : *kernels) html += section(kernel);
  if (auto written = writeAtomically(options.output, html + "</body></html>\n"); !written) return report(written.error());
  std::printf("%s: %s\n", printable(options.output).c_str(), counted(kernels->size(), "recording").c_str());
  return kPass;
}

}  // namespace

std::function<int()> setupReport(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("REC|SET", options->recordings, "manifests, or directories of recording sets")->capture_default_str();
  app.add_option("-o,--output", options->output, "the page: one file that needs nothing else")->capture_default_str();
  app.footer("Example:\n  mneme report recordings -o report.html");
  return [options] { return writeReport(*options); };
}

}  // namespace mneme::cli
