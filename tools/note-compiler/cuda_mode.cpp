// SPDX-License-Identifier: Apache-2.0
/// clang's device side runs beside the real compiler. If it cannot parse the source, PTX alone is kept and said so:
/// a source that the real compiler takes never fails to build because of us.
#include "cuda_mode.h"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/log.h"
#include "clang_flags.h"
#include "code/fatbin.h"
#include "cubin/ptx.h"
#include "note_step.h"

namespace mneme::notes {
namespace {

namespace fs = std::filesystem;

void append(Words& out, const Words& words) { out.insert(out.end(), words.begin(), words.end()); }

bool makesObject(const CompilerCommand& command) {
  for (const char* option : {"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"})
    if (command.find(option)) return !command.value("-o").empty();
  return false;
}

/// "900" for "sm_90a", as nvcc defines __CUDA_ARCH_LIST__.
std::string architectureList(const std::string& architecture) {
  std::string digits;
  for (const char c : architecture)
    if (c >= '0' && c <= '9') digits += c;
  return digits + "0";
}

/// The flags that make clang name and lay out kernels as nvcc does, as far as flags can.
Words deviceCommand(const Options& options, const CompilerCommand& command, const std::string& source,
                    const std::string& architecture) {
  Words words{options.clang, "-x", "cuda", "--cuda-gpu-arch=" + architecture, "--cuda-device-only", "-emit-llvm", "-O2",
              "-Xclang", "-disable-llvm-passes", "-w", "-Wno-unknown-cuda-version", "-Wno-register"};
  if (!options.compilerIsClang)
    append(words, {"-fclang-abi-compat=17", "-D__CUDA_ARCH_LIST__=" + architectureList(architecture)});
  if (!options.cudaRoot.empty())
    append(words, {"--cuda-path=" + options.cudaRoot, "-isystem", options.cudaRoot + "/include/cccl"});
  append(words, options.compilerIsClang ? deviceFlags(command) : deviceFlagsOfNvcc(command));
  append(words, {"-c", source});
  return words;
}

std::string firstError(const std::string& output) {
  const size_t at = output.find("error: ");
  if (at == std::string::npos) return output.substr(0, output.find('\n'));
  const size_t begin = output.rfind('\n', at) + 1;
  return output.substr(begin, output.find('\n', at) - begin);
}

/// One architecture's bitcode; nothing, and a warning, where clang cannot.
std::vector<NoteContent> bitcodeFor(const Options& options, const CompilerCommand& command, const std::string& source,
                                    const std::string& architecture, const std::string& bitcode) {
  const Words device = deviceCommand(options, command, source, architecture);
  Words running = device;
  append(running, {"-o", bitcode});
  const auto ran = runCaptured(running);
  if (!ran || ran->exitCode != 0) {
    const std::string reason = ran ? firstError(ran->output) : ran.error().message();
    log(LogLevel::Warn, source + ": kept as PTX only, clang cannot compile its device side: " + reason);
    return {};
  }
  auto content = bitcodeNote(options, command, source, bitcode);
  if (!content) {
    log(LogLevel::Warn, source + ": kept as PTX only: " + content.error().message());
    return {};
  }
  content->note.architecture = architecture;
  content->note.deviceCommand = device;
  return {std::move(*content)};
}

/// nvcc once more, to PTX: for objects that hold machine code alone.
Expected<std::vector<std::byte>> ptxByNvcc(const CompilerCommand& command, const std::string& source,
                                           const std::string& architecture, const std::string& output) {
  Words words{command.compiler};
  for (const Argument& argument : command.arguments) {
    const std::string& option = argument.option;
    const bool dropped = option.empty() || option == "-o" || option == "-x" || option.starts_with("-M") ||
                         option == "-c" || option == "--compile" || option == "-dc" || option == "-dw" ||
                         option.find("gencode") != std::string::npos || option.find("generate-code") == 2 ||
                         option.find("arch") != std::string::npos || option.find("-code") != std::string::npos;
    if (!dropped) append(words, argument.words);
  }
  const std::string number = architecture.substr(3);
  append(words, {"-x", "cu", "-ptx", "-arch=compute_" + number, source, "-o", output});
  const auto ran = runCaptured(words);
  if (!ran) return ran.error();
  if (ran->exitCode != 0) return Error(ErrorCode::Unavailable, firstError(ran->output));
  return readBytes(output, uint64_t{1} << 30);
}

NoteContent ptxNote(const CompilerCommand& command, const std::string& source, std::string architecture,
                    std::vector<std::byte> ptx) {
  NoteContent content{commonNote(command, source), std::move(ptx)};
  const std::string_view text(reinterpret_cast<const char*>(content.code.data()), content.code.size());
  for (const cubin::Kernel& kernel : cubin::scanPtx(text).kernels) content.note.kernels.push_back(kernel.name);
  content.note.kind = CodeKind::Ptx;
  content.note.architecture = std::move(architecture);
  content.note.compiler = fs::path(command.compiler).filename().string();
  return content;
}

/// The PTX that the object ships, newest architecture only; made by nvcc if it ships none.
std::vector<NoteContent> ptxOf(const Options& options, const CompilerCommand& command, const std::string& source,
                               const std::string& architecture, TemporaryFiles& files) {
  const std::string object = command.value("-o");
  if (const auto shipped = code::FatBinaries::open(object)) {
    const code::FatBinaryEntry* best = nullptr;
    for (const code::FatBinaryEntry& entry : shipped->entries())
      if (entry.kind == CodeKind::Ptx && entry.unreadable.empty() && (!best || entry.architecture > best->architecture))
        best = &entry;
    if (best)
      if (auto ptx = shipped->code(*best)) return {ptxNote(command, source, best->architecture, std::move(*ptx))};
  }
  if (options.compilerIsClang) return {};
  auto made = ptxByNvcc(command, source, architecture, files.make(".ptx"));
  if (made) return {ptxNote(command, source, "compute_" + architecture.substr(3), std::move(*made))};
  log(LogLevel::Warn, source + ": no PTX could be kept: " + made.error().message());
  return {};
}

/// nvcc puts "__nv_static_<n>_<n characters>_" in front of internal names of relocatable code, and its own file id into
/// anonymous namespaces: what is left after both, as people read it.
std::string comparableName(std::string name) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (name.starts_with(kStatic)) {
    const size_t digitsEnd = name.find('_', kStatic.size());
    const size_t length = std::strtoul(name.c_str() + kStatic.size(), nullptr, 10);
    if (digitsEnd != std::string::npos && length < name.size() && digitsEnd + length + 2 < name.size())
      name.erase(0, digitsEnd + length + 2);
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

/// Kernels that nvcc made and the bitcode lacks, or names otherwise, are named in the note and in the build's output.
void compareKernels(const std::string& source, std::vector<NoteContent>& bitcode, const std::vector<NoteContent>& ptx) {
  if (ptx.empty()) return;
  for (NoteContent& content : bitcode) {
    std::set<std::string> known;
    for (const std::string& kernel : content.note.kernels) known.insert(comparableName(kernel));
    for (const std::string& kernel : ptx.front().note.kernels) {
      if (known.count(comparableName(kernel))) continue;
      content.note.missing.push_back(kernel);
      log(LogLevel::Warn, source + ": no bitcode for kernel " + comparableName(kernel) + ", PTX only");
    }
  }
}

Words architecturesFor(const Options& options, const CompilerCommand& command) {
  if (!options.architectures.empty()) return options.architectures;
  const std::string newest = newestArchitecture(command);
  return {newest.empty() ? "sm_90" : newest};
}

}  // namespace

Expected<int> compileForCuda(const Options& options, const CompilerCommand& command, const std::string& source) {
  if (!makesObject(command)) return run(command.words);
  TemporaryFiles files(command.value("-o"));
  const Words architectures = architecturesFor(options, command);
  Words bitcodeFiles;
  for (const std::string& architecture : architectures) bitcodeFiles.push_back(files.make("." + architecture + ".bc"));
  auto beside = std::async(std::launch::async, [&] {
    std::vector<NoteContent> contents;
    for (size_t i = 0; i < architectures.size(); ++i)
      for (NoteContent& content : bitcodeFor(options, command, source, architectures[i], bitcodeFiles[i]))
        contents.push_back(std::move(content));
    return contents;
  });
  const auto exitCode = run(command.words);
  std::vector<NoteContent> contents = beside.get();
  if (!exitCode || *exitCode != 0) return exitCode;
  const std::vector<NoteContent> ptx = ptxOf(options, command, source, architectures.front(), files);
  compareKernels(source, contents, ptx);
  contents.insert(contents.end(), ptx.begin(), ptx.end());
  if (contents.empty()) return 0;
  if (auto added = addNotes(command.value("-o"), contents, options, files); !added) return std::move(added).error();
  return 0;
}

}  // namespace mneme::notes
