// SPDX-License-Identifier: Apache-2.0
/// `mneme host-toolchain`: where the stand-in compiler is.
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "command.h"

namespace mneme::cli {

namespace fs = std::filesystem;

std::function<int()> setupHostToolchain(CLI::App& app) {
  app.footer("Example: an unmodified CUDA project on a machine without CUDA\n"
             "  cmake -S . -B build -DCMAKE_CUDA_COMPILER=$(mneme host-toolchain)\n"
             "  make NVCC=$(mneme host-toolchain)");
  return [] {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    const fs::path nvcc = program.parent_path().parent_path() / "libexec/mneme/host-cuda/bin/nvcc";
    if (!fs::exists(nvcc))
      return report(Error(ErrorCode::Unavailable, nvcc.string() + " does not exist: this Mneme was built without its host "
                                                                  "back-end (see `mneme version`)"));
    std::printf("%s\n", nvcc.c_str());
    return int{kPass};
  };
}

}  // namespace mneme::cli
