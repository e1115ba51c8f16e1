// SPDX-License-Identifier: Apache-2.0
/// `mneme doctor`: what works here, and what to do where it does not.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "doctor_bundle.h"
#include "doctor_checks.h"

namespace mneme::cli {
namespace {

struct DoctorOptions {
  bool json = false;
  bool redact = false;
  std::string bundle;  ///< a manifest, or "none"
  std::string output;
};

const char* word(Check::State state) {
  switch (state) {
    case Check::State::Ok: return "ok";
    case Check::State::Absent: return "absent";
    case Check::State::Warning: return "warning";
    case Check::State::Broken: break;
  }
  return "broken";
}

void printLines(const std::vector<Check>& checks) {
  for (const auto& check : checks) {
    std::printf("%-8s %-16s %s\n", word(check.state), check.name.c_str(), check.detail.c_str());
    if (!check.advice.empty()) std::printf("%-8s %-16s -> %s\n", "", "", check.advice.c_str());
  }
}

std::string jsonOf(const std::vector<Check>& checks) {
  auto list = nlohmann::json::array();
  for (const auto& check : checks)
    list.push_back({{"name", check.name}, {"state", word(check.state)}, {"detail", check.detail}, {"advice", check.advice}});
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

int bundle(const DoctorOptions& options, const std::vector<Check>& checks) {
  BundleRequest request;
  if (options.bundle != "none") request.recording = options.bundle;
  request.output = options.output.empty() ? std::filesystem::path(options.bundle).stem().string() + ".report.tar" : options.output;
  request.redact = options.redact;
  if (auto written = writeBundle(request, jsonOf(checks)); !written) return report(written.error());
  std::printf("wrote %s: versions, these checks%s\n", request.output.c_str(),
              options.bundle == "none" ? "" : options.redact ? ", the recording with floating-point memory replaced"
                                                             : ", the recording with all of its memory and code");
  return kPass;
}

int runDoctor(const DoctorOptions& options) {
  const auto checks = runChecks();
  if (!options.bundle.empty()) return bundle(options, checks);
  if (options.json) std::printf("%s\n", jsonOf(checks).c_str());
  else printLines(checks);
  const bool broken = std::any_of(checks.begin(), checks.end(), [](const Check& c) { return c.state == Check::State::Broken; });
  return broken ? kFailed : kPass;
}

}  // namespace

std::function<int()> setupDoctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  app.add_flag("--json", options->json, "print the checks as JSON");
  auto* bundled = app.add_option("--bundle", options->bundle,
                                 "for a bug report: pack the checks, versions and this recording ('none' for no recording)");
  app.add_option("-o,--output", options->output, "the bundle's file; default <recording>.report.tar")->needs(bundled);
  app.add_flag("--redact", options->redact, "in the bundle, floating-point memory becomes noise of the same shape")->needs(bundled);
  app.footer("Exit code: 1 if something is broken, else 0; what is absent or warned about does not fail.\n\n"
             "Examples:\n  mneme doctor\n  mneme doctor --bundle recordings/saxpy.1a2b3c4d.json");
  return [options] { return runDoctor(*options); };
}

}  // namespace mneme::cli
