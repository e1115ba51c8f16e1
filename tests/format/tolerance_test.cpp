// SPDX-License-Identifier: Apache-2.0
/// The tolerance specification and tolerance.json.
#include "format/tolerance.h"

#include <gtest/gtest.h>

#include <thread>

#include "sample.h"

namespace mneme::format {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

TEST(Tolerance, ReadsEveryForm) {
  auto full = parseTolerance("out:atol=1e-6,rtol=0.5,ulp=4");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->buffer, "out");
  EXPECT_EQ(full->atol, 1e-6);
  EXPECT_EQ(full->rtol, 0.5);
  EXPECT_EQ(full->ulp, 4u);
  auto one = parseTolerance("ulp=0");
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, (Tolerance{{}, {}, 0, {}}));
}

TEST(Tolerance, KeepsColonsOfQualifiedNames) {
  auto parsed = parseTolerance("ns::table:rtol=1");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->buffer, "ns::table");
}

TEST(Tolerance, PrintsWhatItReads) {
  for (const char* text : {"atol=1e-06", "b:rtol=0.1,ulp=3", "atol=1e-300,rtol=1e+300"}) {
    auto parsed = parseTolerance(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(toText(*parsed), text);
  }
}

TEST(Tolerance, RefusesOtherText) {
  for (const char* text : {"", "atol", "atol=", "atol=x", "atol=-1", "atol=nan", "atol=inf", "ulp=-1", "ulp=1.5", ":ulp=1",
                           "out:", "atol=1,", "atol=1,atol=2", "limit=3", "atol=1 ,rtol=2"}) {
    auto parsed = parseTolerance(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::InvalidArgument);
    EXPECT_NE(parsed.error().message().find("[buffer:]atol="), std::string::npos);
  }
}

TEST(ToleranceFile, FindsBufferBeforeKernel) {
  ToleranceFile file;
  file.set("k", {1.0, {}, {}, {}});
  file.set("k", {2.0, {}, {}, "out"});
  file.set("k", {3.0, {}, {}, "out"});
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.find("k", "out")->atol, 3.0);
  EXPECT_EQ(file.find("k", "other")->atol, 1.0);
  EXPECT_EQ(file.find("j", "out"), nullptr);
}

TEST(ToleranceFile, ReadsWhatItWrites) {
  ToleranceFile file;
  file.set("k2", {0.1, 1e-7, 5, "out"});
  file.set("k1", {{}, {}, 1, {}});
  auto parsed = ToleranceFile::parse(file.toJson(), "t.json");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->toJson(), file.toJson());
  EXPECT_EQ(parsed->entries().front().kernel, "k1");
}

TEST(ToleranceFile, TheLastOfTwoEntriesOfOneKeyCounts) {
  auto file = ToleranceFile::parse(R"({"format": {"major": 1, "minor": 0}, "tolerances": [{"kernel": "b", "ulp": 1}, {"kernel": "a", "ulp": 2},
                                      {"kernel": "b", "buffer": "x", "ulp": 3}, {"kernel": "b", "ulp": 4}]})", "t");
  ASSERT_TRUE(file);
  ASSERT_EQ(file->entries().size(), 3u);
  EXPECT_EQ(file->entries().front().kernel, "a");
  EXPECT_EQ(file->find("b", "")->ulp, 4u);
  EXPECT_EQ(file->find("b", "x")->ulp, 3u);
}

TEST(ToleranceFile, ManyEntriesInTheWorstOrderAreReadAtOnce) {
  std::string text = R"({"format": {"major": 1, "minor": 0}, "tolerances": [)";
  constexpr int kEntries = 100000;
  for (int i = 0; i < kEntries; ++i)
    text += (i == 0 ? "" : ",") + std::string(R"({"kernel": ")") + std::to_string(10 * kEntries - i) + R"(", "ulp": 1})";
  auto file = ToleranceFile::parse(text + "]}", "t");  // inserted one by one this takes minutes
  ASSERT_TRUE(file);
  EXPECT_EQ(file->entries().size(), size_t{kEntries});
}

TEST(ToleranceFile, NamesTheWrongField) {
  auto parsed = ToleranceFile::parse(R"({"format":{"major":1,"minor":0},"tolerances":[{"kernel":"k","atol":"x"}]})", "t.json");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code(), ErrorCode::CorruptRecording);
  EXPECT_EQ(parsed.error().message(), "t.json: tolerances[0].atol: not a number");
  EXPECT_FALSE(ToleranceFile::parse(R"({"format":{"major":1,"minor":0},"tolerances":[{"kernel":"k"}]})", "t"));
  EXPECT_FALSE(ToleranceFile::parse(R"({"format":{"major":2,"minor":0},"tolerances":[]})", "t"));
  EXPECT_FALSE(ToleranceFile::parse("[]", "t"));
}

TEST(ToleranceFile, WritersAtOnceLoseNothing) {
  TemporaryDirectory directory;
  constexpr int kWriters = 8, kEach = 10;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < kEach; ++i) {
        auto done = updateTolerances(directory.path(), [&](ToleranceFile& file) -> Expected<void> {
          file.set("k" + std::to_string(w * kEach + i), *parseTolerance("ulp=1"));
          return {};
        });
        EXPECT_TRUE(done) << done.error().message();
      }
    });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(ToleranceFile::load(directory.path())->entries().size(), size_t{kWriters * kEach});
}

TEST(ToleranceFile, AFailedChangeWritesNothing) {
  TemporaryDirectory directory;
  auto done = updateTolerances(directory.path(), [](ToleranceFile&) -> Expected<void> { return Error(ErrorCode::InvalidArgument, "no"); });
  EXPECT_FALSE(done);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(ToleranceFile, MergingRefusesWhatContradicts) {
  ToleranceFile file;
  file.set("k", *parseTolerance("y:atol=1"));
  const std::vector<ToleranceEntry> same{{"k", *parseTolerance("y:atol=1")}, {"k", *parseTolerance("ulp=3")}};
  ASSERT_TRUE(mergeTolerances(file, same, "other", OnConflict::Refuse));
  EXPECT_EQ(file.entries().size(), 2u);
  const std::vector<ToleranceEntry> other{{"k", *parseTolerance("y:atol=2")}};
  auto refused = mergeTolerances(file, other, "other.mneme", OnConflict::Refuse);
  ASSERT_FALSE(refused);
  for (const char* part : {"y:atol=1", "y:atol=2", "other.mneme"}) EXPECT_NE(refused.error().message().find(part), std::string::npos) << part;
  ASSERT_TRUE(mergeTolerances(file, other, "other", OnConflict::Keep));
  EXPECT_EQ(file.find("k", "y")->atol, 1.0);
  ASSERT_TRUE(mergeTolerances(file, other, "other", OnConflict::Take));
  EXPECT_EQ(file.find("k", "y")->atol, 2.0);
}

TEST(ToleranceFile, MissingFileIsEmpty) {
  auto loaded = ToleranceFile::load("/nonexistent");
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->entries().empty());
}

}  // namespace
}  // namespace mneme::format
