// SPDX-License-Identifier: Apache-2.0
/// Files beside the object that are gone when the launcher ends.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace mneme::notes {

class TemporaryFiles {
 public:
  explicit TemporaryFiles(std::string object) : object_(std::move(object)) {}
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;
  ~TemporaryFiles() {
    std::error_code ignored;
    for (const std::string& path : paths_) std::filesystem::remove(path, ignored);
  }

  /// "<object>.mneme<suffix>": the object's name is the build system's, so nobody else writes it.
  [[nodiscard]] std::string make(const std::string& suffix) {
    paths_.push_back(object_ + ".mneme" + suffix);
    return paths_.back();
  }

 private:
  std::string object_;
  std::vector<std::string> paths_;
};

}  // namespace mneme::notes
