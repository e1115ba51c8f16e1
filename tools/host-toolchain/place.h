// SPDX-License-Identifier: Apache-2.0
/// Where the stand-in and what it uses are; found relative to the running program, so that an install can be moved.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::host_toolchain {

/// The CUDA-shaped tree: bin/nvcc, include/, lib64/, nvvm/libdevice/; or the HIP-shaped one: bin/clang++, include/, lib/.
struct Place {
  std::filesystem::path root;

  [[nodiscard]] std::string include() const { return (root / "include").string(); }
  [[nodiscard]] std::string libraries() const { return (root / "lib64").string(); }
  /// The same folder by a name that CMake reads right: it takes the folders to link from what the host compiler prints
  /// without quotes. Where the path has spaces, a link to it in the cache folder.
  [[nodiscard]] std::string librariesWithoutSpaces() const;
};

[[nodiscard]] Place ownPlace(bool hip = false);

/// $MNEME_CLANG, else the clang++ that Mneme was built for, else one in PATH.
[[nodiscard]] std::string clang();

}  // namespace mneme::host_toolchain
