// SPDX-License-Identifier: Apache-2.0
/// Valid points of a space, listed or found on demand; see domain.h.
#include "tune/domain.h"

#include <algorithm>
#include <numeric>

namespace mneme::tune {
namespace {
constexpr size_t kListingSteps = 4u << 20;  ///< prefixes looked at before a domain counts as large
constexpr size_t kSamplingSteps = 1u << 16;
}  // namespace

bool Parameter::numeric() const {
  return std::all_of(values.begin(), values.end(), [](const Value& v) { return number(v).has_value(); });
}

void sortValues(Parameter& parameter) {
  if (!parameter.numeric() || parameter.values.empty()) return;
  const Value kept = parameter.values[parameter.defaultIndex];
  std::stable_sort(parameter.values.begin(), parameter.values.end(), [](const Value& a, const Value& b) { return *number(a) < *number(b); });
  parameter.defaultIndex = static_cast<size_t>(std::find(parameter.values.begin(), parameter.values.end(), kept) - parameter.values.begin());
}

size_t PointHash::operator()(const Point& point) const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint16_t index : point) hash = (hash ^ index) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  return hash;
}

bool Enumerator::advance() {
  returned_ = false;
  while (!point_.empty()) {
    if (++point_.back() < sizes_[point_.size() - 1]) return true;
    point_.pop_back();
  }
  done_ = true;
  return false;
}

std::optional<Point> Enumerator::next(size_t steps) {
  if (taken_ == 0) point_.push_back(0);
  if (returned_ && !advance()) return std::nullopt;
  for (returned_ = false; steps > 0 && !done_; --steps) {
    ++taken_;
    const bool possible = rule_(point_, point_.size());
    if (possible && point_.size() == sizes_.size()) {
      returned_ = true;
      return point_;
    }
    if (possible) point_.push_back(0);
    else advance();
  }
  return std::nullopt;
}

Domain::Domain(std::vector<Parameter> parameters, Rule rule, size_t listAtMost)
    : parameters_(std::move(parameters)), rule_(std::move(rule)) {
  list(listAtMost);
}

Domain::Domain(std::vector<Parameter> parameters, std::vector<Point> points) : parameters_(std::move(parameters)), listed_(true) {
  for (auto& point : points)
    if (members_.insert(point).second) points_.push_back(std::move(point));
}

std::vector<size_t> Domain::sizes() const {
  std::vector<size_t> result;
  for (const auto& parameter : parameters_) result.push_back(parameter.values.size());
  return result;
}

Enumerator Domain::enumerate() const { return {sizes(), rule_}; }

void Domain::list(size_t atMost) {
  auto all = enumerate();
  while (points_.size() <= atMost && all.stepsTaken() < kListingSteps) {
    auto point = all.next(kListingSteps - all.stepsTaken());
    if (!point) break;
    points_.push_back(std::move(*point));
  }
  listed_ = all.exhausted() && points_.size() <= atMost;
  if (listed_) members_.insert(points_.begin(), points_.end());
  else points_ = {};
}

bool Domain::contains(const Point& point) const {
  if (listed_) return members_.contains(point);
  for (size_t assigned = 1; assigned <= point.size(); ++assigned)
    if (!rule_(point, assigned)) return false;
  return true;
}

double Domain::combinations() const {
  return std::accumulate(parameters_.begin(), parameters_.end(), 1.0,
                         [](double product, const Parameter& p) { return product * static_cast<double>(p.values.size()); });
}

/// Depth first with values in random order.
bool Domain::completeAtRandom(Point& point, size_t& steps, Random& random) const {
  if (point.size() == dimensions()) return true;
  std::vector<uint16_t> order(values(point.size()));
  std::iota(order.begin(), order.end(), uint16_t{0});
  random.shuffle(order);
  for (uint16_t index : order) {
    if (steps-- == 0) return false;
    point.push_back(index);
    if (rule_(point, point.size()) && completeAtRandom(point, steps, random)) return true;
    if (steps == 0) return false;
    point.pop_back();
  }
  return false;
}

std::optional<Point> Domain::random(Random& random) const {
  if (listed_) return points_.empty() ? std::nullopt : std::optional(points_[random.below(points_.size())]);
  Point point;
  size_t steps = kSamplingSteps;
  if (completeAtRandom(point, steps, random)) return point;
  return std::nullopt;
}

std::vector<Point> Domain::adjacent(const Point& point) const {
  std::vector<Point> result;
  for (size_t d = 0; d < dimensions(); ++d) {
    for (int step : {-1, 1}) {
      Point moved = point;
      if ((step < 0 && point[d] == 0) || (step > 0 && point[d] + 1u >= values(d))) continue;
      moved[d] = static_cast<uint16_t>(point[d] + step);
      if (contains(moved)) result.push_back(std::move(moved));
    }
  }
  return result;
}

std::vector<Point> Domain::oneChanged(const Point& point) const {
  std::vector<Point> result;
  for (size_t d = 0; d < dimensions(); ++d) {
    for (size_t index = 0; index < values(d); ++index) {
      if (index == point[d]) continue;
      Point moved = point;
      moved[d] = static_cast<uint16_t>(index);
      if (contains(moved)) result.push_back(std::move(moved));
    }
  }
  return result;
}

std::optional<Point> Domain::repaired(Point point, Random& random) const {
  if (contains(point)) return point;
  auto near = oneChanged(point);
  if (!near.empty()) return near[random.below(near.size())];
  for (int attempt = 0; attempt < 32; ++attempt) {
    Point changed = point;
    for (int i = 0; i < 2 + attempt / 8; ++i) {
      const size_t d = random.below(dimensions());
      changed[d] = static_cast<uint16_t>(random.below(values(d)));
    }
    if (contains(changed)) return changed;
  }
  return this->random(random);
}

std::optional<Point> Domain::defaults() const {
  Point point;
  for (const auto& parameter : parameters_) point.push_back(static_cast<uint16_t>(parameter.defaultIndex));
  return contains(point) ? std::optional(point) : std::nullopt;
}

}  // namespace mneme::tune
