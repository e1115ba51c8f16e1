// SPDX-License-Identifier: Apache-2.0
/// Device side to bitcode, host side with that bitcode as its fat binary, then the note.
/// The user's compiler cache is left out: no cache knows that the object depends on the bitcode file.
#include "host_mode.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "clang_flags.h"
#include "note_step.h"

namespace mneme::notes {
namespace {

namespace fs = std::filesystem;

/// Any would do: the host device knows no architectures. The note says what macros the code saw.
std::string hostArchitecture(const Options& options) {
  return options.architectures.empty() ? "sm_90" : options.architectures.front();
}

/// CUDA without NVIDIA's toolkit. The SDK version makes clang use the launch protocol of today. Like nvcc, and unlike
/// hipcc, it includes the runtime's header by itself.
Words cudaWords(const Options& options, const std::string& source) {
  Words words{"-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=" + hostArchitecture(options),
          "-Xclang", "-target-sdk-version=12.5", "-Wno-unknown-cuda-version", "-I", options.include};
  if (fs::path(source).extension() != ".hip") append(words, {"-include", "cuda_runtime.h"});
  if (options.relocatable) append(words, {"-fgpu-rdc", "--no-offload-new-driver", "-cuid=" + options.unit});
  return words;
}

/// Without a toolkit clang would assume a PTX version too old for the architecture; with one, whatever that is.
constexpr const char* kPtxVersion = "--cuda-feature=+ptx88";

/// The command without the names of temporary files, so that the note does not depend on them.
Words deviceCommand(const Options& options, const CompilerCommand& command, const std::string& source) {
  Words words{options.clang};
  append(words, cudaWords(options, source));
  append(words, {"--cuda-device-only", kPtxVersion, "-emit-llvm", "-O2", "-Xclang", "-disable-llvm-passes", "-w"});
  append(words, deviceFlags(command));
  append(words, {"-c", source});
  return words;
}

Expected<Words> hostCommand(const Options& options, const CompilerCommand& command, const std::string& source) {
  Words words{options.clang};
  append(words, cudaWords(options, source));
  append(words, {"--cuda-host-only", "-fno-addrsig", "-Qunused-arguments", "-Wno-unknown-warning-option"});
  auto flags = hostFlags(command, options);
  if (!flags) return flags;
  append(words, *flags);
  return words;
}

/// The object's rule also lists what only the device side includes. One rule: CMake's Makefiles read no second one.
Expected<void> mergeDependencies(const std::string& into, const std::string& from) {
  auto host = readText(into), device = readText(from);
  if (!host) return std::move(host).error();
  if (!device) return std::move(device).error();
  const size_t hostColon = host->find(": "), deviceColon = device->find(": ");
  if (hostColon == std::string::npos || deviceColon == std::string::npos)
    return Error(ErrorCode::Io, into + ": clang wrote no rule");
  while (device->ends_with('\n')) device->pop_back();
  host->insert(hostColon + 1, device->substr(deviceColon + 1) + " \\\n ");
  return writeAtomically(into, *host);
}

/// What `-E` or `-M` print, read back from a file so that two sides can be joined.
Expected<std::string> inspected(Words command, const std::string& source, TemporaryFiles& files) {
  const std::string file = files.make(".inspected");
  append(command, {source, "-o", file});
  const auto exitCode = run(command);
  if (!exitCode) return exitCode.error();
  if (*exitCode != 0) return std::string();
  return readText(file);
}

Expected<void> writeTo(const std::string& path, const std::string& text) {
  if (!path.empty()) return writeAtomically(path, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

/// Preprocessed text and assembly, as `make foo.i` and `make foo.s` ask for.
Expected<int> inspectOnly(const CompilerCommand& command, Words host, const std::string& source) {
  if (const std::string out = command.value("-o"); !out.empty()) append(host, {"-o", out});
  append(host, {source});
  return run(host);
}

/// Runs both sides; 0 leaves the finished object without its note.
Expected<int> compileBothSides(const Options& options, const CompilerCommand& command, const std::string& source,
                               const std::string& object, const std::string& bitcode, TemporaryFiles& files) {
  const std::string dependencies = command.value("-MF");
  Words device = deviceCommand(options, command, source);
  append(device, {"-o", bitcode});
  const std::string deviceDependencies = dependencies.empty() ? "" : files.make(".d");
  if (!dependencies.empty()) {
    const std::string target = command.value("-MT");
    append(device, {"-MD", "-MT", target.empty() ? object : target, "-MF", deviceDependencies});
  }
  auto exitCode = run(device);
  if (!exitCode || *exitCode != 0) return exitCode;
  auto host = hostCommand(options, command, source);
  if (!host) return std::move(host).error();
  append(*host, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", bitcode, "-c", source, "-o", object});
  exitCode = run(*host);
  if (!exitCode || *exitCode != 0 || dependencies.empty()) return exitCode;
  if (auto merged = mergeDependencies(dependencies, deviceDependencies); !merged) return std::move(merged).error();
  return 0;
}

}  // namespace

Expected<int> compileForHost(const Options& options, const CompilerCommand& command, const std::string& source) {
  if (!command.find("-c")) {
    auto host = hostCommand(options, command, source);
    if (!host) return std::move(host).error();
    return inspectOnly(command, std::move(*host), source);
  }
  const std::string given = command.value("-o");
  const std::string object = given.empty() ? fs::path(source).stem().string() + ".o" : given;
  TemporaryFiles files(object);
  const std::string bitcode = files.make(".bc");
  const auto exitCode = compileBothSides(options, command, source, object, bitcode, files);
  if (!exitCode || *exitCode != 0 || !wantsNotes(options, source)) return exitCode;
  auto content = bitcodeNote(options, command, source, bitcode);
  if (!content) return std::move(content).error();
  content->note.architecture = hostArchitecture(options);
  content->note.deviceCommand = deviceCommand(options, command, source);
  if (auto added = addNotes(object, {*content}, options, files); !added) return std::move(added).error();
  return 0;
}

Expected<int> inspectBothSides(const Options& options, const CompilerCommand& command, const std::string& source) {
  const std::string out = command.value("-o");
  TemporaryFiles files(out.empty() ? fs::temp_directory_path() / ("mneme-nvcc-" + std::to_string(::getpid())) : fs::path(out));
  auto host = hostCommand(options, command, source);
  if (!host) return std::move(host).error();
  append(*host, {command.find("-E") ? "-E" : command.find("-MM") ? "-MM" : "-M"});
  const auto hostText = inspected(*host, source, files);
  if (!hostText) return hostText.error();
  std::string text = *hostText;
  if (command.find("-E")) {
    Words device = cudaWords(options, source);
    device.insert(device.begin(), options.clang);
    append(device, {"--cuda-device-only", kPtxVersion, "-E", "-w"});
    append(device, deviceFlags(command));
    const auto deviceText = inspected(device, source, files);
    if (!deviceText) return deviceText.error();
    text = deviceText->empty() ? "" : text + *deviceText;
  }
  if (text.empty()) return 1;
  if (auto written = writeTo(out, text); !written) return std::move(written).error();
  return 0;
}

Expected<int> writePtx(const Options& options, const CompilerCommand& command, const std::string& source) {
  Words words{options.clang};
  append(words, cudaWords(options, source));
  append(words, {"--cuda-device-only", kPtxVersion, "-S", "-O3", "-w"});
  append(words, deviceFlags(command));
  const std::string given = command.value("-o");
  append(words, {source, "-o", given.empty() ? fs::path(source).stem().string() + ".ptx" : given});
  return run(words);
}

}  // namespace mneme::notes
