// SPDX-License-Identifier: Apache-2.0
/// Collecting, removing, exporting and importing; merging the sets of two branches by git.
#include "format/collect.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "format/archive.h"
#include "sample.h"

namespace mneme::format::test {
namespace {

size_t filesUnder(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

void expectSame(const fs::path& manifest, const Sample& sample) {
  auto recording = Recording::open(manifest);
  ASSERT_TRUE(recording) << recording.error().message();
  auto bytes = readBack(**recording);
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(bytes->first, sample.before);
  EXPECT_EQ(bytes->second, sample.after);
}

TEST(Collect, OnePackForAllAndEachContentOnce) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto a = makeSample("_Z1av", 1), b = makeSample("_Z1bv", 1), c = makeSample("_Z1cv", 2);
  auto pa = record(set, a), pb = record(set, b), pc = record(set, c);
  auto collected = collectGarbage(set);
  ASSERT_TRUE(collected) << collected.error().message();
  EXPECT_EQ(filesUnder(set / "data"), 1u);
  EXPECT_EQ(collected->packsRemoved, 3u);
  EXPECT_LT(collected->bytesAfter, collected->bytesBefore * 3 / 4);
  expectSame(pa, a);
  expectSame(pb, b);
  expectSame(pc, c);
  auto again = collectGarbage(set);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->packsRemoved, 0u);
  EXPECT_EQ(again->bytesAfter, again->bytesBefore);
}

TEST(Collect, RemovesWhatNobodyRefersTo) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto kept = makeSample("_Z4keptv", 1);
  auto keptPath = record(set, kept), gonePath = record(set, makeSample("_Z4gonev", 2));
  std::vector<fs::path> gone{gonePath};
  auto freed = removeRecordings(gone);
  ASSERT_TRUE(freed);
  EXPECT_GT(*freed, 3 * kChunkBytes);
  EXPECT_EQ(filesUnder(set / "data"), 1u);
  EXPECT_EQ(filesUnder(set / "code"), 2u);
  std::ofstream(set / ".x.json.1.0.tmp") << "half";
  std::ofstream(set / "data" / "r9-abandoned.pack") << "half";
  auto collected = collectGarbage(set);
  ASSERT_TRUE(collected);
  EXPECT_EQ(collected->codeRemoved, 1u);
  EXPECT_EQ(collected->packsRemoved, 1u);
  EXPECT_EQ(collected->temporariesRemoved, 1u);
  EXPECT_EQ(filesUnder(set / "code"), 1u);
  EXPECT_EQ(filesUnder(set / "data"), 1u);
  expectSame(keptPath, kept);
}

TEST(Collect, LeavesWritersAlone) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto writer = openWriter(set);
  auto first = makeSample("_Z5firstv", 1), later = makeSample("_Z5laterv", 2), other = makeSample("_Z5otherv", 3);
  auto addedFirst = write(*writer, first);
  ASSERT_TRUE(addedFirst);
  auto otherPath = record(set, other);
  auto collected = collectGarbage(set);
  ASSERT_TRUE(collected);
  EXPECT_EQ(collected->packsInUse, 1u);
  auto addedLater = write(*writer, later);
  ASSERT_TRUE(addedLater);
  ASSERT_TRUE(writer->finish());
  expectSame(addedFirst->manifest, first);
  expectSame(addedLater->manifest, later);
  expectSame(otherPath, other);
}

TEST(Collect, LeavesBrokenRecordingsAlone) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto good = makeSample("_Z4goodv", 1);
  auto goodPath = record(set, good), badPath = record(set, makeSample("_Z3badv", 2));
  auto recording = Recording::open(badPath);
  ASSERT_TRUE(recording);
  auto pack = set / "data" / ((*recording)->manifest().before.pack + ".pack");
  std::fstream(pack, std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('!');
  EXPECT_FALSE(verifyRecording(badPath, 1));
  record(set, makeSample("_Z1xv", 5));
  auto collected = collectGarbage(set);
  ASSERT_TRUE(collected);
  EXPECT_EQ(collected->leftAlone.size(), 1u);
  EXPECT_TRUE(fs::exists(pack));
  expectSame(goodPath, good);
  std::ofstream(badPath) << "{";
  auto second = collectGarbage(set);
  ASSERT_TRUE(second);
  EXPECT_TRUE(fs::exists(pack)) << "an unreadable manifest may refer to it";
}

TEST(Collect, RefusesToRemoveOtherFiles) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  auto path = record(set, makeSample());
  std::vector<fs::path> wrong{path, set / "set.json"};
  EXPECT_FALSE(removeRecordings(wrong));
  EXPECT_TRUE(fs::exists(path));
}

