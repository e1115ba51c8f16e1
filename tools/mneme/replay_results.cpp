// SPDX-License-Identifier: Apache-2.0
/// See replay_results.h.
#include "replay_results.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace mneme::cli {

void printLines(const ReplayResult& result) {
  for (const auto& line : result.lines) std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void printSummary(const std::vector<ReplayResult>& results, const std::string& things) {
  auto count = [&](auto&& matches) { return std::count_if(results.begin(), results.end(), matches); };
  auto passed = count([](const ReplayResult& r) { return r.exitCode == kPass; });
  auto skipped = count([](const ReplayResult& r) { return r.exitCode == kNotHere; });
  std::printf("%td of %zu %s pass, %td not, %td skipped\n", passed, results.size(), things.c_str(),
              static_cast<ptrdiff_t>(results.size()) - passed - skipped, skipped);
}

void printJson(const std::vector<ReplayResult>& results) {
  auto all = nlohmann::json::array();
  for (const auto& result : results) all.push_back(result.data);
  std::printf("%s\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

int worstOf(const std::vector<ReplayResult>& results) {
  int worst = kPass;
  for (const auto& result : results) worst = worseOf(worst, result.exitCode);
  return worst;
}

ReplayResult timed(const std::function<ReplayResult()>& run) {
  const auto start = std::chrono::steady_clock::now();
  auto result = run();
  result.data["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.data["exit"] = result.exitCode;
  return result;
}

}  // namespace mneme::cli
