// SPDX-License-Identifier: Apache-2.0
/// One process at a time on a device, for everything that measures or uses a GPU: `ctest -j16` then does not stampede.
#pragma once

#include <string>

#include "base/error.h"
#include "base/file.h"

namespace mneme::cli {

/// Held until destroyed, or until the process ends however it ends.
class DeviceLock {
 public:
  /// Waits without bound for this user's other processes. Io if the lock file cannot be had.
  [[nodiscard]] static Expected<DeviceLock> acquire(const std::string& device);

 private:
  explicit DeviceLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace mneme::cli
