// SPDX-License-Identifier: Apache-2.0
/// Which points of a space are valid, and the launch that one means; see space.h.
#include "tune/space.h"

#include <algorithm>
#include <cstring>

namespace mneme::tune {
namespace {

constexpr uint64_t kMaxThreadsPerBlock = 1024, kMaxGridX = 0x7fffffff, kMaxGridOther = 65535, kMaxShared = 1u << 30;

/// Holds, as far as can be said; what cannot be computed (a division by zero) does not hold.
bool holds(const Bound& bound, const std::vector<Parameter>& parameters, const Point& point) {
  auto value = bound.evaluate(parameters, point);
  return value && isTrue(*value);
}

Expected<uint64_t> positive(const Bound& bound, const std::vector<Parameter>& parameters, const Point& point, bool zeroToo) {
  auto value = bound.evaluate(parameters, point);
  if (!value) return value.error().context(bound.text());
  auto whole = integer(*value);
  if (whole && (*whole > 0 || (zeroToo && *whole == 0))) return static_cast<uint64_t>(*whole);
  return Error(ErrorCode::InvalidArgument, bound.text() + " is " + text(*value));
}

uint32_t& part(Dim3& dimensions, size_t axis) { return axis == 0 ? dimensions.x : axis == 1 ? dimensions.y : dimensions.z; }
uint32_t part(const Dim3& dimensions, size_t axis) { return axis == 0 ? dimensions.x : axis == 1 ? dimensions.y : dimensions.z; }

Expected<void> put(Dim3& out, const std::array<std::optional<Bound>, 3>& bounds, const std::vector<Parameter>& parameters, const Point& point) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (!bounds[axis]) continue;
    auto value = positive(*bounds[axis], parameters, point, false);
    if (!value) return value.error();
    if (*value > UINT32_MAX) return Error(ErrorCode::InvalidArgument, bounds[axis]->text() + " is too large");
    part(out, axis) = static_cast<uint32_t>(*value);
  }
  return {};
}

Expected<void> checkLaunch(const LaunchShape& shape) {
  auto refused = [](const std::string& what) { return Error(ErrorCode::InvalidArgument, what); };
  if (shape.block.count() > kMaxThreadsPerBlock) return refused(std::to_string(shape.block.count()) + " threads in a block");
  if (shape.grid.x > kMaxGridX || shape.grid.y > kMaxGridOther || shape.grid.z > kMaxGridOther) return refused("the grid is too large");
  if (shape.dynamicSharedBytes > kMaxShared) return refused("too much shared memory");
  return {};
}

/// At least as many threads on each axis as were launched, in blocks of another size. A kernel that does not check its
/// bounds may then run past its data: verification finds that out.
void keepThreads(LaunchShape& shape, const LaunchShape& recorded) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint64_t threads = uint64_t{part(recorded.grid, axis)} * part(recorded.block, axis);
    const uint64_t block = part(shape.block, axis);
    part(shape.grid, axis) = static_cast<uint32_t>(std::min<uint64_t>((threads + block - 1) / block, UINT32_MAX));
  }
}

}  // namespace

Expected<Bound> Bound::make(Expression expression, const std::vector<Parameter>& parameters, const RecordedValues& recorded) {
  Bound bound(std::move(expression));
  for (const auto& name : bound.expression_.names()) {
    auto parameter = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
    auto constant = recorded.find(name);
    if (parameter != parameters.end()) {
      const auto place = static_cast<size_t>(parameter - parameters.begin());
      bound.sources_.push_back({place, {}});
      bound.needs_ = std::max(bound.needs_, place + 1);
    } else if (constant != recorded.end()) {
      bound.sources_.push_back({std::nullopt, constant->second});
    } else {
      return Error(ErrorCode::InvalidArgument, "'" + name + "' is no parameter" + (name.starts_with("recorded.") ? " and no recorded value" : ""));
    }
  }
  return bound;
}

Expected<Value> Bound::evaluate(const std::vector<Parameter>& parameters, const Point& point) const {
  std::vector<const Value*> values;
  values.reserve(sources_.size());
  for (const auto& source : sources_) values.push_back(source.parameter ? &parameters[*source.parameter].values[point[*source.parameter]] : &source.constant);
  return expression_.evaluate(values);
}

Domain Space::domain() const {
  std::vector<std::vector<const Bound*>> decidedAt(parameters.size() + 1);
  for (const auto& constraint : constraints) decidedAt[std::max<size_t>(constraint.needs(), 1)].push_back(&constraint);
  return Domain(parameters, [this, decidedAt](const Point& point, size_t assigned) {
    if (auto condition = conditions.find(assigned - 1); condition != conditions.end())
      if (point[assigned - 1] != parameters[assigned - 1].defaultIndex && !holds(condition->second, parameters, point)) return false;
    return std::all_of(decidedAt[assigned].begin(), decidedAt[assigned].end(), [&](const Bound* bound) { return holds(*bound, parameters, point); });
  });
}

Expected<LaunchShape> Space::shapeOf(const Point& point, const LaunchShape& recorded) const {
  LaunchShape result = recorded;
  if (auto done = put(result.block, shape.block, parameters, point); !done) return done.error();
  if (shape.kind == ShapeRule::Kind::KeepThreads) keepThreads(result, recorded);
  if (auto done = put(result.grid, shape.grid, parameters, point); !done) return done.error();
  if (shape.shared) {
    auto bytes = positive(*shape.shared, parameters, point, true);
    if (!bytes) return bytes.error();
    result.dynamicSharedBytes = *bytes;
  }
  if (auto done = checkLaunch(result); !done) return done.error();
  return result;
}

RecordedValues recordedValues(const LaunchShape& shape, const std::vector<ParameterSlot>& slots, const std::vector<uint8_t>& arguments) {
  RecordedValues values{{"recorded.shared", static_cast<int64_t>(shape.dynamicSharedBytes)}};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    const int64_t block = part(shape.block, axis), grid = part(shape.grid, axis);
    values["recorded.block." + name] = block;
    values["recorded.grid." + name] = grid;
    values["recorded.threads." + name] = block * grid;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto& slot = slots[i];
    if (slot.size > 8 || slot.size == 0 || (slot.size & (slot.size - 1)) || slot.offset > arguments.size() || slot.size > arguments.size() - slot.offset) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, arguments.data() + slot.offset, slot.size);
    const int unused = 64 - 8 * static_cast<int>(slot.size);
    values["recorded.argument." + std::to_string(i)] = static_cast<int64_t>(bits << unused) >> unused;
  }
  return values;
}

}  // namespace mneme::tune
