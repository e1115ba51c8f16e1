// SPDX-License-Identifier: Apache-2.0
/// `mneme export`: recordings as one file.
#include <cstdio>
#include <memory>

#include "command.h"
#include "format/archive.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct ExportOptions {
  std::vector<std::string> recordings;
  std::string output;
  bool redact = false;
};

std::string defaultOutput(const std::filesystem::path& first) {
  auto name = (first.has_filename() ? first : first.parent_path()).filename();
  return (name.extension() == ".json" ? name.stem() : name).string() + ".mneme";
}

int exportAll(const ExportOptions& options) {
  auto manifests = manifestsOf(options.recordings);
  if (!manifests) return report(manifests.error());
  if (manifests->empty()) return report(Error(ErrorCode::NotFound, options.recordings.front() + ": holds no recording"));
  auto output = options.output.empty() ? defaultOutput(options.recordings.front()) : options.output;
  auto exported = format::exportRecordings(*manifests, output, {options.redact});
  if (!exported) return report(exported.error());
  std::printf("exported %llu recordings to %s (%s)\n", static_cast<unsigned long long>(exported->recordings), output.c_str(),
              sizeText(exported->bytes).c_str());
  if (!options.redact) return kPass;
  std::printf("redacted %llu floating-point regions\n", static_cast<unsigned long long>(exported->redactedRegions));
  if (exported->untypedRegions != 0)
    std::fprintf(stderr, "mneme: %llu regions are not known to hold floating-point numbers and were exported as they are\n",
                 static_cast<unsigned long long>(exported->untypedRegions));
  return kPass;
}

}  // namespace

std::function<int()> setupExport(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  app.add_option("REC|SET", options->recordings, "manifests, or a set for all of its recordings")->required();
  app.add_option("-o,--output", options->output, "file to write; by default the first name with .mneme");
  app.add_flag("--redact", options->redact, "floating-point regions become noise of the same shape; code, arguments and commands stay");
  app.footer("Example:\n  mneme export --redact -o stencil.mneme recordings/stencil.1a2b3c4d.json");
  return [options] { return exportAll(*options); };
}

}  // namespace mneme::cli
