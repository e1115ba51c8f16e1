// SPDX-License-Identifier: Apache-2.0
/// See device_choice.h.
#include "device_choice.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <system_error>

namespace mneme::cli {
namespace {

constexpr const char* kForm = "auto, host, cuda, cuda:N, hip or hip:N";

/// The GPU that CTest's resource allocation gave this test ("id:1,slots:1"), else the first.
uint32_t allocatedGpu() {
  const char* given = std::getenv("CTEST_RESOURCE_GROUP_0_GPUS");
  const std::string text = given ? given : "";
  uint32_t ordinal = 0;
  if (text.starts_with("id:")) std::from_chars(text.data() + 3, text.data() + text.size(), ordinal);
  return ordinal;
}

Expected<DeviceChoice> parse(const std::string& specification) {
  auto colon = specification.find(':');
  DeviceChoice choice{specification.substr(0, colon), 0, false};
  bool known = choice.backend == "host" || choice.backend == "cuda" || choice.backend == "hip";
  if (choice.backend != "host") choice.ordinal = allocatedGpu();
  if (known && colon != std::string::npos) {
    const char* end = specification.data() + specification.size();
    auto [stop, error] = std::from_chars(specification.data() + colon + 1, end, choice.ordinal);
    known = error == std::errc{} && stop == end;
  }
  if (known) return choice;
  const char* variable = std::getenv("MNEME_DEVICE");
  const std::string origin = variable && specification == variable ? "MNEME_DEVICE" : "--device";
  return Error(ErrorCode::InvalidArgument, origin + " '" + specification + "': use " + kForm);
}

/// Why the device cannot be used, or nothing.
std::optional<Error> whyAbsent(const DeviceChoice& choice) {
  auto* backend = device::findBackend(choice.backend);
  if (!backend) return Error(ErrorCode::Unavailable, "this build of Mneme has no '" + choice.backend + "' back-end");
  auto count = backend->count();
  if (!count) return std::move(count).error();
  if (choice.ordinal < *count) return std::nullopt;
  return Error(ErrorCode::Unavailable, "there is no device " + choice.text() + " here, " + choice.backend + " has " +
                                           std::to_string(*count));
}

}  // namespace

Expected<DeviceChoice> chooseDevice(const std::string& specification, const std::string& recorded) {
  if (specification != "auto") {
    auto choice = parse(specification);
    if (!choice) return choice;
    if (auto absent = whyAbsent(*choice)) return std::move(*absent);
    return choice;
  }
  DeviceChoice own{recorded, recorded == "host" ? 0 : allocatedGpu(), false}, host{"host", 0, recorded != "host"};
  auto absent = whyAbsent(own);
  if (!absent) return own;
  if (!whyAbsent(host)) return host;
  return std::move(*absent);
}

Expected<void> checkDevice(const std::string& specification) {
  auto choice = specification == "auto" ? Expected<DeviceChoice>(DeviceChoice{}) : parse(specification);
  return choice ? Expected<void>() : Expected<void>(std::move(choice).error());
}

std::string defaultDevice() {
  const char* wanted = std::getenv("MNEME_DEVICE");
  return wanted && *wanted ? wanted : "auto";
}

bool isRequired(const std::string& backend) {
  const char* text = std::getenv("MNEME_REQUIRE_BACKENDS");
  std::string list = text ? text : "";
  std::replace_if(list.begin(), list.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(list);
  for (std::string word; words >> word;)
    if (word == backend) return true;
  return false;
}

std::string wantedBackend(const std::string& specification, const std::string& recorded) {
  return specification == "auto" ? recorded : specification.substr(0, specification.find(':'));
}

Expected<std::unique_ptr<device::Device>> openDevice(const DeviceChoice& choice) {
  auto* backend = device::findBackend(choice.backend);
  if (!backend) return Error(ErrorCode::Unavailable, "this build of Mneme has no '" + choice.backend + "' back-end");
  return backend->open(choice.ordinal);
}

}  // namespace mneme::cli
