// SPDX-License-Identifier: Apache-2.0
/// Writing and reading recordings: round trip, replacement, sharing of bytes, failure without a trace.
#include "format/recording_set.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thread>

#include "base/file.h"
#include "sample.h"

namespace mneme::format::test {
namespace {

std::vector<fs::path> packsOf(const fs::path& set) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(set / "data")) out.push_back(entry.path());
  return out;
}

void expectSame(const fs::path& manifest, const Sample& sample) {
  auto recording = Recording::open(manifest);
  ASSERT_TRUE(recording) << recording.error().message();
  auto bytes = readBack(**recording);
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(bytes->first, sample.before);
  EXPECT_EQ(bytes->second, sample.after);
}

TEST(RecordingSet, ReadsWhatItWrites) {
  TemporaryDirectory directory;
  auto sample = makeSample();
  auto path = record(directory / "set", sample);
  EXPECT_EQ(path.filename().string().substr(0, 5), "axpy.");
  expectSame(path, sample);
  auto recording = Recording::open(path);
  ASSERT_TRUE(recording);
  const auto& m = (*recording)->manifest();
  EXPECT_EQ(m.kernel, "_Z4axpyPfS_fi");
  EXPECT_EQ(m.demangled, "axpy(float*, float*, float, int)");
  EXPECT_EQ(m.arguments, sample.manifest.arguments);
  EXPECT_EQ(m.parameters, sample.manifest.parameters);
  EXPECT_TRUE(m.regions[0].changed);
  EXPECT_EQ(m.regions[0].changedBytes, kChunkBytes + 100);
  EXPECT_FALSE(m.regions[1].changed);
  EXPECT_EQ(m.regions[2].range.name, "table");
  EXPECT_THAT((*recording)->changedChunks(0), testing::ElementsAre(1, 3));
  auto code = (*recording)->code(m.code.at(0));
  ASSERT_TRUE(code);
  EXPECT_EQ(code->size(), std::string("code of _Z4axpyPfS_fi").size());
}

TEST(RecordingSet, HasTheFilesOfTheFormat) {
  TemporaryDirectory directory;
  record(directory / "set", makeSample());
  EXPECT_TRUE(fs::exists(directory / "set/set.json"));
  EXPECT_TRUE(fs::exists(directory / "set/.gitattributes"));
  EXPECT_EQ(packsOf(directory / "set").size(), 1u);
  EXPECT_THAT(packsOf(directory / "set").at(0).filename().string(), testing::MatchesRegex("r0-[0-9a-f]+\\.pack"));
  auto manifests = listManifests(directory / "set");
  ASSERT_TRUE(manifests);
  EXPECT_EQ(manifests->size(), 1u);
}

TEST(RecordingSet, FollowsTheUmask) {
  TemporaryDirectory directory;
  auto old = ::umask(027);
  auto path = record(directory / "set", makeSample());
  ::umask(old);
  for (const auto& file : {path, packsOf(directory / "set").at(0), directory / "set/set.json"}) {
    struct stat info {};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u) << file;
  }
}

TEST(RecordingSet, NothingOnDiskBeforeTheFirstRecording) {
  TemporaryDirectory directory;
  auto writer = openWriter(directory / "set");
  ASSERT_TRUE(writer->addCode(CodeKind::Llvm, std::as_bytes(std::span("x", 1)), "bc"));
  ASSERT_TRUE(writer->finish());
  EXPECT_FALSE(fs::exists(directory / "set"));
}

TEST(RecordingSet, RecordingAgainReplacesAndFreesTheOldPack) {
  TemporaryDirectory directory;
  auto first = record(directory / "set", makeSample("_Z1kv", 1));
  auto oldPack = packsOf(directory / "set").at(0);
  auto again = makeSample("_Z1kv", 2);
  auto second = record(directory / "set", again);
  EXPECT_EQ(first, second);
  EXPECT_FALSE(fs::exists(oldPack));
  EXPECT_EQ(packsOf(directory / "set").size(), 1u);
  expectSame(second, again);
}

TEST(RecordingSet, ReplacingKeepsAPackThatOthersUse) {
  TemporaryDirectory directory;
  auto kept = makeSample("_Z4keptv", 1), replaced = makeSample("_Z1kv", 2);
  auto writer = openWriter(directory / "set");
  auto keptPath = write(*writer, kept);
  ASSERT_TRUE(keptPath);
  ASSERT_TRUE(write(*writer, replaced));
  ASSERT_TRUE(writer->finish());
  record(directory / "set", makeSample("_Z1kv", 3));
  EXPECT_EQ(packsOf(directory / "set").size(), 2u);
  expectSame(keptPath->manifest, kept);
}

TEST(RecordingSet, ReplacingKeepsAPackThatIsBeingWritten) {
  TemporaryDirectory directory;
  auto writer = openWriter(directory / "set");
  auto sample = makeSample("_Z1kv", 1), later = makeSample("_Z5laterv", 9);
  ASSERT_TRUE(write(*writer, sample));
  record(directory / "set", makeSample("_Z1kv", 2));
  auto added = write(*writer, later);
  ASSERT_TRUE(added);
  ASSERT_TRUE(writer->finish());
  expectSame(added->manifest, later);
}

TEST(RecordingSet, AppendTakesTheNextFreeOrdinal) {
  TemporaryDirectory directory;
  auto first = record(directory / "set", makeSample("_Z1kv", 1), true);
  auto second = record(directory / "set", makeSample("_Z1kv", 2), true);
  EXPECT_NE(first, second);
  auto recording = Recording::open(second);
  ASSERT_TRUE(recording);
  EXPECT_EQ((*recording)->manifest().ordinal, 1u);
}

