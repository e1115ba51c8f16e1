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
  if (options.output == "-")
    return report(Error(ErrorCode::InvalidArgument, "-o -: an export is made in a file, not on stdout; name one (./- for a file of that name)"));
  auto output = options.output.empty() ? defaultOutput(options.recordings.front()) : options.output;
  auto exported = format::exportRecordings(*manifests, output, {options.redact});
  if (!exported) return report(exported.error());
  auto tolerances = exported->tolerances == 0 ? std::string() : " and " + counted(exported->tolerances, "tolerance");
  std::printf("exported %s%s to %s (%s)\n", counted(exported->recordings, "recording").c_str(), tolerances.c_str(), output.c_str(),
              sizeText(exported->bytes).c_str());
  if (!options.redact) return kPass;
  std::printf("redacted %s: replay runs them and cannot judge their answer\n",
              counted(exported->redactedRegions, "floating-point region").c_str());
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
  app.footer("The kernels' entries of tolerance.json go with them. Two recordings of one name, from two sets, do not fit into one file.\n"
             "A redacted recording is marked: its replay is undecided (5) until `mneme baseline update` gives it an answer.\nExample:\n  mneme export --redact -o stencil.mneme recordings/stencil.1a2b3c4d.json");
  return [options] { return exportAll(*options); };
}

}  // namespace mneme::cli
