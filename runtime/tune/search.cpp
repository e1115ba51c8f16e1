// SPDX-License-Identifier: Apache-2.0
/// Ask and tell over a strategy's coroutine; see search.h.
#include "tune/search.h"

#include <algorithm>

namespace mneme::tune {
namespace {
/// A strategy that asks this often in a row for what is known has converged; what is left of the budget goes to new points.
constexpr int kKnownInARow = 1000;
}  // namespace

bool fillUp(std::vector<Point>& points, size_t count, const StrategyInput& input) {
  while (points.size() < count) {
    auto point = input.domain.random(input.random);
    if (!point) return false;
    points.push_back(std::move(*point));
  }
  return true;
}

const AskTell::Known* AskTell::known(const Point& point, unsigned repetitions) const {
  auto found = known_.find(point);
  if (found == known_.end()) return nullptr;
  const auto& entry = found->second;
  const bool enough = entry.repetitions == 0 || (repetitions != 0 && entry.repetitions >= repetitions);
  return enough || entry.time == kFailed ? &entry : nullptr;
}

/// False if every point of the batch is known already.
bool AskTell::startBatch(const Batch& batch) {
  batch_ = batch;
  waiting_.clear();
  std::unordered_map<Point, bool, PointHash> asked;
  for (size_t i = 0; i < batch_.points.size(); ++i)
    if (!known(batch_.points[i], batch_.repetitions) && asked.emplace(batch_.points[i], true).second) waiting_.push_back(i);
  std::reverse(waiting_.begin(), waiting_.end());
  return !waiting_.empty();
}

bool AskTell::nextBatch() {
  for (int i = 0; i < kKnownInARow; ++i) {
    if (started_) {
      std::vector<double> times;
      for (const auto& point : batch_.points) times.push_back(known_.at(point).time);
      search_.answer(std::move(times));
    }
    started_ = true;
    const Batch* batch = search_.resume();
    if (!batch) return false;
    if (startBatch(*batch)) return true;
  }
  return false;
}

/// A point that was never asked for.
std::optional<Ask> AskTell::unseen() {
  for (int i = 0; i < 64; ++i) {
    auto point = domain_.random(random_);
    if (point && !known_.contains(*point)) return Ask{std::move(*point)};
  }
  for (const auto& point : domain_.points())
    if (!known_.contains(point)) return Ask{point};
  return std::nullopt;
}

std::optional<Ask> AskTell::ask() {
  if (waiting_.empty() && outstanding_ > 0) return std::nullopt;
  if (waiting_.empty() && !stalled_ && !finished_) stalled_ = !nextBatch();
  if (!finished_ && stalled_) {
    auto point = unseen();
    finished_ = !point;
    if (!point) return std::nullopt;
    batch_ = Batch(std::vector<Point>(1, point->point));
    waiting_ = {0};
  }
  if (finished_) return std::nullopt;
  Ask asked{batch_.points[waiting_.back()], batch_.repetitions};
  waiting_.pop_back();
  ++outstanding_;
  return asked;
}

void AskTell::tell(const Ask& asked, double time) {
  --outstanding_;
  known_[asked.point] = {time, asked.repetitions};
}

}  // namespace mneme::tune
