// SPDX-License-Identifier: Apache-2.0
/// Nothing here touches device memory; all of it runs in the program's thread and is small.
#include "record/manifest_builder.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

#include "mneme/version.h"

namespace mneme::record {
namespace {

std::string timeNow() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

/// "arg2" for memory that the third parameter points into, else its address.
std::string defaultName(const format::Manifest& manifest, const MemoryRange& range) {
  for (size_t i = 0; i < manifest.parameters.size(); ++i) {
    const ParameterSlot& slot = manifest.parameters[i];
    if (slot.size != sizeof(uint64_t) || uint64_t{slot.offset} + slot.size > manifest.arguments.size()) continue;
    uint64_t word;
    std::memcpy(&word, manifest.arguments.data() + slot.offset, sizeof word);
    if (word - range.address < range.size) return "arg" + std::to_string(i);
  }
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(range.address));
  return text.data();
}

void annotate(format::Manifest& manifest, format::Region& region, const BufferAnnotations& annotations) {
  auto annotation = annotations.find(region.range);
  if (!annotation) return;
  if (region.range.name.empty())
    region.range.name = annotation->buffer.empty() ? defaultName(manifest, region.range) : annotation->buffer;
  annotation->buffer = region.range.name;
  region.element = annotation->element;
  manifest.annotations.push_back(std::move(*annotation));
}

}  // namespace

std::string shellQuoted(const std::string& argument) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) return argument;
  std::string quoted = "'";
  for (char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

const std::string& programCommand() {
  static const auto& command = *new std::string([] {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string joined;
    for (std::string argument; std::getline(file, argument, '\0');)
      joined += (joined.empty() ? "" : " ") + shellQuoted(argument);
    return joined;
  }());
  return command;
}

format::Manifest describeLaunch(const LaunchInfo& info, const Choice& choice, uint32_t rank,
                                const MemoryAccess::Description& device) {
  format::Manifest manifest;
  manifest.kernel = choice.kernel->name;
  manifest.demangled = choice.kernel->demangled;
  manifest.tag = currentTag();
  manifest.ordinal = choice.ordinal;
  manifest.rank = rank;
  manifest.shape = info.shape;
  manifest.parameters.assign(info.parameters.begin(), info.parameters.end());
  const auto* bytes = reinterpret_cast<const uint8_t*>(info.arguments.data());
  manifest.arguments.assign(bytes, bytes + info.arguments.size());
  manifest.maxDynamicSharedBytes = info.maxDynamicSharedBytes;
  manifest.sharedCarveout = info.sharedCarveout;
  manifest.stackLimit = info.stackLimit;
  manifest.printfLimit = info.printfLimit;
  manifest.mallocHeapLimit = info.mallocHeapLimit;
  manifest.backend = device.backend;
  manifest.model = device.model;
  manifest.architecture = device.architecture;
  manifest.driver = device.driver;
  manifest.toolchain = device.toolchain;
  manifest.program = programCommand();
  manifest.recordedAt = timeNow();
  manifest.mnemeVersion = MNEME_VERSION;
  return manifest;
}

void describeMemory(format::Manifest& manifest, const Snapshot::Contents& contents,
                    const BufferAnnotations& annotations) {
  for (size_t i = 0; i < contents.ranges.size(); ++i) {
    format::Region region;
    region.range = contents.ranges[i];
    region.changedBytes = contents.after[i].size;
    region.changed = region.changedBytes > 0;
    annotate(manifest, region, annotations);
    manifest.regions.push_back(std::move(region));
  }
}

}  // namespace mneme::record
