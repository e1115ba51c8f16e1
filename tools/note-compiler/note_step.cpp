// SPDX-License-Identifier: Apache-2.0
/// objcopy adds the section; its flags make linkers keep it in a loaded note segment.
#include "note_step.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace mneme::notes {

namespace fs = std::filesystem;

namespace {

/// Compiler and kernels, from what `mneme-bitcode contents` prints.
Expected<void> describe(const std::string& bitcode, code::Note& note) {
  const auto answer = runCaptured({helper("mneme-bitcode"), "contents", bitcode});
  if (!answer) return answer.error();
  if (answer->exitCode != 0) return Error(ErrorCode::InvalidArgument, answer->output);
  constexpr std::string_view kCompiler = "compiler ", kKernel = "kernel ";
  std::istringstream lines(answer->output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kCompiler)) note.compiler = line.substr(kCompiler.size());
    else if (line.starts_with(kKernel)) note.kernels.push_back(line.substr(kKernel.size()));
  }
  return {};
}

}  // namespace

std::string helper(const std::string& name) {
  std::error_code failed;
  return (fs::read_symlink("/proc/self/exe", failed).parent_path() / name).string();
}

bool wantsNotes(const Options& options, const std::string& source) {
  return options.notes && std::none_of(options.without.begin(), options.without.end(), [&](const std::string& path) {
           return fs::absolute(path).lexically_normal() == fs::absolute(source).lexically_normal();
         });
}

code::Note commonNote(const CompilerCommand& command, const std::string& source) {
  code::Note note;
  note.source = source;
  note.directory = fs::current_path().string();
  note.command = command.words;
  return note;
}

Expected<NoteContent> bitcodeNote(const CompilerCommand& command, const std::string& source, const std::string& bitcode) {
  NoteContent content{commonNote(command, source), {}};
  content.note.kind = CodeKind::Llvm;
  if (auto described = describe(bitcode, content.note); !described) return std::move(described).error();
  auto code = readBytes(bitcode, uint64_t{1} << 30);
  if (!code) return std::move(code).error();
  content.code = std::move(*code);
  return content;
}

Expected<void> addNotes(const std::string& object, const std::vector<NoteContent>& notes, const Options& options,
                        TemporaryFiles& files) {
  std::vector<std::byte> section;
  for (const NoteContent& content : notes) {
    const auto bytes = code::encodeNote(content.note, content.code);
    if (!bytes) return bytes.error();
    section.insert(section.end(), bytes->begin(), bytes->end());
  }
  const std::string noteFile = files.make(".note"), newObject = files.make(".o"), name = code::kNoteSection;
  if (auto written = writeAtomically(noteFile, section); !written) return written;
  const Words command{options.objcopy, "--add-section", name + "=" + noteFile, "--set-section-flags",
                      name + "=alloc,readonly,data", "--set-section-alignment", name + "=4", object, newObject};
  const auto exitCode = run(command);
  if (!exitCode) return exitCode.error();
  if (*exitCode != 0) return Error(ErrorCode::Io, "objcopy could not add the note to " + object);
  std::error_code failed;
  fs::rename(newObject, object, failed);
  if (failed) return ioError("replacing", object, failed.value());
  return {};
}

}  // namespace mneme::notes
