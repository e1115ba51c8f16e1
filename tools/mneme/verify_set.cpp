// SPDX-License-Identifier: Apache-2.0
/// `mneme verify-set`: is every byte of a recording set what its hash says?
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "format/collect.h"
#include "format/recording_set.h"
#include "format/tolerance.h"
#include "set_text.h"

namespace mneme::cli {
namespace {

constexpr unsigned kThreads = 2;

struct VerifyOptions {
  std::string set = "recordings";
  bool json = false;
};

int verify(const VerifyOptions& options) {
  auto manifests = format::listManifests(options.set);
  if (!manifests) return report(manifests.error());
  auto document = nlohmann::json::array();
  size_t broken = 0;
  for (const auto& path : *manifests) {
    auto whole = format::verifyRecording(path, kThreads);
    nlohmann::json line{{"name", path.filename().string()}, {"whole", whole.has_value()}};
    if (!whole) {
      ++broken;
      line["reason"] = whole.error().message();
      report(whole.error());
    }
    document.push_back(std::move(line));
  }
  auto tolerances = format::ToleranceFile::load(options.set);
  if (!tolerances) {
    document.push_back({{"name", "tolerance.json"}, {"whole", false}, {"reason", tolerances.error().message()}});
    report(tolerances.error());
  }
  if (options.json) std::puts(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else std::printf("%zu recordings, %zu whole, %zu broken\n", manifests->size(), manifests->size() - broken, broken);
  return broken == 0 && tolerances ? kPass : kUnreadable;
}

}  // namespace

std::function<int()> setupVerifySet(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  addSetOption(app, options->set);
  app.add_flag("--json", options->json, "print JSON");
  app.footer("Checks every hash: manifests, tables, chunks, code; and that set.json and tolerance.json can be read. Each broken recording is named on stderr; the exit code is then 3.\n"
             "Example:\n  mneme verify-set recordings");
  return [options] { return verify(*options); };
}

}  // namespace mneme::cli
