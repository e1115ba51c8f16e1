// SPDX-License-Identifier: Apache-2.0
/// mneme-nvcc: takes nvcc's command lines, or those of HIP's clang by another name, and builds programs for the CPU device, by clang and the host compiler.
#include <cstdio>
#include <filesystem>

#include "hip_command.h"
#include "mneme/version.h"
#include "place.h"
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

int printHipHelp() {
  std::printf("Usage: clang++ [OPTION]... FILE...\n"
              "Mneme's stand-in for HIP's clang and for hipcc: builds HIP programs for the CPU device, with 32 lanes a warp.\n\n"
              "Steps: compile and link (no option), -c, -E, -M, -MM. Options about an AMD GPU's code (--offload-arch ...) are taken\n"
              "and have no effect. Under the name hipcc every C++ source is a HIP source, else those named *.hip or after -x hip.\n\n"
              "  --mneme-no-notes     leave out the notes that make kernels recordable\n"
              "  MNEME_CLANG          environment: the clang++ (22 or newer) to use\n\n"
              "CMake: cmake -DCMAKE_HIP_COMPILER=$(mneme host-toolchain --hip) ...\n");
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
    case Step::Help: return command.hip ? printHipHelp() : printHelp();
    case Step::Compile: return compileAll(command);
    case Step::DeviceLink:
      return deviceLink(command, command.inputs, command.output.empty() ? "a_dlink.o" : command.output);
    case Step::Link: return link(command);
    default: return inspect(command);
  }
}

/// clang answers; under -v it also names the HIP installation, as one that has found ROCm does.
Expected<int> askClang(const Words& words) {
  Words question{clang()};
  bool verbose = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-v") verbose = true;
    else question.push_back(words[i]);
  }
  if (verbose) showHipPlace();
  return notes::run(question);
}

Expected<int> runHip(const Words& words) {
  if (asksClang(words)) return askClang(words);
  const auto command = parseHip(words);
  if (!command) return command.error();
  if (command->verbose) showHipPlace();
  return perform(*command);
}

Expected<int> runNvcc(const Words& words) {
  const auto command = parseNvcc(words);
  return command ? perform(*command) : Expected<int>(command.error());
}

int runMain(const Words& words) {
  const bool hip = isHipName(words.front());
  const auto exitCode = hip ? runHip(words) : runNvcc(words);
  if (exitCode) return *exitCode;
  std::fprintf(stderr, "%s (Mneme's stand-in): %s\n", hip ? "HIP compiler" : "nvcc", exitCode.error().message().c_str());
  return 1;
}

}  // namespace
}  // namespace mneme::host_toolchain

int main(int argc, char** argv) { return mneme::host_toolchain::runMain({argv, argv + argc}); }
