// SPDX-License-Identifier: Apache-2.0
/// Spelling of recordings; see set_text.h.
#include "set_text.h"

#include <algorithm>
#include <system_error>

#include "format/recording_set.h"
#include "text.h"

namespace mneme::cli {

namespace fs = std::filesystem;

std::string shapeText(const LaunchShape& shape) {
  auto text = [](const Dim3& d) { return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z); };
  return text(shape.grid) + " / " + text(shape.block);
}

std::string codeText(const format::Manifest& manifest) {
  std::string text;
  for (const auto& code : manifest.code) text += (text.empty() ? "" : ",") + std::string(name(code.kind));
  return text.empty() ? "-" : text;
}

std::string checkText(const format::Manifest& manifest) {
  if (manifest.redaction == format::Redaction::Memory) return "redacted";
  auto worst = format::SelfCheck::Result::NotRun;
  for (const auto& [kind, check] : manifest.selfCheck) worst = std::max(worst, check.result);
  return std::string(format::name(worst));
}

uint64_t regionBytes(const format::Manifest& manifest) {
  uint64_t bytes = 0;
  for (const auto& region : manifest.regions) bytes += region.range.size;
  return bytes;
}

void addSetOption(CLI::App& app, std::string& set) {
  app.add_option("SET", set, "directory of the recording set")->capture_default_str();
}

Expected<std::vector<fs::path>> manifestsOf(const std::vector<std::string>& arguments, bool mayBeEmpty) {
  std::vector<fs::path> out;
  std::string passedOver;
  for (const auto& argument : arguments) {
    std::error_code ignored;
    if (format::isSetFile(argument)) {
      passedOver = argument;
    } else if (!fs::is_directory(argument, ignored)) {
      out.emplace_back(argument);
    } else {
      auto manifests = format::listManifests(argument);
      if (!manifests) return manifests;
      out.insert(out.end(), manifests->begin(), manifests->end());
    }
  }
  if (!out.empty() || arguments.empty()) return out;
  if (passedOver.empty() && mayBeEmpty) return out;
  if (passedOver.empty())
    return Error(ErrorCode::NotFound, arguments.front() + ": holds no recording; `mneme record -o " + shellQuoted(arguments.front()) + " -- CMD` makes some");
  auto set = fs::path(passedOver).parent_path().string();
  return Error(ErrorCode::InvalidArgument, passedOver + ": is the set's own file, not a recording; recordings are named "
                                           "<kernel>.<hash8>.json, `mneme ls " + shellQuoted(set.empty() ? "." : set) + "` lists them");
}

}  // namespace mneme::cli
