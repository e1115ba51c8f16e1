// SPDX-License-Identifier: Apache-2.0
/// Error and Expected<T>: how every module reports what went wrong, shaped like std::expected.
/// Nothing here throws; a dropped Expected or Error is a compiler warning.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mneme {

/// The closed list of reasons; callers branch on these and nothing else.
enum class ErrorCode {
  InvalidArgument,   ///< the caller asked for something that makes no sense
  NotFound,          ///< a named thing (file, kernel, tool) does not exist
  Unsupported,       ///< known and refused by name
  Unavailable,       ///< the device, library or tool is not on this machine
  Io,                ///< the operating system refused (disk full, permission)
  CorruptRecording,  ///< bytes on disk are not what the format says
  Mismatch,          ///< recorded and current code do not fit (parameters changed, kernel gone)
  Device,            ///< the device failed or hung
};

/// A code and a sentence. Context is put in front on the way up:
/// "restoring region 3: cuMemcpyHtoD: out of memory".
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::string& message() const { return message_; }

  /// The same error with "what: " in front of its message.
  [[nodiscard]] Error context(const std::string& what) const& { return {code_, what + ": " + message_}; }
  [[nodiscard]] Error context(const std::string& what) && {
    message_.insert(0, what + ": ");
    return std::move(*this);
  }

 private:
  ErrorCode code_;
  std::string message_;
};

/// A value or an Error. Asking a failed one for its value is a programming mistake (asserted).
template <typename T>
class [[nodiscard]] Expected {
 public:
  using value_type = T;

  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() & {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T value_or(T other) const& { return has_value() ? value() : std::move(other); }

  [[nodiscard]] const Error& error() const& { return *std::get_if<1>(&state_); }
  [[nodiscard]] Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const& { return *error_; }
  [[nodiscard]] Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace mneme
