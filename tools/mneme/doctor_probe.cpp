// SPDX-License-Identifier: Apache-2.0
#include "doctor_probe.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mneme::cli {
namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<fs::path> inPath(const std::string& program) {
  std::vector<fs::path> found;
  std::string list = environment("PATH");
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    auto candidate = fs::path(list.substr(at, end - at)) / program;
    if (end > at && ::access(candidate.c_str(), X_OK) == 0) found.push_back(candidate);
    at = end + 1;
  }
  return found;
}

std::string firstLine(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>/dev/null").c_str(), "r"), &::pclose);
  char line[512] = "";
  if (!pipe || !std::fgets(line, sizeof line, pipe.get())) return {};
  std::string text = line;
  return text.substr(0, text.find('\n'));
}

}  // namespace mneme::cli
