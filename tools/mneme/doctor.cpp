// SPDX-License-Identifier: Apache-2.0
/// `mneme doctor`: what works here, and what to do where it does not.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "doctor_checks.h"

namespace mneme::cli {
namespace {

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

void printJson(const std::vector<Check>& checks) {
  auto list = nlohmann::json::array();
  for (const auto& check : checks)
    list.push_back({{"name", check.name}, {"state", word(check.state)}, {"detail", check.detail}, {"advice", check.advice}});
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int runDoctor(bool json) {
  auto checks = runChecks();
  json ? printJson(checks) : printLines(checks);
  bool broken = std::any_of(checks.begin(), checks.end(), [](const Check& c) { return c.state == Check::State::Broken; });
  return broken ? kFailed : kPass;
}

}  // namespace

std::function<int()> setupDoctor(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print the checks as JSON");
  app.footer("Exit code: 1 if something is broken, else 0; what is absent or warned about does not fail.\n\n"
             "Example:\n  mneme doctor");
  return [json] { return runDoctor(*json); };
}

}  // namespace mneme::cli
