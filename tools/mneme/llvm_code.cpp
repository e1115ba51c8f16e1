// SPDX-License-Identifier: Apache-2.0
#include "llvm_code.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "code/code_module.h"
#include "code/process.h"
#include "code/ptx_version.h"
#include "code/temporary_folder.h"
#include "own_files.h"

namespace mneme::cli {
namespace {

/// Flags hold no spaces, so the shell's quoting does not matter here.
std::vector<std::string> words(const std::string& command) {
  std::istringstream stream(command);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<code::Pin> pinsOf(const format::Manifest& manifest) {
  std::vector<code::Pin> pins;
  for (const format::Region& region : manifest.regions)
    if (region.range.kind == MemoryKind::Global) pins.push_back({region.range.name, region.range.address});
  return pins;
}

}  // namespace

Expected<code::GeneratedCode> generateNoted(const code::NoteArchive& archive, const code::Note& note,
                                            const std::string& kernel, const std::string& architecture) {
  std::vector<const code::Note*> notes = {&note};
  for (const code::Note& other : archive.notes())
    if (other.kind == CodeKind::Llvm && other.architecture == note.architecture && &other != &note) notes.push_back(&other);
  std::vector<std::vector<std::byte>> bytes;
  std::vector<code::BitcodeModule> modules;
  for (const code::Note* one : notes) {
    auto code = archive.code(*one);
    if (!code) return std::move(code).error();
    bytes.push_back(std::move(*code));
  }
  for (size_t i = 0; i < notes.size(); ++i) modules.push_back({bytes[i], notes[i]->source});
  code::GenerateInput input;
  input.modules = modules;
  input.kernel = kernel;
  input.target.architecture = architecture;
  input.numerics = code::numericFlags(note.command);
  input.assemble = true;
  auto made = code::generateInModule(input);
  if (made || made.error().code() != ErrorCode::NotFound || bytes.size() == 1) return made;
  // What the kernel needs may have two names, which only joining relocatable code finds out.
  replay::SelectedCode joined;
  joined.code.bytes = bytes.front();
  joined.others.assign(bytes.begin() + 1, bytes.end());
  if (!completeCode(joined)) return made;
  modules = {{joined.code.bytes, note.source}};
  input.modules = modules;
  return code::generateInModule(input);
}

Expected<code::GeneratedCode> generateRecorded(const format::CodeReference& reference, const std::vector<std::byte>& bytes,
                                               const std::string& kernel, const std::string& architecture) {
  const std::vector<code::BitcodeModule> modules = {{bytes, reference.source.empty() ? reference.file : reference.source}};
  code::GenerateInput input;
  input.modules = modules;
  input.kernel = kernel;
  input.target.architecture = architecture.empty() ? reference.architecture : architecture;
  input.numerics = code::numericFlags(words(reference.command));
  input.assemble = true;
  return code::generateInModule(input);
}

Expected<void> generateForDevice(const format::Manifest& manifest, const device::DeviceInfo& device,
                                 replay::SelectedCode& selected) {
  return generateSpecialised(manifest, device, {}, selected);
}

Expected<void> generateSpecialised(const format::Manifest& manifest, const device::DeviceInfo& device,
                                   const code::Specialisation& specialisation, replay::SelectedCode& selected) {
  std::vector<code::BitcodeModule> modules = {{selected.code.bytes, selected.source.empty() ? selected.origin : selected.source}};
  for (const auto& other : selected.others) modules.push_back({other, selected.origin});
  code::GenerateInput input;
  input.modules = modules;
  input.kernel = selected.kernel;
  input.target.architecture = device.architecture;
  input.target.ptxVersion = code::ptxVersionOfCuda(device.driver);
  input.numerics = code::numericFlags(words(selected.command));
  input.pins = pinsOf(manifest);
  input.specialisation = specialisation;
  auto made = code::generateInModule(input);
  if (!made) return std::move(made).error();
  if (!made->log.empty()) log(LogLevel::Info, made->log);
  selected.kernel = made->kernel;
  if (made->ptx.empty()) {
    selected.code = {CodeKind::Image, std::move(made->image), {}};
    return {};
  }
  const auto text = std::as_bytes(std::span(made->ptx));
  selected.code = {CodeKind::Ptx, {text.begin(), text.end()}, {}};
  return {};
}

Expected<void> completeCode(replay::SelectedCode& selected) {
  auto folder = code::TemporaryFolder::make();
  if (!folder) return std::move(folder).error();
  const auto file = [&](size_t number) { return (folder->path() / (std::to_string(number) + ".bc")).string(); };
  std::vector<std::string> command{helperFile("mneme-bitcode").string(), "complete", file(0), file(1)};
  if (auto written = writeAtomically(file(1), selected.code.bytes); !written) return written;
  for (size_t i = 0; i < selected.others.size(); ++i) {
    command.push_back(file(i + 2));
    if (auto written = writeAtomically(command.back(), selected.others[i]); !written) return written;
  }
  const auto answer = code::runTool(command);
  if (!answer) return answer.error();
  if (answer->exitCode != 0) return Error(ErrorCode::Unsupported, answer->output);
  auto joined = readBytes(file(0), uint64_t{1} << 30);
  if (!joined) return std::move(joined).error();
  selected.code.bytes = std::move(*joined);
  selected.others.clear();
  return {};
}

}  // namespace mneme::cli
