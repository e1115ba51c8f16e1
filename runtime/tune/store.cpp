// SPDX-License-Identifier: Apache-2.0
/// JSON lines, appended; see store.h.
#include "tune/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/file.h"

namespace mneme::tune {
namespace {

using Json = nlohmann::json;
constexpr uint64_t kMaxBytes = 1u << 28;

std::optional<StoredTrial> trialOf(const Json& json) {
  for (const char* key : {"context", "device", "at"})
    if (!json.is_object() || !json.contains(key) || !json[key].is_string()) return std::nullopt;
  auto configuration = valuesFrom(json.value("configuration", Json()));
  auto candidate = candidateFrom(json.value("candidate", Json::object()));
  auto result = trialResultFrom(json.value("result", Json()));
  if (!configuration || !candidate || !result) return std::nullopt;
  return StoredTrial{json["context"], json["device"], json["at"], std::move(*configuration), std::move(*candidate), std::move(*result)};
}

}  // namespace

std::filesystem::path storePath(const std::filesystem::path& manifest) {
  return manifest.parent_path() / "tuning" / (manifest.stem().string() + ".jsonl");
}

Expected<std::vector<StoredTrial>> readStore(const std::filesystem::path& path) {
  std::vector<StoredTrial> trials;
  auto text = readText(path, kMaxBytes);
  if (!text && text.error().code() == ErrorCode::NotFound) return trials;
  if (!text) return text.error();
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > (1u << 20)) continue;
    if (auto trial = trialOf(Json::parse(line, nullptr, false))) trials.push_back(std::move(*trial));
  }
  return trials;
}

Expected<void> appendTrial(const std::filesystem::path& path, const StoredTrial& trial) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) return ioError("creating", path.parent_path(), failed.value());
  auto file = openFile(path, O_RDWR | O_CREAT | O_APPEND);
  if (!file) return file.error();
  char last = '\n';  // a crash may have cut off a line
  if (const off_t size = ::lseek(file->get(), 0, SEEK_END); size > 0)
    if (::pread(file->get(), &last, 1, size - 1) != 1) return ioError("reading", path, errno);
  const Json json{{"context", trial.context}, {"device", trial.device}, {"at", trial.at},
                  {"configuration", toJson(trial.configuration)}, {"candidate", toJson(trial.candidate)}, {"result", toJson(trial.result)}};
  const std::string line = (last == '\n' ? "" : "\n") + json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return writeAll(file->get(), std::as_bytes(std::span(line)), path);
}

}  // namespace mneme::tune
