// SPDX-License-Identifier: Apache-2.0
/// See junit.h.
#include "junit.h"

#include <algorithm>
#include <cstdio>

#include "base/file.h"

namespace mneme::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::string outcomeElement(const ReplayResult& result) {
  if (result.exitCode == kPass) return {};
  auto body = escaped(joined(result.lines));
  auto message = result.lines.empty() ? std::string() : escaped(result.lines.front());
  if (result.exitCode == kNotHere) return "      <skipped message=\"" + message + "\"/>\n";
  const char* element = result.exitCode == kFailed ? "failure" : "error";
  return std::string("      <") + element + " message=\"" + message + "\">" + body + "</" + element + ">\n";
}

/// Every number of the result, and the words that say how it came about.
std::string properties(const nlohmann::json& data) {
  std::string text;
  for (const auto& [key, value] : data.items())
    if (value.is_primitive() && !value.is_null())
      text += "        <property name=\"" + escaped(key) + "\" value=\"" +
              escaped(value.is_string() ? value.get<std::string>() : value.dump()) + "\"/>\n";
  return text.empty() ? text : "      <properties>\n" + text + "      </properties>\n";
}

/// As the CTest test is called: a gate's name ends with its kind.
std::string nameOf(const nlohmann::json& data) {
  const auto kind = data.value("kind", "");
  return data.value("name", "") + (kind.empty() ? "" : "." + kind);
}

std::string testCase(const ReplayResult& result, const std::string& classname) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.6f", result.data.value("seconds", 0.0));
  return "    <testcase classname=\"" + classname + "\" name=\"" + escaped(nameOf(result.data)) + "\" time=\"" +
         seconds + "\">\n" + properties(result.data) + outcomeElement(result) + "    </testcase>\n";
}

}  // namespace

Expected<void> writeJunit(const std::filesystem::path& path, std::span<const ReplayResult> results, const std::string& suite) {
  auto countOf = [&](auto&& matches) { return std::to_string(std::count_if(results.begin(), results.end(), matches)); };
  auto failures = countOf([](const ReplayResult& r) { return r.exitCode == kFailed; });
  auto skipped = countOf([](const ReplayResult& r) { return r.exitCode == kNotHere; });
  auto errors = countOf([](const ReplayResult& r) {
    return r.exitCode != kPass && r.exitCode != kFailed && r.exitCode != kNotHere;
  });
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" + suite + "\" tests=\"" +
                     std::to_string(results.size()) + "\" failures=\"" + failures + "\" errors=\"" + errors +
                     "\" skipped=\"" + skipped + "\">\n";
  std::string classname = suite;
  std::replace(classname.begin(), classname.end(), ' ', '.');
  for (const auto& result : results) text += testCase(result, classname);
  return writeAtomically(path, text + "  </testsuite>\n</testsuites>\n");
}

}  // namespace mneme::cli
