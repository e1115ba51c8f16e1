// SPDX-License-Identifier: Apache-2.0
/// The loader names every object but the program.
#include "preload/host/library_of.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace mneme::host_runtime {

std::string libraryOf(const void* address) {
  Dl_info info{};
  void* map = nullptr;
  if (!dladdr1(address, &info, &map, RTLD_DL_LINKMAP) || !map) return {};
  const char* name = static_cast<const link_map*>(map)->l_name;
  if (!name || !*name) return {};
  std::error_code failed;
  const auto library = std::filesystem::canonical(name, failed);
  if (failed) return {};
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : library.lexically_relative(program.parent_path()).string();
}

}  // namespace mneme::host_runtime
