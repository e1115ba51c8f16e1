// SPDX-License-Identifier: Apache-2.0
/// Which processor this is, for cache keys and the device's model name; LLVM finds its own name for it in mneme-hostcc.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "backend/host/engine.h"
#include "base/hash.h"

namespace mneme::host {
namespace {

/// The first value of a field of /proc/cpuinfo.
std::string cpuField(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name) && line.find(':') != std::string::npos) {
      auto start = line.find_first_not_of(" \t", line.find(':') + 1);
      return start == std::string::npos ? "" : line.substr(start);
    }
  return {};
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
  auto model = cpuField("model name");
  if (model.empty()) model = cpuField("CPU part");
  return "host " + architecture() + (model.empty() ? "" : " " + model);
}

}  // namespace

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
