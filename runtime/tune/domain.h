// SPDX-License-Identifier: Apache-2.0
/// The points that a strategy may ask for: parameters with their values, and a rule that says which combinations are valid.
/// Small domains are listed whole at creation; of large ones (10^9 points and more) only what is asked for is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "tune/random.h"
#include "tune/value.h"

namespace mneme::tune {

inline constexpr size_t kMaxValues = 65535;      ///< of one parameter
inline constexpr size_t kMaxParameters = 256;

struct Parameter {
  std::string name;
  std::vector<Value> values;  ///< numbers in ascending order: neighbours in value are neighbours in the list
  size_t defaultIndex = 0;
  [[nodiscard]] bool numeric() const;
};

/// Sorts a parameter whose values are all numbers; its default stays the same value.
void sortValues(Parameter& parameter);

/// For each parameter, which of its values.
using Point = std::vector<uint16_t>;
struct PointHash {
  size_t operator()(const Point& point) const;
};

/// Whether the first `assigned` entries of a point can be part of a valid one. With all of them assigned: whether it is one.
/// Asked with growing prefixes, so that what is impossible is cut off early.
using Rule = std::function<bool(const Point& point, size_t assigned)>;

/// Walks all valid points in the parameters' order without storing them.
class Enumerator {
 public:
  Enumerator(std::vector<size_t> sizes, const Rule& rule) : sizes_(std::move(sizes)), rule_(rule) {}
  /// The next one; nullopt after the last, or when `steps` prefixes were looked at (then exhausted() is false).
  [[nodiscard]] std::optional<Point> next(size_t steps = SIZE_MAX);
  [[nodiscard]] bool exhausted() const { return done_; }
  [[nodiscard]] size_t stepsTaken() const { return taken_; }

 private:
  bool advance();

  std::vector<size_t> sizes_;
  const Rule& rule_;
  Point point_;
  bool done_ = false;
  bool returned_ = false;  ///< point_ is what the last call gave
  size_t taken_ = 0;
};

class Domain {
 public:
  /// Lists the valid points if there are at most `listAtMost` and they are found in a bounded number of steps.
  Domain(std::vector<Parameter> parameters, Rule rule, size_t listAtMost = 1u << 17);
  /// Exactly these points, duplicates once.
  Domain(std::vector<Parameter> parameters, std::vector<Point> points);

  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] size_t dimensions() const { return parameters_.size(); }
  [[nodiscard]] size_t values(size_t dimension) const { return parameters_[dimension].values.size(); }
  [[nodiscard]] bool contains(const Point& point) const;

  /// Every valid point, where `isListed`; else empty.
  [[nodiscard]] std::span<const Point> points() const { return points_; }
  [[nodiscard]] bool isListed() const { return listed_; }
  /// Combinations before any rule; as a real number, since it may be anything.
  [[nodiscard]] double combinations() const;
  [[nodiscard]] Enumerator enumerate() const;

  /// Of a listed domain each point is as likely as any other. nullopt: none was found.
  [[nodiscard]] std::optional<Point> random(Random& random) const;
  /// The valid points that differ in one parameter: by one place in its list, or at all.
  [[nodiscard]] std::vector<Point> adjacent(const Point& point) const;
  [[nodiscard]] std::vector<Point> oneChanged(const Point& point) const;
  /// A valid point near one that may not be valid: itself, or one reached by few changes.
  [[nodiscard]] std::optional<Point> repaired(Point point, Random& random) const;
  /// The parameters' defaults, where they are a valid point.
  [[nodiscard]] std::optional<Point> defaults() const;

 private:
  [[nodiscard]] std::vector<size_t> sizes() const;
  void list(size_t atMost);
  bool completeAtRandom(Point& point, size_t& steps, Random& random) const;

  std::vector<Parameter> parameters_;
  Rule rule_;
  bool listed_ = false;
  std::vector<Point> points_;
  std::unordered_set<Point, PointHash> members_;
};

}  // namespace mneme::tune
