// SPDX-License-Identifier: Apache-2.0
/// `mneme ls`: what is in a recording set, one line each.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "command.h"
#include "format/recording_set.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct ListOptions {
  std::string set = "recordings";
  bool json = false;
};

using Row = std::vector<std::string>;

std::string nameOf(const std::filesystem::path& path) { return printable(path.filename().string()); }

Row rowOf(const std::filesystem::path& path, const format::Manifest& m) {
  return {nameOf(path), shapeText(m.shape), std::to_string(m.regions.size()), sizeText(regionBytes(m)), codeText(m), checkText(m),
          m.demangled};
}

nlohmann::json jsonOf(const std::filesystem::path& path, const format::Manifest& m) {
  auto dimensions = [](const Dim3& d) { return nlohmann::json::array({d.x, d.y, d.z}); };
  nlohmann::json code = nlohmann::json::array();
  for (const auto& reference : m.code) code.push_back(std::string(name(reference.kind)));
  return {{"name", nameOf(path)},       {"path", path.string()},          {"kernel", m.kernel},
          {"demangled", m.demangled},   {"grid", dimensions(m.shape.grid)}, {"block", dimensions(m.shape.block)},
          {"regions", m.regions.size()}, {"bytes", regionBytes(m)},        {"code", code},
          {"self_check", checkText(m)}, {"redacted", format::name(m.redaction)}, {"ordinal", m.ordinal},           {"rank", m.rank}};
}

void printTable(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i) line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    std::puts((line + row.back()).c_str());
  }
}

int list(const ListOptions& options) {
  auto manifests = format::listManifests(options.set);
  if (!manifests) return report(manifests.error());
  std::vector<Row> rows{{"NAME", "GRID / BLOCK", "REGIONS", "BYTES", "CODE", "SELF-CHECK", "KERNEL"}};
  auto document = nlohmann::json::array();
  int code = kPass;
  for (const auto& path : *manifests) {
    auto recording = format::Recording::open(path);
    if (!recording) {
      code = report(recording.error());
      continue;
    }
    rows.push_back(rowOf(path, (*recording)->manifest()));
    document.push_back(jsonOf(path, (*recording)->manifest()));
  }
  if (options.json) std::puts(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else if (manifests->empty()) std::printf("no recordings in %s; `mneme record -o %s -- CMD` makes some\n", options.set.c_str(), options.set.c_str());
  else printTable(rows);
  return code;
}

}  // namespace

std::function<int()> setupLs(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  addSetOption(app, options->set);
  app.add_flag("--json", options->json, "print JSON");
  app.footer("A recording that cannot be read is named on stderr; the exit code is then 3.\nExample:\n  mneme ls recordings");
  return [options] { return list(*options); };
}

}  // namespace mneme::cli
