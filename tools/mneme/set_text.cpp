// SPDX-License-Identifier: Apache-2.0
/// Spelling of recordings; see set_text.h.
#include "set_text.h"

#include <algorithm>
#include <system_error>

#include "format/recording_set.h"

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

Expected<std::vector<fs::path>> manifestsOf(const std::vector<std::string>& arguments) {
  std::vector<fs::path> out;
  for (const auto& argument : arguments) {
    std::error_code ignored;
    if (!fs::is_directory(argument, ignored)) {
      out.emplace_back(argument);
      continue;
    }
    auto manifests = format::listManifests(argument);
    if (!manifests) return manifests;
    out.insert(out.end(), manifests->begin(), manifests->end());
  }
  return out;
}

}  // namespace mneme::cli
