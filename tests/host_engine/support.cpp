// SPDX-License-Identifier: Apache-2.0
/// Runs clang once per source text; MNEME_TEST_CLANG and MNEME_TEST_PRELUDE come from CMake.
#include "support.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace mneme::host::test {

namespace fs = std::filesystem;

std::vector<std::byte> compileCuda(const std::string& source) {
  std::string pattern = (fs::temp_directory_path() / "mneme-test-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return {};
  const auto input = fs::path(pattern) / "kernel.cu", output = fs::path(pattern) / "kernel.bc", log = fs::path(pattern) / "log";
  std::ofstream(input) << source;
  const std::string command = std::string(MNEME_TEST_CLANG) +
      " -x cuda -nocudainc -nocudalib --cuda-gpu-arch=sm_90 --cuda-device-only -emit-llvm -O2 -Xclang -disable-llvm-passes"
      " -Xclang -target-sdk-version=12.5 -Wno-unknown-cuda-version --cuda-feature=+ptx88 -std=c++17 -include " MNEME_TEST_PRELUDE " -c -o '" +
      output.string() + "' '" + input.string() + "' 2> '" + log.string() + "'";
  const int status = std::system(command.c_str());
  auto bytes = readBytes(output, 64 << 20);
  if (status != 0 || !bytes) ADD_FAILURE() << "clang: " << readText(log).value_or("no log");
  fs::remove_all(pattern);
  return bytes ? std::move(*bytes) : std::vector<std::byte>();
}

std::shared_ptr<LoadedModule> load(const std::string& source) {
  auto module = loadModule(compileCuda(source));
  if (!module) {
    ADD_FAILURE() << module.error().message();
    return nullptr;
  }
  return *module;
}

}  // namespace mneme::host::test
