// SPDX-License-Identifier: Apache-2.0
/// clang's device side runs beside the real compiler. If it cannot parse the source, PTX alone is kept and said so:
/// a source that the real compiler takes never fails to build because of us.
#include "cuda_mode.h"

#include <filesystem>
#include <future>
#include <utility>

#include "base/log.h"
#include "device_plan.h"
#include "note_step.h"
#include "prelude.h"
#include "shipped_code.h"

namespace mneme::notes {
namespace {

/// Empty if the command makes something else.
std::string objectOf(const CompilerCommand& command, const std::string& source) {
  for (const char* option : {"-c", "--compile", "-dc", "--device-c", "-dw", "--device-w"}) {
    if (!command.find(option)) continue;
    for (const char* output : {"-o", "--output-file"})
      if (const std::string named = command.value(output); !named.empty()) return named;
    return std::filesystem::path(source).stem().string() + ".o";
  }
  return "";
}

/// The toolkit that CMake knows, else the one that the compiler names.
std::string toolkitOf(const Options& options, const DevicePlan& plan) {
  return options.cudaRoot.empty() ? plan.toolkit : options.cudaRoot;
}

std::string declarationsOf(const Options& options) { return options.include + "/declarations.h"; }

/// What stands in for nvcc's own declarations; `asNvcc` also makes headers take clang for nvcc.
Words standIns(const Options& options, bool asNvcc) {
  if (options.include.empty() || options.compilerIsClang) return {};
  Words words{"-include", declarationsOf(options), "-idirafter", options.include + "/fallback"};
  if (asNvcc) append(words, {"-include", options.include + "/as_nvcc.h"});
  return words;
}

/// The flags that make clang name and lay out kernels as nvcc does, as far as flags can.
Words deviceCommand(const Options& options, const DevicePlan& plan, const std::string& source,
                    const std::string& architecture, bool asNvcc) {
  Words words{options.clang, "-x", "cuda", "--cuda-gpu-arch=" + architecture, "--cuda-device-only", "-emit-llvm", "-O2",
              "-Xclang", "-disable-llvm-passes", "-w", "-Wno-unknown-cuda-version", "-Wno-register"};
  if (!options.compilerIsClang) words.push_back("-fclang-abi-compat=17");
  if (const std::string toolkit = toolkitOf(options, plan); !toolkit.empty()) {
    words.push_back("--cuda-path=" + toolkit);
    if (options.compilerIsClang) append(words, {"-isystem", toolkit + "/include/cccl"});
  }
  append(words, standIns(options, asNvcc));
  append(words, plan.flags);
  append(words, {"-c", source});
  return words;
}

/// One device side to be compiled to bitcode.
struct BitcodeJob {
  const Options& options;
  const CompilerCommand& command;
  const std::string& source;
  const DevicePlan& plan;
  std::string architecture;
  std::string output;
};

/// `prelude`: precompiled headers, or empty.
Expected<void> runClang(const BitcodeJob& job, const Words& device, const std::string& prelude) {
  Words running = device;
  if (!prelude.empty()) append(running, {"-Xclang", "-include-pch", "-Xclang", prelude});
  append(running, {"-o", job.output});
  const auto ran = runCaptured(running);
  if (!ran) return ran.error();
  if (ran->exitCode == 0) return {};
  return Error(ErrorCode::Unavailable, "clang cannot compile its device side: " + firstError(ran->output));
}

/// With the headers precompiled where that works: it makes the same bitcode. What clang then refuses is tried without.
Expected<void> runClangFast(const BitcodeJob& job, const Words& device) {
  const bool standsIn = !job.options.include.empty() && !job.options.compilerIsClang;
  const std::string prelude = standsIn ? preludeFor(device, declarationsOf(job.options)) : "";
  if (!prelude.empty() && runClang(job, device, prelude)) return {};
  return runClang(job, device, "");
}

/// Replay is too late to learn that code cannot be assembled. Nothing is said where there is no assembler to ask.
Expected<void> checkAssembler(const BitcodeJob& job) {
  constexpr int kCannotTell = 3;
  Words command{helper("mneme-bitcode"), "accept", job.output, job.architecture};
  if (const std::string toolkit = toolkitOf(job.options, job.plan); !toolkit.empty())
    command.insert(command.begin(), {"env", "CUDA_HOME=" + toolkit});
  const auto ran = runCaptured(command);
  if (!ran) return ran.error();
  if (ran->exitCode == 0 || ran->exitCode == kCannotTell) return {};
  return Error(ErrorCode::Unavailable, "its bitcode cannot become machine code: " + firstError(ran->output));
}

Expected<NoteContent> compileBitcode(const BitcodeJob& job, bool asNvcc) {
  const Words device = deviceCommand(job.options, job.plan, job.source, job.architecture, asNvcc);
  if (auto ran = asNvcc ? runClang(job, device, "") : runClangFast(job, device); !ran) return std::move(ran).error();
  if (auto accepted = checkAssembler(job); !accepted) return std::move(accepted).error();
  auto content = bitcodeNote(job.command, job.source, job.output);
  if (!content) return content;
  content->note.architecture = job.architecture;
  content->note.deviceCommand = device;
  return content;
}

/// Some sources tell nvcc from other compilers by its macros: with them as a second try. They are not there at once
/// because a library may then choose what only nvcc understands.
Expected<NoteContent> bitcodeOf(const BitcodeJob& job) {
  auto plain = compileBitcode(job, false);
  if (plain || job.options.compilerIsClang) return plain;
  auto again = compileBitcode(job, true);
  return again ? again : plain;
}

Words architecturesFor(const Options& options, const DevicePlan& plan) {
  if (!options.architectures.empty()) return options.architectures;
  return {plan.architecture.empty() ? "sm_90" : plan.architecture};
}

Expected<DevicePlan> planOf(const Options& options, const CompilerCommand& command) {
  if (options.compilerIsClang) return planOfClang(command);
  return planOfNvcc(command);
}

/// The bitcode of every wanted architecture, as far as clang can make it.
std::vector<Expected<NoteContent>> compileDeviceSides(const Options& options, const CompilerCommand& command,
                                                      const std::string& source, TemporaryFiles& files) {
  const auto plan = planOf(options, command);
  if (!plan) return {plan.error()};
  std::vector<Expected<NoteContent>> made;
  for (const std::string& architecture : architecturesFor(options, *plan))
    made.push_back(bitcodeOf({options, command, source, *plan, architecture, files.make("." + architecture + ".bc")}));
  return made;
}

/// What was made; what was not is said.
std::vector<NoteContent> keepMade(const std::string& source, std::vector<Expected<NoteContent>> made) {
  std::vector<NoteContent> kept;
  for (auto& content : made) {
    if (content) kept.push_back(std::move(*content));
    else log(LogLevel::Warn, source + ": kept as PTX only, " + content.error().message());
  }
  return kept;
}

/// Kernels that the object has and the bitcode lacks are named in the note and in the build's output.
void nameMissing(const std::string& source, const Words& shipped, std::vector<NoteContent>& bitcode) {
  for (NoteContent& content : bitcode) {
    content.note.missing = kernelsWithout(shipped, content.note.kernels);
    for (const std::string& kernel : content.note.missing)
      log(LogLevel::Warn, source + ": no bitcode for kernel " + readableName(kernel) + ", PTX only");
  }
}

Expected<void> noteObject(const Options& options, const CompilerCommand& command, const std::string& source,
                          const std::string& object, std::vector<Expected<NoteContent>> made) {
  TemporaryFiles files(object);
  const ShippedCode shipped = readShipped(object);
  if (shipped.kernels.empty() && !shipped.relocatable) return {};
  std::vector<NoteContent> contents = keepMade(source, std::move(made));
  nameMissing(source, shipped.kernels, contents);
  if (auto ptx = ptxNote(options, command, source, shipped, files)) contents.push_back(std::move(*ptx));
  else log(LogLevel::Warn, source + ": no PTX could be kept: " + ptx.error().message());
  if (contents.empty()) return {};
  return addNotes(object, contents, options, files);
}

}  // namespace

Expected<int> compileForCuda(const Options& options, const CompilerCommand& command, const std::string& source) {
  const std::string object = objectOf(command, source);
  if (object.empty()) return run(command.words);
  TemporaryFiles files(object);
  auto beside = std::async(std::launch::async, [&] { return compileDeviceSides(options, command, source, files); });
  const auto exitCode = run(command.words);
  auto made = beside.get();
  if (!exitCode || *exitCode != 0) return exitCode;
  if (auto noted = noteObject(options, command, source, object, std::move(made)); !noted) return std::move(noted).error();
  return 0;
}

}  // namespace mneme::notes
