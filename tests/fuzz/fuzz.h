// SPDX-License-Identifier: Apache-2.0
/// What every fuzz target needs: a scratch folder in memory, files in it, and demands that end the run.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "base/error.h"

namespace mneme::fuzz {

namespace fs = std::filesystem;

inline std::span<const std::byte> asBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Ends the run, and so makes a finding, unless `holds`.
inline void demand(bool holds, const char* what, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "demand failed: %s: %.*s\n", what, static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// A refusal is one clear line of an expected kind: whoever calls branches on the code.
inline void demandClear(const Error& error, std::initializer_list<ErrorCode> allowed) {
  bool expected = false;
  for (ErrorCode code : allowed) expected = expected || error.code() == code;
  demand(expected, "an error of another kind", error.message());
  demand(!error.message().empty(), "an error without a message");
  for (char c : error.message()) demand(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a control character in an error", error.message());
}

/// A folder of this process in memory where there is such a place; removed at exit.
class Scratch {
 public:
  Scratch() {
    std::error_code none;
    const fs::path place = fs::is_directory("/dev/shm", none) ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (place / "mneme-fuzz-XXXXXX").string();
    demand(::mkdtemp(name.data()) != nullptr, "no scratch folder", name);
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

inline void writeFile(const fs::path& path, std::span<const std::byte> bytes) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  demand(fd >= 0, "cannot write", path.native());
  for (size_t at = 0; at < bytes.size();) {
    auto n = ::write(fd, bytes.data() + at, bytes.size() - at);
    demand(n > 0, "cannot write", path.native());
    at += static_cast<size_t>(n);
  }
  ::close(fd);
}

}  // namespace mneme::fuzz
