// SPDX-License-Identifier: Apache-2.0
/// Reads fields of hostile JSON: the first wrong field is remembered with its path, later reads do nothing.
/// Internal to format/. Nothing here throws.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mneme::format {

/// One object or array of a document. Children borrow the document and the problem's storage from the root.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& value, std::optional<std::string>& problem, std::string path)
      : value_(value), problem_(problem), path_(std::move(path)) {}

  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::string lineOfText(const char* key) const;  ///< without control characters
  [[nodiscard]] uint64_t unsignedNumber(const char* key, uint64_t max = UINT64_MAX) const;
  [[nodiscard]] int64_t signedNumber(const char* key) const;
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] double numberOrText(const char* key) const;  ///< also "inf" and "nan"
  [[nodiscard]] bool flag(const char* key) const;
  [[nodiscard]] std::optional<double> optionalNumber(const char* key) const;
  [[nodiscard]] std::optional<uint64_t> optionalUnsigned(const char* key) const;
  [[nodiscard]] std::optional<std::string> optionalText(const char* key) const;
  /// An empty object stands in for one that is missing, so that reading can go on to its end.
  [[nodiscard]] JsonFields object(const char* key) const;
  [[nodiscard]] std::vector<JsonFields> objects(const char* key) const;
  /// Every member of this object with its name.
  [[nodiscard]] std::vector<std::pair<std::string, JsonFields>> members() const;
  [[nodiscard]] std::vector<uint64_t> unsignedNumbers(const char* key) const;

  /// Records "<path>.<key>: <what>" unless something was wrong before.
  void wrong(const std::string& key, const std::string& what) const;

 private:
  const nlohmann::json* find(const char* key) const;
  [[nodiscard]] bool has(const char* key) const;

  const nlohmann::json& value_;
  std::optional<std::string>& problem_;
  std::string path_;
};

/// Parses text; CorruptRecording for text that is not a JSON object or nests deeper than anything Mneme writes.
[[nodiscard]] Expected<nlohmann::json> parseJsonObject(std::string_view text, const std::string& origin);
/// `git lfs pull` for a Git LFS pointer, "newer" for another major version, nothing if the file can be read.
[[nodiscard]] Expected<void> checkVersion(const nlohmann::json& document, const std::string& origin);
/// Canonical: sorted keys, two spaces, LF at the end; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string canonicalText(const nlohmann::json& document);

/// The manifest's text with other tables and a new hash; every other field, also an unknown one, as it was.
[[nodiscard]] Expected<std::string> withTables(std::string_view manifestText, const struct TableReference& before,
                                               const struct TableReference& after);

}  // namespace mneme::format
