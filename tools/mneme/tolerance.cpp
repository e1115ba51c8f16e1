// SPDX-License-Identifier: Apache-2.0
/// `mneme tolerance`: how far a kernel's answer may be off, kept in the set's tolerance.json.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "buffer_names.h"
#include "command.h"
#include "format/recording_set.h"
#include "format/tolerance.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

struct ToleranceOptions {
  std::string recording;
  std::vector<std::string> specifications;
  bool json = false;
};

fs::path setOf(const fs::path& recording) { return recording.has_parent_path() ? recording.parent_path() : fs::path("."); }

Expected<std::vector<format::Tolerance>> tolerancesOf(const ToleranceOptions& options, const format::Manifest& manifest) {
  std::vector<format::Tolerance> tolerances;
  for (const auto& specification : options.specifications) {
    auto tolerance = format::parseTolerance(specification);
    if (!tolerance) return std::move(tolerance).error();
    tolerances.push_back(std::move(*tolerance));
  }
  return resolveKernelBuffers(std::move(tolerances), manifest, options.recording);
}

int set(const ToleranceOptions& options) {
  auto recording = format::Recording::open(options.recording);
  if (!recording) return report(recording.error());
  const auto& manifest = (*recording)->manifest();
  auto tolerances = tolerancesOf(options, manifest);
  if (!tolerances) return report(tolerances.error());
  auto saved = format::updateTolerances(setOf(options.recording), [&](format::ToleranceFile& file) -> Expected<void> {
    for (const auto& tolerance : *tolerances) file.set(manifest.kernel, tolerance);
    return {};
  });
  if (!saved) return report(saved.error());
  std::printf("%s: set for every recording of %s\n", (setOf(options.recording) / "tolerance.json").c_str(), manifest.demangled.c_str());
  return kPass;
}

nlohmann::json jsonOf(const format::Tolerance& tolerance) {
  nlohmann::json line = nlohmann::json::object();
  if (tolerance.buffer) line["buffer"] = *tolerance.buffer;
  if (tolerance.atol) line["atol"] = *tolerance.atol;
  if (tolerance.rtol) line["rtol"] = *tolerance.rtol;
  if (tolerance.ulp) line["ulp"] = *tolerance.ulp;
  return line;
}

int show(const ToleranceOptions& options) {
  auto recording = format::Recording::open(options.recording);
  if (!recording) return report(recording.error());
  auto file = format::ToleranceFile::load(setOf(options.recording));
  if (!file) return report(file.error());
  auto document = nlohmann::json::array();
  for (const auto& entry : file->entries()) {
    if (entry.kernel != (*recording)->manifest().kernel) continue;
    document.push_back(jsonOf(entry.tolerance));
    if (!options.json) std::puts(printable(toText(entry.tolerance)).c_str());
  }
  if (options.json) std::puts(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else if (document.empty()) std::puts("no tolerance is set for this kernel; the defaults apply");
  return kPass;
}

}  // namespace

std::function<int()> setupTolerance(CLI::App& app) {
  auto options = std::make_shared<ToleranceOptions>();
  app.require_subcommand(1);
  app.footer("Example:\n  mneme tolerance set recordings/stencil.1a2b3c4d.json out:atol=1e-6,rtol=1e-5");
  auto* setter = app.add_subcommand("set", "set tolerances for a recording's kernel, for all its buffers or one");
  setter->add_option("REC", options->recording, "a recording's manifest")->required();
  setter->add_option("SPEC", options->specifications, "[buffer:]atol=X,rtol=Y,ulp=N; at least one of the three")->required();
  auto* shower = app.add_subcommand("show", "print the tolerances that are set for a recording's kernel");
  shower->add_option("REC", options->recording, "a recording's manifest")->required();
  shower->add_flag("--json", options->json, "print JSON");
  return [options, setter] { return setter->parsed() ? set(*options) : show(*options); };
}

}  // namespace mneme::cli
