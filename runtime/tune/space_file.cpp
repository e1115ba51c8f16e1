// SPDX-License-Identifier: Apache-2.0
/// Reads space files; docs/tune-space.md is their description. Every error has file, line and field.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/file.h"
#include "base/printable.h"
#include "tune/candidate.h"
#include "tune/located_json.h"
#include "tune/space.h"

namespace mneme::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr uint64_t kMaxFile = 4u << 20;

constexpr std::array kKnobs{
    Knob{"max_threads", "launch bound: most threads a block"},
    Knob{"min_blocks", "launch bound: least blocks a multiprocessor"},
    Knob{"max_registers", "most registers a thread"},
    Knob{"unroll", "unroll count of every loop; 1 forbids, 0 leaves as is"},
    Knob{"vector_width", "vector width of every loop; 1 forbids, 0 leaves as is"},
    Knob{"pipeline", "LLVM pass pipeline: \"default<O3>\""},
    Knob{"fast_math", "true or a list of nnan, ninf, nsz, arcp, contract, afn, reassoc with + between"},
    Knob{"fold_arguments", "true: scalar arguments become the constants they had"},
    Knob{"fold_grid", "true: the grid becomes constant"},
    Knob{"fold_block", "true: the block becomes constant"},
};

class Reader {
 public:
  Reader(const LocatedJson& document, const RecordedValues& recorded) : document_(document), recorded_(recorded) {}

  Expected<Space> read() {
    const auto& root = document_.value;
    if (!root.is_object()) return document_.wrong("", "not a JSON object");
    onlyMembers(root, "", {"mneme_space", "description", "parameters", "constraints", "shape", "knobs", "macros"});
    readVersion(root);
    readParameters(root);
    if (!problem_) readConstraints(root);
    if (!problem_) readShape(root);
    if (!problem_) readNamed(root, "knobs", space_.knobs), checkKnobs();
    if (!problem_) readNamed(root, "macros", space_.macros), checkMacros();
    if (problem_) return *problem_;
    return std::move(space_);
  }

