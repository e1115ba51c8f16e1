// SPDX-License-Identifier: Apache-2.0
/// See change_points.h.
#include "gate/change_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/statistics.h"

namespace mneme::gate {
namespace {

constexpr double kPenalty = 4;       // in deviations, times the logarithm of the length: a piece of two noisy values costs more
constexpr double kLeastNoise = 5e-4; // of a series that repeats exactly

/// Deviation of single values around their level, told by neighbours: level shifts are few among them.
double noiseOf(std::span<const double> values) {
  std::vector<double> steps;
  for (size_t i = 1; i < values.size(); ++i) steps.push_back(std::abs(values[i] - values[i - 1]));
  return std::max(steps.empty() ? 0 : 1.4826 * measure::median(steps) / std::sqrt(2.0), kLeastNoise);
}

/// Sum of the distances from the median, of values kept sorted.
class Distances {
 public:
  double with(double value) {
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
    const double middle = sorted_[sorted_.size() / 2];
    return std::accumulate(sorted_.begin(), sorted_.end(), 0.0, [&](double sum, double one) { return sum + std::abs(one - middle); });
  }

 private:
  std::vector<double> sorted_;
};

/// Where each best fit of the first n values has its last piece's start.
std::vector<size_t> bestStarts(std::span<const double> values, double penalty) {
  const size_t n = values.size();
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> start(n + 1, 0);
  best[0] = -penalty;
  for (size_t from = 0; from < n; ++from) {
    Distances distances;
    for (size_t to = from; to < n; ++to) {
      const double cost = best[from] + penalty + distances.with(values[to]);
      if (cost < best[to + 1]) best[to + 1] = cost, start[to + 1] = from;
    }
  }
  return start;
}

double levelOf(std::span<const double> series, size_t first, size_t last) {
  return measure::median(series.subspan(first, last - first + 1));
}

}  // namespace

std::vector<Segment> segments(std::span<const double> series, double smallest) {
  if (series.empty()) return {};
  std::vector<double> logs;
  for (double value : series) logs.push_back(std::log(value));
  const double penalty = kPenalty * noiseOf(logs) * std::log(static_cast<double>(series.size()) + 1);
  const auto start = bestStarts(logs, penalty);
  std::vector<Segment> found;
  for (size_t end = series.size(); end > 0; end = start[end]) found.insert(found.begin(), {start[end], end - 1, 0});
  std::vector<Segment> merged;
  for (Segment piece : found) {
    piece.level = levelOf(series, piece.first, piece.last);
    if (!merged.empty() && std::abs(std::log(piece.level / merged.back().level)) < smallest) {
      merged.back().last = piece.last;
      merged.back().level = levelOf(series, merged.back().first, piece.last);
    } else {
      merged.push_back(piece);
    }
  }
  return merged;
}

}  // namespace mneme::gate