TEST(Collect, TouchesNothingOutsideOfASet) {
  TemporaryDirectory directory;
  std::ofstream(directory / "theirs.tmp") << "not ours";
  auto collected = collectGarbage(directory.path());
  ASSERT_FALSE(collected);
  EXPECT_EQ(collected.error().code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(fs::exists(directory / "theirs.tmp"));
}

TEST(Set, ItsVersionIsCheckedByAllThatReadOrChangeIt) {
  TemporaryDirectory directory;
  auto set = directory / "set";
  std::vector<fs::path> all{record(set, makeSample())};
  for (const std::string text : {"", "[]", R"({"format": {"major": 9, "minor": 0}})"}) {
    std::ofstream(set / "set.json") << text;
    auto expectRefused = [&](ErrorCode code, const char* what) { EXPECT_EQ(code, ErrorCode::CorruptRecording) << what << " of '" << text << "'"; };
    auto opened = Recording::open(all[0]);
    ASSERT_FALSE(opened);
    expectRefused(opened.error().code(), "open");
    EXPECT_NE(opened.error().message().find("set.json"), std::string::npos) << opened.error().message();
    expectRefused(listManifests(set).error().code(), "list");
    expectRefused(collectGarbage(set).error().code(), "gc");
    expectRefused(removeRecordings(all).error().code(), "rm");
    expectRefused(checkWritable(set).error().code(), "record");
    EXPECT_TRUE(fs::exists(all[0]));
  }
}

TEST(Set, ItsOwnFilesAreNoRecordings) {
  TemporaryDirectory directory;
  record(directory / "set", makeSample());
  auto opened = Recording::open(directory / "set/set.json");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::InvalidArgument);
}

TEST(Set, WhereItCannotBeWrittenIsKnownBefore) {
  TemporaryDirectory directory;
  EXPECT_TRUE(checkWritable(directory / "new/deeper"));
  EXPECT_FALSE(fs::exists(directory / "new")) << "asking made something";
  std::ofstream(directory / "file") << "x";
  EXPECT_FALSE(checkWritable(directory / "file"));
  EXPECT_FALSE(checkWritable(directory / "file/below"));
  EXPECT_FALSE(checkWritable("/proc/nowhere"));
  record(directory / "set", makeSample());
  auto before = filesUnder(directory / "set");
  EXPECT_TRUE(checkWritable(directory / "set"));
  EXPECT_EQ(filesUnder(directory / "set"), before);
}

TEST(Archive, TwoRecordingsOfOneNameAreRefused) {
  TemporaryDirectory directory;
  auto first = record(directory / "a", makeSample("_Z1av", 1)), second = record(directory / "b", makeSample("_Z1av", 2));
  std::vector<fs::path> both{first, second}, twice{first, first};
  auto refused = exportRecordings(both, directory / "both.mneme", {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find(second.string()), std::string::npos);
  EXPECT_FALSE(fs::exists(directory / "both.mneme"));
  EXPECT_EQ(exportRecordings(twice, directory / "twice.mneme", {})->recordings, 1u);
}

TEST(Archive, TolerancesOfTheKernelsGoAlong) {
  TemporaryDirectory directory;
  auto set = directory / "set", other = directory / "other";
  std::vector<fs::path> one{record(set, makeSample("_Z1av", 1))};
  record(set, makeSample("_Z1bv", 2));
  auto setTolerance = [](const fs::path& where, const std::string& kernel, const char* text) {
    auto done = updateTolerances(where, [&](ToleranceFile& file) { file.set(kernel, *parseTolerance(text)); return Expected<void>(); });
    EXPECT_TRUE(done);
  };
  setTolerance(set, "_Z1av", "atol=1");
  setTolerance(set, "_Z1bv", "atol=2");
  EXPECT_EQ(exportRecordings(one, directory / "one.mneme", {})->tolerances, 1u);
  ASSERT_TRUE(importRecordings(directory / "one.mneme", other));
  auto imported = ToleranceFile::load(other);
  ASSERT_EQ(imported->entries().size(), 1u) << "those of other kernels stay behind";
  EXPECT_EQ(imported->find("_Z1av", "")->atol, 1.0);

  setTolerance(other, "_Z1av", "atol=5");
  fs::remove(other / one[0].filename());
  auto refused = importRecordings(directory / "one.mneme", other);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("--tolerances"), std::string::npos);
  EXPECT_FALSE(fs::exists(other / one[0].filename())) << "imported in part";
  ASSERT_TRUE(importRecordings(directory / "one.mneme", other, OnConflict::Keep));
  EXPECT_EQ(ToleranceFile::load(other)->find("_Z1av", "")->atol, 5.0);
  ASSERT_TRUE(importRecordings(directory / "one.mneme", other, OnConflict::Take));
  EXPECT_EQ(ToleranceFile::load(other)->find("_Z1av", "")->atol, 1.0);
}

