// SPDX-License-Identifier: Apache-2.0
#include "code/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/file.h"

namespace mneme::code {

Expected<TemporaryFolder> TemporaryFolder::make() {
  std::error_code failed;
  std::string name = (std::filesystem::temp_directory_path(failed) / "mneme-XXXXXX").string();
  if (failed || !::mkdtemp(name.data())) return ioError("making a temporary folder", name, errno);
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace mneme::code
