// SPDX-License-Identifier: Apache-2.0
/// Prints how near to the optimum each strategy comes on measured spaces: median over seeds, one line a space.
/// What tools/bench/strategies.sh runs; no device is needed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tune/simulation.h"

namespace {

using namespace mneme::tune;
constexpr std::array<size_t, 4> kMarks{25, 50, 100, 200};

double bestAfter(const Simulated& run, size_t evaluations) {
  double best = kFailed;
  for (const auto& [count, time] : run.trace)
    if (count <= evaluations) best = time;
  return best;
}

using Shares = std::array<double, kMarks.size()>;  ///< of the optimum, in percent

Shares mediansOf(const MeasuredSpace& space, const Strategy& strategy, size_t seeds) {
  std::array<std::vector<double>, kMarks.size()> shares;
  for (auto& list : shares) list.resize(seeds);
  auto work = [&](size_t first) {
    for (size_t seed = first; seed < seeds; seed += 2) {
      const auto run = simulate(space, strategy, kMarks.back(), seed + 1);
      for (size_t m = 0; m < kMarks.size(); ++m) shares[m][seed] = 100 * space.optimum / bestAfter(run, kMarks[m]);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  Shares medians{};
  for (size_t m = 0; m < kMarks.size(); ++m) {
    std::sort(shares[m].begin(), shares[m].end());
    medians[m] = (shares[m][(seeds - 1) / 2] + shares[m][seeds / 2]) / 2;
  }
  return medians;
}

void print(const std::string& name, const Shares& shares) {
  std::printf("  %-44s", name.c_str());
  for (double share : shares) std::printf(" %7.1f", share);
  std::printf("\n");
  std::fflush(stdout);
}

std::string nameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

/// strategies SEEDS STRATEGY[,STRATEGY…] FILE…
int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: %s SEEDS STRATEGIES FILE...\n", argv[0]), 2;
  const auto seeds = static_cast<size_t>(std::strtoul(argv[1], nullptr, 10));
  std::vector<MeasuredSpace> spaces;
  for (int i = 3; i < argc; ++i) {
    auto space = readMeasuredSpace(argv[i]);
    if (!space) return std::fprintf(stderr, "%s\n", space.error().message().c_str()), 3;
    spaces.push_back(std::move(*space));
  }
  std::printf("Percent of the optimum, median over %zu seeds, after %zu, %zu, %zu and %zu evaluations\n", seeds, kMarks[0], kMarks[1], kMarks[2], kMarks[3]);
  std::string names = std::string(argv[2]) + ",";
  for (size_t comma; (comma = names.find(',')) != std::string::npos; names.erase(0, comma + 1)) {
    auto strategy = findStrategy(names.substr(0, comma));
    if (!strategy) return std::fprintf(stderr, "%s\n", strategy.error().message().c_str()), 2;
    std::printf("%s\n", names.substr(0, comma).c_str());
    Shares mean{};
    for (size_t i = 0; i < spaces.size(); ++i) {
      const auto shares = mediansOf(spaces[i], **strategy, seeds);
      print(nameOf(argv[i + 3]), shares);
      for (size_t m = 0; m < mean.size(); ++m) mean[m] += shares[m] / static_cast<double>(spaces.size());
    }
    print("mean of the spaces", mean);
  }
}
