// SPDX-License-Identifier: Apache-2.0
/// A folder for tools that want files; gone, with all in it, at destruction.
#pragma once

#include <filesystem>
#include <utility>

#include "base/error.h"

namespace mneme::code {

class TemporaryFolder {
 public:
  [[nodiscard]] static Expected<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace mneme::code
