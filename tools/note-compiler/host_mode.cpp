// SPDX-License-Identifier: Apache-2.0
/// Device side to bitcode, host side with that bitcode as its fat binary, then the note.
/// The user's compiler cache is left out: no cache knows that the object depends on the bitcode file.
#include "host_mode.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>
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

struct Compile {
  const Options& options;
  const CompilerCommand& command;
  std::string source, object, bitcode, deviceDependencies;
};

Expected<int> compileDeviceSide(const Compile& job) {
  Words device = deviceCommand(job.options, job.command, job.source);
  append(device, {"-o", job.bitcode});
  if (!job.command.value("-MF").empty()) {
    const std::string target = job.command.value("-MT");
    append(device, {"-MD", "-MT", target.empty() ? job.object : target, "-MF", job.deviceDependencies});
  }
  return run(device);
}

/// The finished object without its note.
Expected<int> compileHostSide(const Compile& job) {
  auto host = hostCommand(job.options, job.command, job.source);
  if (!host) return std::move(host).error();
  append(*host, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", job.bitcode, "-c", job.source, "-o", job.object});
  const auto exitCode = run(*host);
  const std::string dependencies = job.command.value("-MF");
  if (!exitCode || *exitCode != 0 || dependencies.empty()) return exitCode;
  if (auto merged = mergeDependencies(dependencies, job.deviceDependencies); !merged) return std::move(merged).error();
  return 0;
}

Expected<NoteContent> deviceNote(const Compile& job) {
  auto content = bitcodeNote(job.command, job.source, job.bitcode);
  if (!content) return content;
  content->note.architecture = hostArchitecture(job.options);
  content->note.deviceCommand = deviceCommand(job.options, job.command, job.source);
  return content;
}

/// The bitcode is looked into while the host side compiles.
Expected<int> compileNoted(const Compile& job, TemporaryFiles& files) {
  auto content = std::async(std::launch::async, [&] { return deviceNote(job); });
  const auto exitCode = compileHostSide(job);
  const auto noted = content.get();
  if (!exitCode || *exitCode != 0) return exitCode;
  if (!noted) return noted.error();
  if (auto added = addNotes(job.object, {*noted}, job.options, files); !added) return std::move(added).error();
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
  const Compile job{options, command, source, object, files.make(".bc"), files.make(".d")};
  const auto exitCode = compileDeviceSide(job);
  if (!exitCode || *exitCode != 0) return exitCode;
  return wantsNotes(options, source) ? compileNoted(job, files) : compileHostSide(job);
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
