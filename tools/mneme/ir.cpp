// SPDX-License-Identifier: Apache-2.0
/// `mneme ir`: the device code that a build left in its binaries, listed and taken out.
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "code/notes.h"
#include "command.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using code::Note;
using code::NoteArchive;

struct IrOptions {
  std::string binary, kernel, output = ".";
  bool json = false;
};

/// One kernel of one architecture, and the kinds of code there are for it.
struct Row {
  std::set<std::string> kinds, sources, binaries;
};
using Rows = std::map<std::pair<std::string, std::string>, Row>;  // by kernel and architecture

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

/// PTX is noted for "compute_90", the bitcode of the same compile for "sm_90": one kernel in two kinds of code.
std::string deviceOf(const std::string& architecture) {
  constexpr std::string_view kPtx = "compute_";
  return architecture.starts_with(kPtx) ? "sm_" + architecture.substr(kPtx.size()) : architecture;
}

Rows rowsOf(const NoteArchive& archive) {
  Rows rows;
  for (const Note& note : archive.notes())
    for (const std::string& kernel : note.kernels) {
      Row& row = rows[{kernel, deviceOf(note.architecture)}];
      row.kinds.emplace(name(note.kind));
      row.sources.insert(note.source);
      row.binaries.insert(note.binary.string());
    }
  return rows;
}

void printJson(const Rows& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [key, row] : rows)
    list.push_back({{"kernel", key.first},
                    {"demangled", demangled(key.first)},
                    {"arch", key.second},
                    {"code", row.kinds},
                    {"sources", row.sources},
                    {"binaries", row.binaries}});
  std::puts(list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

void printTable(const Rows& rows) {
  std::printf("%-10s %-9s %s\n", "arch", "code", "kernel");
  for (const auto& [key, row] : rows)
    std::printf("%-10s %-9s %s\n", key.second.c_str(), joined(row.kinds).c_str(), demangled(key.first).c_str());
}

int list(const IrOptions& options) {
  const auto archive = NoteArchive::openWithLibraries(options.binary);
  if (!archive) return report(archive.error());
  const Rows rows = rowsOf(*archive);
  if (archive->notes().empty())
    std::fprintf(stderr, "mneme: %s holds no notes; build it with mneme_add_recordable_kernel() and MNEME_RECORDABLE=ON\n",
                 options.binary.c_str());
  options.json ? printJson(rows) : printTable(rows);
  return kPass;
}

bool holds(const Note& note, const std::string& kernel) {
  return kernel.empty() || std::any_of(note.kernels.begin(), note.kernels.end(), [&](const std::string& mangled) {
           const std::string plain = demangled(mangled);
           return mangled == kernel || plain == kernel || plain.substr(0, plain.find('(')) == kernel;
         });
}

/// "stencil.sm_90.1a2b3c4d.bc": the hash tells modules of one source (two targets, other macros) apart.
std::string fileName(const Note& note) {
  const char* extension = note.kind == CodeKind::Llvm ? ".bc" : note.kind == CodeKind::Ptx ? ".ptx" : ".cubin";
  const std::string stem = fs::path(note.source).stem().filename().string();
  std::string architecture = note.architecture;
  std::replace(architecture.begin(), architecture.end(), '/', '_');  // a note's text is anybody's
  return (stem.empty() ? "module" : stem) + "." + architecture + "." + toHex(note.hash).substr(0, 8) + extension;
}

Expected<void> write(const NoteArchive& archive, const Note& note, const fs::path& path) {
  const auto bytes = archive.code(note);
  if (!bytes) return bytes.error();
  return writeAtomically(path, *bytes);
}

int extract(const IrOptions& options) {
  const auto archive = NoteArchive::openWithLibraries(options.binary);
  if (!archive) return report(archive.error());
  std::error_code failed;
  fs::create_directories(options.output, failed);
  std::set<fs::path> written;
  for (const Note& note : archive->notes()) {
    const fs::path path = fs::path(options.output) / fileName(note);
    if (!holds(note, options.kernel) || !written.insert(path).second) continue;
    if (auto done = write(*archive, note, path); !done) return report(done.error());
    std::puts(path.c_str());
  }
  if (!written.empty()) return kPass;
  std::fprintf(stderr, "mneme: no code %s%s in %s; `mneme ir ls %s` lists what is there\n",
               options.kernel.empty() ? "" : "for kernel ", options.kernel.c_str(), options.binary.c_str(),
               options.binary.c_str());
  return kFailed;
}

}  // namespace

std::function<int()> setupIr(CLI::App& app) {
  auto options = std::make_shared<IrOptions>();
  app.require_subcommand(1);
  app.footer("Examples:\n  mneme ir ls build/heat\n  mneme ir extract build/heat --kernel stencil -o ir");
  auto* ls = app.add_subcommand("ls", "list the kernels whose code is in a binary and the libraries it needs");
  ls->add_option("BINARY", options->binary, "executable, library or object file")->required();
  ls->add_flag("--json", options->json, "print JSON");
  auto* take = app.add_subcommand("extract", "write the code to files and print their names");
  take->add_option("BINARY", options->binary, "executable, library or object file")->required();
  take->add_option("--kernel", options->kernel, "only code that holds this kernel (plain, full or mangled name)");
  take->add_option("-o", options->output, "directory to write to")->capture_default_str();
  return [options, ls] { return ls->parsed() ? list(*options) : extract(*options); };
}

}  // namespace mneme::cli
