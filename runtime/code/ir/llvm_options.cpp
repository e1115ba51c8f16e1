// SPDX-License-Identifier: Apache-2.0
#include "code/ir/llvm_options.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace mneme::code {
namespace {

std::shared_mutex& lock() {
  static std::shared_mutex mutex;
  return mutex;
}

/// They print and call exit().
constexpr std::array<std::string_view, 9> kEndingOptions = {
    "h", "help", "help-hidden", "help-list", "help-list-hidden", "version", "print-options", "print-all-options", "load"};

std::string withoutDashes(const std::string& option) {
  const size_t begin = option.find_first_not_of('-');
  return begin == std::string::npos ? std::string() : option.substr(begin);
}

Expected<void> check(const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const auto& known = llvm::cl::getRegisteredOptions();
  const bool ends = std::find(kEndingOptions.begin(), kEndingOptions.end(), name) != kEndingOptions.end();
  if (name.empty() || ends || known.find(name) == known.end())
    return Error{ErrorCode::InvalidArgument, "LLVM has no option -" + name + " that can be set here"};
  return {};
}

Expected<void> parse(const std::vector<std::string>& options) {
  std::vector<const char*> words = {"mneme"};
  std::string all;
  for (const std::string& option : options) {
    words.push_back(option.c_str());
    all += " " + option;
  }
  std::string complaints;
  llvm::raw_string_ostream stream(complaints);
  if (llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), "", &stream)) return {};
  return Error{ErrorCode::InvalidArgument, "LLVM refuses" + all + (complaints.empty() ? "" : ": " + complaints)};
}

}  // namespace

Expected<LlvmOptions> LlvmOptions::apply(std::span<const std::string> options) {
  LlvmOptions scope;
  if (options.empty()) {
    scope.shared_ = std::shared_lock(lock());
    return scope;
  }
  std::vector<std::string> dashed;
  scope.exclusive_ = std::unique_lock(lock());
  for (const std::string& option : options) {
    const std::string plain = withoutDashes(option);
    if (auto checked = check(plain); !checked) return std::move(checked).error();
    dashed.push_back("-" + plain);
  }
  if (auto parsed = parse(dashed); !parsed) return std::move(parsed).error();
  return scope;
}

LlvmOptions::~LlvmOptions() {
  if (exclusive_.owns_lock()) llvm::cl::ResetAllOptionOccurrences();
}

}  // namespace mneme::code
