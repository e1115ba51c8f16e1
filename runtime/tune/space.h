// SPDX-License-Identifier: Apache-2.0
/// A search space as people write it (docs/tune-space.md): parameters, which combinations are valid, and what the
/// parameters do to launch shape, code and macros.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "tune/domain.h"
#include "tune/expression.h"

namespace mneme::tune {

/// What expressions may name besides parameters: "recorded.block.x" and so on.
using RecordedValues = std::map<std::string, Value>;

/// An expression whose names are bound to parameters or to recorded values.
class Bound {
 public:
  /// InvalidArgument for a name that is neither.
  [[nodiscard]] static Expected<Bound> make(Expression expression, const std::vector<Parameter>& parameters, const RecordedValues& recorded);
  [[nodiscard]] Expected<Value> evaluate(const std::vector<Parameter>& parameters, const Point& point) const;
  /// How many parameters, from the first on, must be assigned.
  [[nodiscard]] size_t needs() const { return needs_; }
  [[nodiscard]] const std::string& text() const { return expression_.text(); }

 private:
  explicit Bound(Expression expression) : expression_(std::move(expression)) {}
  struct Source {
    std::optional<size_t> parameter;
    Value constant;
  };
  Expression expression_;
  std::vector<Source> sources_;
  size_t needs_ = 0;
};

struct ShapeRule {
  enum class Kind { AsRecorded, KeepThreads, KeepGrid, Expressions };
  Kind kind = Kind::AsRecorded;
  std::array<std::optional<Bound>, 3> block, grid;  ///< absent: as recorded
  std::optional<Bound> shared;                      ///< dynamic shared memory in bytes; absent: as recorded
};

struct Space {
  std::vector<Parameter> parameters;
  std::map<size_t, Bound> conditions;     ///< by parameter: where it does not hold, the parameter has its default
  std::vector<Bound> constraints;
  ShapeRule shape;
  std::map<std::string, Bound> knobs;     ///< by name, of knobNames()
  std::map<std::string, Bound> macros;

  /// The valid points. The space outlives it.
  [[nodiscard]] Domain domain() const;
  /// As its rule has it: threads of the recording kept, or its grid, or as the expressions say. InvalidArgument (one
  /// clause) if it is no launch.
  [[nodiscard]] Expected<LaunchShape> shapeOf(const Point& point, const LaunchShape& recorded) const;
};

/// Every knob that a space may set, with what it means.
struct Knob {
  std::string_view name, meaning;
};
[[nodiscard]] std::span<const Knob> knobs();

/// CorruptRecording with file, line and field for whatever is wrong.
[[nodiscard]] Expected<Space> parseSpace(std::string_view text, const std::string& origin, const RecordedValues& recorded);
[[nodiscard]] Expected<Space> readSpace(const std::filesystem::path& path, const RecordedValues& recorded);

/// What a recording offers to expressions: block, grid, threads (of all blocks), shared memory, and arguments of 1, 2, 4
/// and 8 bytes as whole numbers ("recorded.argument.2").
[[nodiscard]] RecordedValues recordedValues(const LaunchShape& shape, const std::vector<ParameterSlot>& slots, const std::vector<uint8_t>& arguments);

}  // namespace mneme::tune
