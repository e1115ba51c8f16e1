// SPDX-License-Identifier: Apache-2.0
/// Hostile tolerance.json and tolerance specifications: refused in one line, or read, written and read again alike.
#include <cstdint>

#include "format/json_fields.h"
#include "format/tolerance.h"
#include "fuzz.h"

namespace mneme::fuzz {
namespace {

bool same(const format::Tolerance& a, const format::Tolerance& b) {
  return a.atol == b.atol && a.rtol == b.rtol && a.ulp == b.ulp && a.buffer == b.buffer;
}

void specification(std::string_view text) {
  auto tolerance = format::parseTolerance(text);
  if (!tolerance) return demandClear(tolerance.error(), {ErrorCode::InvalidArgument});
  auto again = format::parseTolerance(toText(*tolerance));
  demand(again.has_value() && same(*again, *tolerance), "a specification changes when it is written", text);
}

void file(std::string_view text) {
  auto read = format::ToleranceFile::parse(text, "tolerance.json");
  if (!read) return demandClear(read.error(), {ErrorCode::CorruptRecording});
  auto again = format::ToleranceFile::parse(read->toJson(), "tolerance.json");
  demand(again && again->toJson() == read->toJson(), "a tolerance file changes when it is written", text);
  for (const auto& entry : read->entries()) {
    const auto* found = read->find(entry.kernel, entry.tolerance.buffer.value_or(""));
    demand(found != nullptr, "an entry is not found", entry.kernel);
  }
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mneme::fuzz::specification(text);
  mneme::fuzz::file(text);
  return 0;
}