 private:
  void wrong(const std::string& pointer, const std::string& what) {
    if (!problem_) problem_ = document_.wrong(pointer, what);
  }
  void onlyMembers(const Json& object, const std::string& pointer, std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : object.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      std::string names;
      for (auto one : known) names += (names.empty() ? "" : ", ") + std::string(one);
      wrong(pointer + "/" + pointerStep(name), "unknown; there are " + names);
    }
  }

  void readVersion(const Json& root) {
    auto version = root.find("mneme_space");
    if (version == root.end()) wrong("", "\"mneme_space\": 1 is missing");
    else if (*version != 1) wrong("/mneme_space", "this is not version 1 of the format");
  }

  std::optional<Value> valueOf(const Json& json, const std::string& pointer) {
    auto value = valueFrom(json);
    if (!value) wrong(pointer, json.is_number_unsigned() ? "too large a number" : "not a number, a text, true or false");
    return value;
  }

  void readParameters(const Json& root) {
    auto parameters = root.find("parameters");
    if (parameters == root.end()) return wrong("", "\"parameters\" is missing");
    if (!parameters->is_object() || parameters->empty()) return wrong("/parameters", "not an object of parameters");
    if (parameters->size() > kMaxParameters) return wrong("/parameters", "more than " + std::to_string(kMaxParameters));
    for (const auto& [name, value] : parameters->items()) {
      const std::string pointer = "/parameters/" + pointerStep(name);
      auto spelled = Expression::parse(name);
      if (!spelled || spelled->names().size() != 1 || spelled->names()[0] != name || name.find('.') != std::string::npos)
        return wrong(pointer, "a name has letters, digits and _, and is no word of expressions");
      readParameter(name, value, pointer);
      if (problem_) return;
    }
  }

  void readParameter(const std::string& name, const Json& json, const std::string& pointer) {
    Parameter parameter{name, {}, 0};
    if (json.is_array()) readList(json, pointer, parameter);
    else if (json.is_object()) readDescribed(json, pointer, parameter);
    else wrong(pointer, "neither a list of values nor an object with values, range or powers");
    if (problem_) return;
    if (parameter.values.empty()) return wrong(pointer, "no values");
    readDefault(json, pointer, parameter);
    if (problem_) return;
    sortValues(parameter);
    space_.parameters.push_back(std::move(parameter));
    if (json.is_object() && json.contains("when")) readCondition(json["when"], pointer + "/when");
  }

  void readDescribed(const Json& json, const std::string& pointer, Parameter& parameter) {
    onlyMembers(json, pointer, {"values", "range", "step", "powers", "base", "default", "when", "description"});
    const int kinds = json.contains("values") + json.contains("range") + json.contains("powers");
    if (kinds != 1) return wrong(pointer, "needs one of values, range, powers");
    if (json.contains("values")) readList(json["values"], pointer + "/values", parameter);
    else if (json.contains("range")) readRange(json, pointer, parameter);
    else readPowers(json, pointer, parameter);
  }

  void readList(const Json& json, const std::string& pointer, Parameter& parameter) {
    if (!json.is_array()) return wrong(pointer, "not a list");
    if (json.size() > kMaxValues) return wrong(pointer, "more than " + std::to_string(kMaxValues) + " values");
    for (size_t i = 0; i < json.size(); ++i) {
      auto value = valueOf(json[i], pointer + "/" + std::to_string(i));
      if (!value) return;
      if (std::find(parameter.values.begin(), parameter.values.end(), *value) != parameter.values.end())
        return wrong(pointer + "/" + std::to_string(i), text(*value) + " is there twice");
      parameter.values.push_back(std::move(*value));
    }
  }

  std::optional<std::pair<int64_t, int64_t>> twoNumbers(const Json& json, const std::string& pointer) {
    const bool right = json.is_array() && json.size() == 2 && json[0].is_number_integer() && json[1].is_number_integer();
    if (right && json[0].get<int64_t>() <= json[1].get<int64_t>()) return std::pair(json[0].get<int64_t>(), json[1].get<int64_t>());
    wrong(pointer, "not two whole numbers, the smaller one first");
    return std::nullopt;
  }
  int64_t wholeOr(const Json& json, const char* key, int64_t otherwise, int64_t least, const std::string& pointer) {
    if (!json.contains(key)) return otherwise;
    if (json[key].is_number_integer() && json[key].get<int64_t>() >= least) return json[key].get<int64_t>();
    wrong(pointer + "/" + key, "not a whole number from " + std::to_string(least) + " on");
    return otherwise;
  }

  void readRange(const Json& json, const std::string& pointer, Parameter& parameter) {
    auto ends = twoNumbers(json["range"], pointer + "/range");
    const int64_t step = wholeOr(json, "step", 1, 1, pointer);
    if (!ends) return;
    const auto span = static_cast<uint64_t>(ends->second) - static_cast<uint64_t>(ends->first);
    if (span / static_cast<uint64_t>(step) >= kMaxValues) return wrong(pointer + "/range", "more than " + std::to_string(kMaxValues) + " values");
    for (uint64_t i = 0; i <= span / static_cast<uint64_t>(step); ++i) parameter.values.emplace_back(ends->first + static_cast<int64_t>(i) * step);
  }
  void readPowers(const Json& json, const std::string& pointer, Parameter& parameter) {
    auto ends = twoNumbers(json["powers"], pointer + "/powers");
    const int64_t base = wholeOr(json, "base", 2, 2, pointer);
    if (!ends) return;
    if (ends->first < 1) return wrong(pointer + "/powers", "powers are from 1 on");
    for (int64_t power = 1; power <= ends->second; power *= base) {
      if (power >= ends->first) parameter.values.emplace_back(power);
      if (power > ends->second / base) break;
    }
    if (parameter.values.empty()) wrong(pointer + "/powers", "there is no power of " + std::to_string(base) + " between them");
  }

  void readDefault(const Json& json, const std::string& pointer, Parameter& parameter) {
    if (!json.is_object() || !json.contains("default")) return;
    auto value = valueOf(json["default"], pointer + "/default");
    if (!value) return;
    auto found = std::find(parameter.values.begin(), parameter.values.end(), *value);
    if (found == parameter.values.end()) return wrong(pointer + "/default", text(*value) + " is not among the values");
    parameter.defaultIndex = static_cast<size_t>(found - parameter.values.begin());
  }

  void readCondition(const Json& json, const std::string& pointer) {
    auto bound = boundOf(json, pointer);
    if (!bound) return;
    if (bound->needs() >= space_.parameters.size()) return wrong(pointer, "may name only parameters above this one");
    space_.conditions.emplace(space_.parameters.size() - 1, std::move(*bound));
  }

  /// An expression, or a number or a truth that stands for itself.
  std::optional<Bound> boundOf(const Json& json, const std::string& pointer) {
    if (!json.is_string() && !json.is_number() && !json.is_boolean()) {
      wrong(pointer, "not an expression");
      return std::nullopt;
    }
    auto expression = Expression::parse(json.is_string() ? json.get<std::string>() : json.dump());
    auto bound = expression ? Bound::make(std::move(*expression), space_.parameters, recorded_) : Expected<Bound>(expression.error());
    if (!bound) {
      wrong(pointer, bound.error().message());
      return std::nullopt;
    }
    return std::move(*bound);
  }

  void readConstraints(const Json& root) {
    auto constraints = root.find("constraints");
    if (constraints == root.end()) return;
    if (!constraints->is_array()) return wrong("/constraints", "not a list of expressions");
    for (size_t i = 0; i < constraints->size() && !problem_; ++i)
      if (auto bound = boundOf((*constraints)[i], "/constraints/" + std::to_string(i))) space_.constraints.push_back(std::move(*bound));
  }

  void readShape(const Json& root) {
    auto shape = root.find("shape");
    if (shape == root.end()) return;
    if (!shape->is_object()) return wrong("/shape", "not an object");
    onlyMembers(*shape, "/shape", {"rule", "block", "grid", "shared"});
    if (!shape->contains("rule")) return wrong("/shape", "\"rule\" is missing: keep_threads, keep_grid or expressions");
    const auto& rule = (*shape)["rule"];
    using Kind = ShapeRule::Kind;
    if (rule == "keep_threads") space_.shape.kind = Kind::KeepThreads;
    else if (rule == "keep_grid") space_.shape.kind = Kind::KeepGrid;
    else if (rule == "expressions") space_.shape.kind = Kind::Expressions;
    else return wrong("/shape/rule", "not keep_threads, keep_grid or expressions");
    readAxes(*shape, "block", space_.shape.block);
    readAxes(*shape, "grid", space_.shape.grid);
    if (shape->contains("grid") && space_.shape.kind != Kind::Expressions) wrong("/shape/grid", "only with the rule \"expressions\"");
    if (shape->contains("shared")) space_.shape.shared = boundOf((*shape)["shared"], "/shape/shared");
  }
  void readAxes(const Json& shape, const char* key, std::array<std::optional<Bound>, 3>& axes) {
    if (!shape.contains(key)) return;
    const auto& list = shape[key];
    const std::string pointer = std::string("/shape/") + key;
    if (!list.is_array() || list.empty() || list.size() > 3) return wrong(pointer, "not a list of one to three expressions");
    for (size_t axis = 0; axis < list.size() && !problem_; ++axis) axes[axis] = boundOf(list[axis], pointer + "/" + std::to_string(axis));
  }

  void readNamed(const Json& root, const char* key, std::map<std::string, Bound>& out) {
    auto object = root.find(key);
    if (object == root.end()) return;
    if (!object->is_object()) return wrong(std::string("/") + key, "not an object");
    for (const auto& [name, value] : object->items())
      if (auto bound = boundOf(value, std::string("/") + key + "/" + pointerStep(name))) out.emplace(name, std::move(*bound));
  }
  void checkKnobs() {
    for (const auto& [name, bound] : space_.knobs) {
      if (std::any_of(kKnobs.begin(), kKnobs.end(), [&](const Knob& knob) { return knob.name == name; })) continue;
      std::string names;
      for (const auto& knob : kKnobs) names += (names.empty() ? "" : ", ") + std::string(knob.name);
      wrong("/knobs/" + pointerStep(name), "no such knob; there are " + names);
    }
  }
  void checkMacros() {
    for (const auto& [name, bound] : space_.macros)
      if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos)
        wrong("/macros/" + pointerStep(name), "not the name of a macro");
  }

  const LocatedJson& document_;
  const RecordedValues& recorded_;
  std::optional<Error> problem_;
  Space space_;
};

}  // namespace

std::span<const Knob> knobs() { return kKnobs; }

Expected<Space> parseSpace(std::string_view text, const std::string& origin, const RecordedValues& recorded) {
  auto document = parseLocated(text, origin);
  if (!document) return document.error();
  return Reader(*document, recorded).read();
}

Expected<Space> readSpace(const std::filesystem::path& path, const RecordedValues& recorded) {
  auto text = readText(path, kMaxFile);
  if (!text) return text.error();
  return parseSpace(*text, path.string(), recorded);
}

}  // namespace mneme::tune
