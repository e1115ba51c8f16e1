// SPDX-License-Identifier: Apache-2.0
/// Which processor this is, for cache keys and the device's model name; LLVM finds its own name for it in mneme-hostcc.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "backend/host/engine.h"
#include "backend/host/engine/processor.h"
#include "base/hash.h"

namespace mneme::host {
namespace {

/// The first processor's fields of /proc/cpuinfo.
std::map<std::string, std::string> readFields() {
  std::map<std::string, std::string> fields;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    auto name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    auto start = line.find_first_not_of(" \t", colon + 1);
    fields.emplace(std::move(name), start == std::string::npos ? "" : line.substr(start));
  }
  return fields;
}

std::string cpuField(const std::string& name) {
  static const auto fields = readFields();
  auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

std::string architecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

std::string describe() {
  auto brand = cpuField("model name");
  if (brand.empty()) brand = cpuField("CPU implementer");
  return describeProcessor(architecture(), {brand, cpuField("cpu family"), cpuField("model"), cpuField("CPU part"),
                                            cpuField("flags") + cpuField("Features")});
}

/// x86 lists its instruction sets among all else that the kernel knows of the processor.
bool isInstructionSet(std::string_view flag) {
  static constexpr std::string_view kFamilies[] = {
      "3dnow", "abm",  "adx",  "aes",  "amx",    "apx",  "avx",    "bmi",   "cx16",  "f16c", "fma", "fsgsbase",
      "gfni",  "lahf", "lzcnt", "mmx", "movbe",  "pclmul", "pni",   "popcnt", "rdrand", "rdseed", "sha",
      "sm3",   "sm4",  "sse",  "ssse", "tbm",    "vaes", "vpclmul", "xop",   "clflushopt", "clwb", "movdir", "prefetch"};
  return std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](auto family) { return flag.starts_with(family); });
}

}  // namespace

std::string describeProcessor(const std::string& architecture, const ProcessorFacts& facts) {
  std::set<std::string> sets;
  std::istringstream flags(facts.flags);
  for (std::string flag; flags >> flag;)
    if (architecture != "x86-64" || isInstructionSet(flag)) sets.insert(flag);
  std::string all;
  for (const auto& set : sets) all += set + " ";
  std::string text = "host " + architecture + (facts.brand.empty() ? "" : " " + facts.brand) + " (";
  if (!facts.family.empty()) text += "family " + facts.family + ", model " + facts.model + ", ";
  if (!facts.part.empty()) text += "part " + facts.part + ", ";
  return text + "instructions " + toHex(hash128(all)).substr(0, 8) + ")";
}

const std::string& processorName() {
  static const std::string name = describe();
  return name;
}

const std::string& processorFeatures() {
  static const std::string features = toHex(hash128(cpuField("flags") + cpuField("Features")));
  return features;
}

unsigned coreCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<unsigned>(std::max(1l, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace mneme::host
