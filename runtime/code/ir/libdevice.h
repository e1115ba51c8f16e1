// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's device math library, for bitcode that calls it by name instead of carrying its bodies.
#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace mneme::code {

class Libdevice {
 public:
  /// In the CUDA toolkit (findToolkitFile). Unavailable, saying where it was looked for.
  [[nodiscard]] static Expected<Libdevice> find();

  [[nodiscard]] std::span<const std::byte> bytes() const { return file_.bytes(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Libdevice(MappedFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  MappedFile file_;
  std::string path_;
};

}  // namespace mneme::code
