// SPDX-License-Identifier: Apache-2.0
/// Readers against damaged and hand-made bytes: an error or an unchanged meaning, never a crash and never a wrong byte.
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "format/archive.h"
#include "format/collect.h"
#include "format/layout.h"
#include "sample.h"

namespace mneme::format::test {
namespace {

std::string slurp(const fs::path& path) {
  auto text = readText(path);
  return text ? *text : "";
}

/// In place and cut afterwards: truncating first makes ext4 flush at every close.
void overwrite(const fs::path& path, std::string_view text) {
  auto fd = openFile(path, O_WRONLY | O_CREAT);
  ASSERT_TRUE(fd);
  ASSERT_TRUE(writeAll(fd->get(), std::as_bytes(std::span(text)), path));
  ASSERT_EQ(::ftruncate(fd->get(), static_cast<off_t>(text.size())), 0);
}

Sample tinySample() {
  Sample sample;
  sample.manifest.kernel = "_Z4tinyv";
  sample.manifest.arguments.assign(8, 1);
  sample.manifest.parameters = {{0, 8}};
  addRegion(sample, randomBytes(40, 1), randomBytes(40, 2));
  Bytes text(600, std::byte{'x'});
  addRegion(sample, text, text, MemoryKind::Global);
  return sample;
}

class Hostile : public testing::Test {
 protected:
  Hostile() : sample_(tinySample()), manifest_(record(set(), sample_)) {
    for (const auto& entry : fs::directory_iterator(set() / "data")) pack_ = entry.path();
    for (const auto& entry : fs::directory_iterator(set() / "code")) code_ = entry.path();
  }

  [[nodiscard]] fs::path set() const { return directory_ / "set"; }

  /// True if everything reads as it was written; otherwise the recording must have been refused as corrupt.
  bool readsAsWritten() {
    auto recording = Recording::open(manifest_);
    if (!recording) return refused(recording.error());
    auto bytes = readBack(**recording, 1);
    if (!bytes) return refused(bytes.error());
    auto code = (*recording)->code((*recording)->manifest().code.at(0));
    if (!code) return refused(code.error());
    EXPECT_EQ(bytes->first, sample_.before);
    EXPECT_EQ(bytes->second, sample_.after);
    EXPECT_EQ((*recording)->manifest().arguments, sample_.manifest.arguments);
    return true;
  }

  bool refused(const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CorruptRecording) << error.message();
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
    last_ = error.message();
    return false;
  }

  void truncateEverywhere(const fs::path& path) {
    auto whole = slurp(path);
    for (size_t length = 0; length < whole.size(); ++length) {
      overwrite(path, std::string_view(whole).substr(0, length));
      bool intact = readsAsWritten();
      // Only the manifest's last line feed has no meaning.
      EXPECT_TRUE(!intact || (path == manifest_ && length + 1 == whole.size())) << path << " cut at " << length;
    }
    overwrite(path, whole);
    EXPECT_TRUE(readsAsWritten());
  }

  /// The number of flips that nobody noticed, which then did not change a byte of what is read.
  size_t flipEverywhere(const fs::path& path) {
    const auto whole = slurp(path);
    size_t unnoticed = 0;
    for (size_t at = 0; at < whole.size(); ++at)
      for (int mask : {0x01, 0x20, 0x80}) {
        auto damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        overwrite(path, damaged);
        unnoticed += readsAsWritten();
      }
    overwrite(path, whole);
    EXPECT_TRUE(readsAsWritten());
    return unnoticed;
  }

  /// Replaces text in the manifest and seals it again with a right hash, as an attacker would.
  void forge(const std::string& from, const std::string& to) {
    auto text = slurp(manifest_);
    auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    auto hash = text.find("  \"manifest_hash\"");
    ASSERT_NE(hash, std::string::npos);
    auto unsealed = text;
    unsealed.erase(hash, unsealed.find('\n', hash) - hash + 1);
    auto value = text.find(": \"", hash) + 3;
    text.replace(value, 32, toHex(hash128(unsealed)));
    overwrite(manifest_, text);
  }

  TemporaryDirectory directory_;
  Sample sample_;
  fs::path manifest_, pack_, code_;
  std::string last_;
};

TEST_F(Hostile, ForgedManifestsAreReadOnceTheHashFits) {
  forge("\"program\": \"\"", "\"program\": \"other\"");
  EXPECT_TRUE(readsAsWritten()) << last_;
}

TEST_F(Hostile, ManifestTruncatedAtEveryLength) { truncateEverywhere(manifest_); }
TEST_F(Hostile, PackTruncatedAtEveryLength) { truncateEverywhere(pack_); }
TEST_F(Hostile, CodeTruncatedAtEveryLength) { truncateEverywhere(code_); }

TEST_F(Hostile, EveryByteOfTheManifestFlipped) {
  // Line feeds and indents may turn into other white space; nothing else may pass.
  EXPECT_LT(flipEverywhere(manifest_), slurp(manifest_).size() / 20);
}
TEST_F(Hostile, EveryByteOfThePackFlipped) {
  // A bit of zstd's own frame header may have no meaning; the content is then as it was.
  EXPECT_LE(flipEverywhere(pack_), 2u);
}
TEST_F(Hostile, EveryByteOfTheCodeFlipped) { EXPECT_EQ(flipEverywhere(code_), 0u); }

TEST_F(Hostile, HugeDeclaredTable) {
  auto offset = slurp(manifest_).find("\"size\"", slurp(manifest_).find("\"before\""));
  auto text = slurp(manifest_).substr(offset, slurp(manifest_).find('\n', offset) - offset);
  forge(text, "\"size\": 18446744073709551615");
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("out of bounds"), std::string::npos) << last_;
}

