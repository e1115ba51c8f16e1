// SPDX-License-Identifier: Apache-2.0
/// `mneme host-toolchain`: where the stand-in compiler is.
#include <cstdio>
#include <filesystem>

#include "command.h"
#include "own_files.h"

namespace mneme::cli {

std::function<int()> setupHostToolchain(CLI::App& app) {
  app.footer("Example: an unmodified CUDA project on a machine without CUDA\n"
             "  cmake -S . -B build -DCMAKE_CUDA_COMPILER=$(mneme host-toolchain)\n"
             "  make NVCC=$(mneme host-toolchain)");
  return [] {
    const auto nvcc = helperFile("host-cuda/bin/nvcc");
    if (!std::filesystem::exists(nvcc))
      return report(Error(ErrorCode::Unavailable, nvcc.string() + " does not exist: this Mneme was built without its host "
                                                                  "back-end (see `mneme version`)"));
    std::printf("%s\n", nvcc.c_str());
    return int{kPass};
  };
}

}  // namespace mneme::cli