TEST(RecordingSet, StoresEqualContentOnce) {
  TemporaryDirectory directory;
  Sample sample = makeSample();
  auto bytes = randomBytes(8 * kChunkBytes, 5);
  for (int i = 0; i < 4; ++i) addRegion(sample, bytes, bytes);
  record(directory / "set", sample);
  EXPECT_LT(fs::file_size(packsOf(directory / "set").at(0)), 14 * kChunkBytes);
}

TEST(RecordingSet, ZeroChunksTakeNoBytes) {
  TemporaryDirectory directory;
  Sample sample;
  sample.manifest.kernel = "_Z1kv";
  addRegion(sample, Bytes(64 * kChunkBytes), Bytes(64 * kChunkBytes));
  auto path = record(directory / "set", sample);
  EXPECT_LT(fs::file_size(packsOf(directory / "set").at(0)), 512u);
  expectSame(path, sample);
}

TEST(RecordingSet, CompressesWhatShrinks) {
  TemporaryDirectory directory;
  Sample sample;
  sample.manifest.kernel = "_Z1kv";
  Bytes ramp(16 * kChunkBytes);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<std::byte>(i / 64);
  addRegion(sample, ramp, ramp);
  auto path = record(directory / "set", sample);
  EXPECT_LT(fs::file_size(packsOf(directory / "set").at(0)), ramp.size() / 10);
  expectSame(path, sample);
}

TEST(RecordingSet, ManyRegionsStayOutOfTheManifest) {
  TemporaryDirectory directory;
  Sample sample;
  sample.manifest.kernel = "_Z1kv";
  for (uint32_t i = 0; i < 1000; ++i) addRegion(sample, randomBytes(64, i), randomBytes(64, i));
  auto path = record(directory / "set", sample);
  EXPECT_LT(fs::file_size(path), 64u * 1024);
  expectSame(path, sample);
  auto recording = Recording::open(path);
  ASSERT_TRUE(recording);
  EXPECT_EQ((*recording)->manifest().regions.size(), 1000u);
  ASSERT_TRUE(rewriteManifest(path, (*recording)->manifest()));
  expectSame(path, sample);
}

TEST(RecordingSet, AFailingSourceLeavesNothing) {
  TemporaryDirectory directory;
  auto kept = makeSample("_Z4keptv");
  auto writer = openWriter(directory / "set");
  auto added = write(*writer, kept);
  ASSERT_TRUE(added);
  auto size = fs::file_size(packsOf(directory / "set").at(0));
  Manifest broken = makeSample("_Z6brokenv").manifest;
  broken.regions.resize(1);
  RegionSource failing{broken.regions[0].range.size, nullptr,
                       [](uint64_t, std::span<std::byte>) -> Expected<void> { return Error(ErrorCode::Device, "gone"); }};
  std::vector<std::vector<uint32_t>> changed(1);
  RegionSource nothing;
  auto failed = writer->add(broken, {&failing, 1}, changed, {&nothing, 1});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::Device);
  EXPECT_EQ(fs::file_size(packsOf(directory / "set").at(0)), size);
  auto later = makeSample("_Z5laterv", 3);
  auto next = write(*writer, later);
  ASSERT_TRUE(next);
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(listManifests(directory / "set")->size(), 2u);
  expectSame(added->manifest, kept);
  expectSame(next->manifest, later);
}

TEST(RecordingSet, ByteLimitIsUnavailable) {
  TemporaryDirectory directory;
  SetWriter::Options options;
  options.directory = directory / "set";
  options.maxBytes = 100 * 1024;
  auto writer = SetWriter::open(options);
  ASSERT_TRUE(writer);
  auto sample = makeSample();
  auto added = write(**writer, sample);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::Unavailable);
  ASSERT_TRUE((*writer)->finish());
  EXPECT_TRUE(listManifests(directory / "set")->empty());
  EXPECT_TRUE(packsOf(directory / "set").empty());
}

TEST(RecordingSet, RefusesArgumentsThatDoNotFit) {
  TemporaryDirectory directory;
  auto writer = openWriter(directory / "set");
  auto sample = makeSample();
  std::vector<std::vector<uint32_t>> changed(4);
  std::vector<RegionSource> sources(4);
  EXPECT_EQ(writer->add(sample.manifest, sources, changed, sources).error().code(), ErrorCode::InvalidArgument);
  EXPECT_FALSE(writer->addCode(CodeKind::Llvm, {}, "../x"));
  EXPECT_FALSE(fs::exists(directory / "set"));
}

TEST(RecordingSet, ShowsTheHashesOfChunksBefore) {
  TemporaryDirectory directory;
  auto sample = makeSample();
  auto recording = Recording::open(record(directory / "set", sample));
  ASSERT_TRUE(recording);
  auto last = std::span(sample.before[0]).subspan(3 * kChunkBytes);
  EXPECT_EQ((*recording)->beforeHash(0, 3), hash128(std::span<const std::byte>(last)));
  EXPECT_EQ((*recording)->beforeHash(1, 1), hash128(Bytes(kChunkBytes)));
  EXPECT_EQ((*recording)->beforeHash(0, 4), std::nullopt);
  EXPECT_EQ((*recording)->beforeHash(9, 0), std::nullopt);
}

TEST(RecordingSet, SinkErrorsStopTheReading) {
  TemporaryDirectory directory;
  auto recording = Recording::open(record(directory / "set", makeSample()));
  ASSERT_TRUE(recording);
  auto done = (*recording)->readBefore(2, [](size_t, uint64_t, std::span<const std::byte>) -> Expected<void> {
    return Error(ErrorCode::Device, "full");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "full");
}

}  // namespace
}  // namespace mneme::format::test