TEST_F(Hostile, HugeRegionSizeInTheManifest) {
  forge("\"size\": 40", "\"size\": 140737488355327");
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("region 0 does not fit"), std::string::npos) << last_;
}

TEST_F(Hostile, HugeRegionCount) {
  forge("\"count\": 2", "\"count\": 4294967295");
  EXPECT_FALSE(readsAsWritten());
}

TEST_F(Hostile, NewerMajorVersionIsNamed) {
  forge("\"major\": 1", "\"major\": 7");
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("format version 7"), std::string::npos) << last_;
  EXPECT_NE(last_.find("newer Mneme"), std::string::npos) << last_;
}

TEST_F(Hostile, NewerMinorVersionIsRead) {
  forge("\"minor\": 0", "\"minor\": 3,\n    \"patch\": 0");
  EXPECT_TRUE(readsAsWritten()) << last_;
}

TEST_F(Hostile, NewerPackVersionIsRefused) {
  auto bytes = slurp(pack_);
  bytes[8] = 2;
  auto sum = hash128(std::string_view(bytes).substr(0, 24));
  std::memcpy(bytes.data() + 24, sum.bytes.data(), 8);
  overwrite(pack_, bytes);
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("pack version 2"), std::string::npos) << last_;
}

TEST_F(Hostile, PathsInNamesAreRefused) {
  auto pack = pack_.stem().string();
  for (const auto& evil : std::vector<std::string>{"../data/" + pack, "/etc/passwd", "a/b", "..", "a.b", ""}) {
    auto keep = slurp(manifest_);
    forge("\"pack\": \"" + pack + "\"", "\"pack\": \"" + evil + "\"");
    EXPECT_FALSE(readsAsWritten()) << evil;
    EXPECT_NE(last_.find("not a pack's name"), std::string::npos) << last_;
    overwrite(manifest_, keep);
  }
  forge(code_.filename().string(), "../../secret");
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("not a code file's name"), std::string::npos) << last_;
}

TEST_F(Hostile, ShortNamesWithPathsAreRefused) {
  forge("\"short_name\": \"tiny\"", "\"short_name\": \"../x\"");
  EXPECT_FALSE(readsAsWritten());
}

TEST_F(Hostile, SymbolicLinksAreRefused) {
  fs::rename(pack_, directory_ / "elsewhere");
  fs::create_symlink(directory_ / "elsewhere", pack_);
  EXPECT_FALSE(readsAsWritten());
  fs::remove(pack_);
  fs::rename(directory_ / "elsewhere", pack_);
  fs::rename(code_, directory_ / "elsewhere");
  fs::create_symlink(directory_ / "elsewhere", code_);
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("symbolic link"), std::string::npos) << last_;
}

TEST_F(Hostile, FifosDoNotBlock) {
  fs::remove(pack_);
  ASSERT_EQ(::mkfifo(pack_.c_str(), 0600), 0);
  EXPECT_FALSE(readsAsWritten());
}

TEST_F(Hostile, LfsPointersSayWhatToDo) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  for (const auto& path : {manifest_, pack_, code_}) {
    auto whole = slurp(path);
    overwrite(path, pointer);
    EXPECT_FALSE(readsAsWritten());
    EXPECT_NE(last_.find("git lfs pull"), std::string::npos) << last_;
    overwrite(path, whole);
  }
}

TEST_F(Hostile, MissingFilesAreCorruptRecordings) {
  fs::remove(code_);
  EXPECT_FALSE(readsAsWritten());
  fs::remove(pack_);
  EXPECT_FALSE(readsAsWritten());
}

TEST_F(Hostile, DeepJsonIsRefused) {
  overwrite(manifest_, "{\"a\":" + std::string(200000, '[') + std::string(200000, ']') + "}");
  EXPECT_FALSE(readsAsWritten());
  EXPECT_NE(last_.find("too deeply"), std::string::npos) << last_;
}

TEST_F(Hostile, DamagedExportsImportNothing) {
  auto file = directory_ / "one.mneme";
  std::vector<fs::path> all{manifest_};
  ASSERT_TRUE(exportRecordings(all, file, {}));
  const auto whole = slurp(file);
  for (size_t at = 0; at < whole.size(); at += 7) {
    auto damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    overwrite(file, damaged);
    auto imported = importRecordings(file, directory_ / "other");
    ASSERT_FALSE(imported) << at;
    EXPECT_EQ(imported.error().code(), ErrorCode::CorruptRecording) << imported.error().message();
  }
  for (size_t length = 0; length < whole.size(); length += 5) {
    overwrite(file, std::string_view(whole).substr(0, length));
    ASSERT_FALSE(importRecordings(file, directory_ / "other")) << length;
  }
  if (auto left = listManifests(directory_ / "other"); left) {
    EXPECT_TRUE(left->empty());
  }
  overwrite(file, whole);
  EXPECT_TRUE(importRecordings(file, directory_ / "other"));
}

}  // namespace
}  // namespace mneme::format::test
