// SPDX-License-Identifier: Apache-2.0
/// flock on a file in the user's runtime directory; the kernel releases it when the holder dies.
#include "device_lock.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mneme::cli {
namespace {

std::filesystem::path lockFolder() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime && ::access(runtime, W_OK) == 0)
    return std::filesystem::path(runtime) / "mneme";
  return "/tmp/mneme-" + std::to_string(::getuid());
}

/// In /tmp anyone may have made it first: it must be a directory of this user's own.
Expected<void> makeFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return ioError("cannot make", folder, errno);
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return ioError("cannot look at", folder, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::getuid())
    return Error(ErrorCode::Io, folder.string() + " is not a directory of this user");
  return {};
}

}  // namespace

Expected<DeviceLock> DeviceLock::acquire(const std::string& device) {
  auto folder = lockFolder();
  if (auto made = makeFolder(folder); !made) return std::move(made).error();
  auto path = folder / ("device-" + device + ".lock");
  auto file = openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (!file) return std::move(file).error();
  while (::flock(file->get(), LOCK_EX) != 0)
    if (errno != EINTR) return ioError("cannot lock", path, errno);
  return DeviceLock(std::move(*file));
}

}  // namespace mneme::cli
