// SPDX-License-Identifier: Apache-2.0
/// mneme-nvcc: takes nvcc's command lines and builds programs for the CPU device, by clang and the host compiler.
#include <cstdio>
#include <filesystem>

#include "mneme/version.h"
#include "steps.h"

namespace mneme::host_toolchain {
namespace {

namespace fs = std::filesystem;

/// CMake and makefiles read nvcc's first line and its version; people read the last line.
int printVersion() {
  std::printf("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.5, V12.5.82\n"
              "This is Mneme %s's stand-in: it builds CUDA programs for Mneme's CPU device. NVIDIA's compiler is not used.\n",
              MNEME_VERSION);
  return 0;
}

int printHelp() {
  std::printf("Usage: nvcc [OPTION]... FILE...\n"
              "Mneme's stand-in for nvcc: builds CUDA programs for the CPU device, with LLVM's clang.\n\n"
              "It takes nvcc's options. Steps: compile and link (no option), -c, -dc, -dlink, -E, -M, -MM, -ptx.\n"
              "Options about a GPU's code (-Xptxas, -maxrregcount, -lineinfo, -gencode ...) are taken and have no effect;\n"
              "-cubin and -fatbin are refused.\n\n"
              "  -ccbin PROGRAM       the host compiler that links and compiles C++ sources (default: g++)\n"
              "  --mneme-no-notes     leave out the notes that make kernels recordable\n"
              "  MNEME_CLANG          environment: the clang++ (22 or newer) to use\n\n"
              "CMake: cmake -DCMAKE_CUDA_COMPILER=$(mneme host-toolchain) ...\n");
  return 0;
}

Expected<int> compileAll(const NvccCommand& command) {
  if (!command.output.empty() && command.inputs.size() > 1)
    return Error(ErrorCode::InvalidArgument, "-o names one object, but there are several sources");
  if (command.inputs.empty()) return Error(ErrorCode::InvalidArgument, "no input files");
  for (const std::string& input : command.inputs) {
    const fs::path folder = command.outputFolder.empty() ? "." : command.outputFolder;
    const std::string object =
        command.output.empty() ? (folder / fs::path(input).stem()).lexically_normal().string() + ".o" : command.output;
    const auto exitCode = compile(command, input, object);
    if (!exitCode || *exitCode != 0) return exitCode;
  }
  return 0;
}

Expected<int> perform(const NvccCommand& command) {
  switch (command.step) {
    case Step::Version: return printVersion();
    case Step::Help: return printHelp();
    case Step::Compile: return compileAll(command);
    case Step::DeviceLink:
      return deviceLink(command, command.inputs, command.output.empty() ? "a_dlink.o" : command.output);
    case Step::Link: return link(command);
    default: return inspect(command);
  }
}

int runMain(const Words& words) {
  const auto command = parseNvcc(words);
  const auto exitCode = command ? perform(*command) : Expected<int>(command.error());
  if (exitCode) return *exitCode;
  std::fprintf(stderr, "nvcc (Mneme's stand-in): %s\n", exitCode.error().message().c_str());
  return 1;
}

}  // namespace
}  // namespace mneme::host_toolchain

int main(int argc, char** argv) { return mneme::host_toolchain::runMain({argv, argv + argc}); }
