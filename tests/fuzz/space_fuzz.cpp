// SPDX-License-Identifier: Apache-2.0
/// Hostile space files, expressions, measured spaces, stored trials: refused in one line, or a space whose points are what
/// its rules say.
#include <cstdint>

#include "fuzz.h"
#include "tune/candidate.h"
#include "tune/measured_space.h"
#include "tune/store.h"
#include "tune/tuned_file.h"

namespace mneme::fuzz {
namespace {

constexpr size_t kFewParameters = 6, kFewValues = 64;

bool small(const tune::Space& space) {
  if (space.parameters.size() > kFewParameters) return false;
  for (const auto& parameter : space.parameters)
    if (parameter.values.size() > kFewValues) return false;
  return true;
}

void spaceFile(std::string_view text) {
  LaunchShape shape;
  shape.block.x = 64;
  auto space = tune::parseSpace(text, "space.json", tune::recordedValues(shape, {}, {}));
  if (!space) return demandClear(space.error(), {ErrorCode::CorruptRecording});
  if (!small(*space)) return;
  tune::Random random(1);
  const auto domain = space->domain();
  for (int i = 0; i < 4; ++i) {
    auto point = domain.random(random);
    if (!point) return;
    demand(domain.contains(*point), "a point that was drawn is not valid");
    demand(tune::pointOf(*space, tune::configurationOf(*space, *point)) == point, "a configuration is another point");
    (void)tune::candidateOf(*space, *point, shape);
  }
}

void expression(std::string_view text) {
  auto parsed = tune::Expression::parse(text);
  if (!parsed) return demand(parsed.error().code() == ErrorCode::InvalidArgument, "an error of another kind", parsed.error().message());
  const tune::Value number{int64_t{3}}, word{std::string("w")};
  std::vector<const tune::Value*> values;
  for (size_t i = 0; i < parsed->names().size(); ++i) values.push_back(i % 2 ? &word : &number);
  (void)parsed->evaluate(values);
}

void files(const Scratch& scratch, std::string_view text) {
  writeFile(scratch / "file", asBytes(text));
  if (auto space = tune::readMeasuredSpace(scratch / "file"); !space) demandClear(space.error(), {ErrorCode::CorruptRecording});
  else demand(space->optimum > 0 && !space->domain->points().empty(), "a measured space without an optimum");
  (void)tune::readStore(scratch / "file");
  if (auto tuned = tune::readTuned(scratch / "file"); !tuned) demand(tuned.error().code() == ErrorCode::CorruptRecording, "an error of another kind");
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const mneme::fuzz::Scratch scratch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mneme::fuzz::spaceFile(text);
  mneme::fuzz::expression(text);
  mneme::fuzz::files(scratch, text);
  return 0;
}
