// SPDX-License-Identifier: Apache-2.0
/// `mneme host-toolchain`: where the stand-in compiler is.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "command.h"
#include "own_files.h"

namespace mneme::cli {

std::function<int()> setupHostToolchain(CLI::App& app) {
  app.footer("Example: an unmodified CUDA project on a machine without CUDA\n"
             "  cmake -S . -B build -DCMAKE_CUDA_COMPILER=$(mneme host-toolchain)\n"
             "  make NVCC=$(mneme host-toolchain)\n"
             "or HIP project on one without ROCm\n"
             "  cmake -S . -B build -DCMAKE_HIP_COMPILER=$(mneme host-toolchain --hip)");
  auto hip = std::make_shared<bool>(false);
  app.add_flag("--hip", *hip, "the stand-in for HIP's clang instead of the one for nvcc; hipcc lies beside it");
  return [hip] {
    const auto compiler = helperFile(*hip ? "host-hip/bin/clang++" : "host-cuda/bin/nvcc");
    if (!std::filesystem::exists(compiler))
      return report(Error(ErrorCode::Unavailable, compiler.string() + " does not exist: this Mneme was built without its host "
                                                                  "back-end (see `mneme version`)"));
    std::printf("%s\n", compiler.c_str());
    return int{kPass};
  };
}

}  // namespace mneme::cli