TEST(Archive, ImportsWhatItExports) {
  TemporaryDirectory directory;
  auto a = makeSample("_Z1av", 1), b = makeSample("_Z1bv", 2);
  std::vector<fs::path> all{record(directory / "set", a), record(directory / "set", b)};
  auto exported = exportRecordings(all, directory / "all.mneme", {});
  ASSERT_TRUE(exported) << exported.error().message();
  EXPECT_EQ(exported->recordings, 2u);
  EXPECT_FALSE(exportRecordings(all, directory / "all.mneme", {})) << "replaced a file";
  auto imported = importRecordings(directory / "all.mneme", directory / "other");
  ASSERT_TRUE(imported) << imported.error().message();
  EXPECT_EQ(imported->replaced, 0u);
  expectSame(imported->manifests.at(0), a);
  expectSame(imported->manifests.at(1), b);
  EXPECT_TRUE(verifyRecording(imported->manifests.at(0), 2));
  auto again = importRecordings(directory / "all.mneme", directory / "other");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->replaced, 2u);
  EXPECT_EQ(filesUnder(directory / "other/data"), 1u);
}

TEST(Archive, RedactsFloatingPointRegions) {
  TemporaryDirectory directory;
  auto sample = makeSample();
  sample.manifest.regions[2].element = ElementType::I32;
  sample.manifest.selfCheck["llvm"].result = SelfCheck::Result::Reproduced;
  std::vector<fs::path> all{record(directory / "set", sample)};
  auto exported = exportRecordings(all, directory / "r.mneme", {true});
  ASSERT_TRUE(exported);
  EXPECT_EQ(exported->untypedRegions, 1u);
  auto imported = importRecordings(directory / "r.mneme", directory / "other");
  ASSERT_TRUE(imported) << imported.error().message();
  auto recording = Recording::open(imported->manifests.at(0));
  ASSERT_TRUE(recording);
  EXPECT_TRUE((*recording)->manifest().selfCheck.empty());
  EXPECT_EQ((*recording)->manifest().redaction, Redaction::Memory);
  auto bytes = readBack(**recording);
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->first[0].size(), sample.before[0].size());
  size_t equal = 0;
  for (size_t at = 0; at + 4 <= bytes->first[0].size(); at += 4) {
    float value = 0;
    std::memcpy(&value, &bytes->first[0][at], 4);
    EXPECT_LT(std::abs(value), 1.0f);
    equal += std::memcmp(&bytes->first[0][at], &sample.before[0][at], 4) == 0;
  }
  EXPECT_LT(equal, 5u);
  EXPECT_EQ(bytes->first[2], sample.before[2]);
}

TEST(Merge, TwoBranchesOfAGitRepository) {
  TemporaryDirectory directory;
  auto repository = directory / "repository";
  auto set = repository / "recordings";
  fs::create_directories(repository);
  auto git = [&](const std::string& arguments) {
    auto command = "git -C '" + repository.string() + "' -c user.name=t -c user.email=t@example.org -c core.autocrlf=true " + arguments + " >/dev/null 2>&1";
    return std::system(command.c_str());
  };
  if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no git";
  ASSERT_EQ(git("init -b main ."), 0);
  ASSERT_EQ(git("commit --allow-empty -m root"), 0);
  ASSERT_EQ(git("checkout -b left"), 0);
  auto left = makeSample("_Z4leftv", 1);
  auto leftPath = record(set, left);
  ASSERT_EQ(git("add . && git -C '" + repository.string() + "' -c user.name=t -c user.email=t@example.org commit -m left"), 0);
  ASSERT_EQ(git("checkout main"), 0);
  fs::remove_all(set);
  ASSERT_EQ(git("checkout -b right"), 0);
  auto right = makeSample("_Z5rightv", 2);
  auto rightPath = record(set, right);
  ASSERT_EQ(git("add . && git -C '" + repository.string() + "' -c user.name=t -c user.email=t@example.org commit -m right"), 0);
  ASSERT_EQ(git("merge --no-edit left"), 0);
  expectSame(leftPath, left);
  expectSame(rightPath, right);
  EXPECT_TRUE(verifyRecording(leftPath, 1));
  EXPECT_TRUE(collectGarbage(set));
  expectSame(leftPath, left);
  expectSame(rightPath, right);
}

}  // namespace
}  // namespace mneme::format::test
