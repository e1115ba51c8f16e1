// SPDX-License-Identifier: Apache-2.0
/// Builds the document from parse events while the input counts lines; see located_json.h.
#include "tune/located_json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/printable.h"

namespace mneme::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kMaxDepth = 16;

/// Input that knows which line the parser has read up to.
struct Position {
  size_t line = 1;
  char last = 0;
};
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->last = *at_;
    position_->line += *at_ == '\n';
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    auto before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(LocatedJson& out, const Position& position) : out_(out), position_(position) {}
  std::string problem;
  size_t problemLine = 0;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(value); }
  bool binary(binary_t&) override { return fail("binary"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (stack_.back().value->contains(name)) return fail("'" + name + "' is there twice");
    stack_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& e) override {
    std::string what = e.what();  // "[json.exception.parse_error.101] parse error at line 2, column 1: syntax error …"
    const size_t at = what.find("syntax error");
    return fail(at == std::string::npos ? what : what.substr(at));
  }

 private:
  struct Level {
    Json* value;
    std::string pointer;
    std::string key;
  };

  bool fail(const std::string& what) {
    if (problem.empty()) problem = what, problemLine = line();
    return false;
  }
  /// After a number the parser has looked one character further.
  size_t line() const { return position_.line - (position_.last == '\n' && position_.line > 1); }

  Json* place(Json value, std::string& pointer) {
    if (stack_.empty()) {
      out_.value = std::move(value);
      return &out_.value;
    }
    auto& top = stack_.back();
    pointer = top.pointer + "/" + (top.value->is_array() ? std::to_string(top.value->size()) : pointerStep(top.key));
    out_.lines[pointer] = line();
    if (top.value->is_array()) return &top.value->emplace_back(std::move(value));
    return &((*top.value)[top.key] = std::move(value));
  }
  bool add(Json value) {
    std::string pointer;
    place(std::move(value), pointer);
    return true;
  }
  bool open(Json value) {
    if (stack_.size() >= kMaxDepth) return fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    std::string pointer;
    auto* placed = place(std::move(value), pointer);
    stack_.push_back({placed, pointer, {}});
    return true;
  }
  bool close() {
    stack_.pop_back();
    return true;
  }

  LocatedJson& out_;
  const Position& position_;
  std::vector<Level> stack_;
};

}  // namespace

std::string pointerStep(std::string_view name) {
  std::string step;
  for (char c : name) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return step;
}

Error LocatedJson::wrong(const std::string& pointer, const std::string& what) const {
  // The nearest member that exists has the line.
  std::string known = pointer;
  while (!known.empty() && !lines.contains(known)) known.resize(known.rfind('/'));
  const size_t line = known.empty() ? 1 : lines.at(known);
  std::string field = pointer.empty() ? "" : pointer.substr(1);
  std::replace(field.begin(), field.end(), '/', '.');
  return {ErrorCode::CorruptRecording,
          printable(origin + ":" + std::to_string(line) + ": " + (field.empty() ? "" : field + ": ") + what)};
}

Expected<LocatedJson> parseLocated(std::string_view text, const std::string& origin) {
  LocatedJson result;
  result.origin = origin;
  Position position;
  Builder builder(result, position);
  const bool parsed = Json::sax_parse(CountingIterator(text.data(), &position), CountingIterator(text.data() + text.size(), &position), &builder);
  if (parsed) return result;
  return Error(ErrorCode::CorruptRecording, printable(origin + ":" + std::to_string(builder.problemLine) + ": " + builder.problem));
}

}  // namespace mneme::tune
