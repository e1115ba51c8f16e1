// SPDX-License-Identifier: Apache-2.0
#include "code/fatbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cubin/cubin.h"

namespace mneme::code {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kFirst[] = "_Z5firstPf";
constexpr char kSecond[] = "_Z6secondIdEvPT_";

FatBinaries openSample(const std::string& name) {
  auto opened = FatBinaries::open(std::filesystem::path(FATBIN_FOLDER) / name);
  if (!opened) {
    ADD_FAILURE() << opened.error().message();
    std::abort();
  }
  return std::move(*opened);
}

class Compression : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Modes, Compression, testing::Values("default", "none", "size", "speed", "balance"),
                         [](const auto& info) { return info.param; });

/// LZ4 needs a library that a build may lack.
bool readable(const FatBinaries& binary) {
  return std::ranges::none_of(binary.entries(), [](const auto& e) { return e.unreadable.find("liblz4") != std::string::npos; });
}

TEST_P(Compression, TheImageOfTheDevicesArchitectureIsFound) {
  const auto binary = openSample(GetParam());
  if (!readable(binary)) GTEST_SKIP() << "built without liblz4";
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const auto found = binary.find(kFirst, CodeKind::Image, architecture);
    ASSERT_FALSE(found.empty()) << architecture;
    EXPECT_EQ(found.front()->architecture, architecture);
    const auto code = binary.code(*found.front());
    ASSERT_TRUE(code) << code.error().message();
    const auto parsed = cubin::parse(*code);
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->architecture, architecture);
    EXPECT_NE(parsed->kernel(kSecond), nullptr);
  }
}

TEST_P(Compression, PtxIsFoundForANewerDevice) {
  const auto binary = openSample(GetParam());
  if (!readable(binary)) GTEST_SKIP() << "built without liblz4";
  EXPECT_THAT(binary.find(kFirst, CodeKind::Image, "sm_120"), IsEmpty());
  const auto found = binary.find(kSecond, CodeKind::Ptx, "sm_120");
  ASSERT_EQ(found.size(), 1u);
  const auto code = binary.code(*found.front());
  ASSERT_TRUE(code) << code.error().message();
  const std::string text(reinterpret_cast<const char*>(code->data()), code->size());
  EXPECT_THAT(text, HasSubstr(".target sm_90"));
  EXPECT_THAT(text, HasSubstr(kSecond));
}

TEST_P(Compression, AnUnknownKernelIsNotFound) {
  EXPECT_THAT(openSample(GetParam()).find("_Z5otherv", CodeKind::Image, "sm_90"), IsEmpty());
}

TEST(FatBinaries, CodeForOtherDevicesIsLeftOut) {
  const auto binary = FatBinaries::open(std::filesystem::path(FATBIN_FOLDER) / "default", "sm_80");
  ASSERT_TRUE(binary) << binary.error().message();
  ASSERT_FALSE(binary->entries().empty());
  for (const auto& entry : binary->entries()) EXPECT_EQ(entry.architecture, "sm_80");
}

TEST(FatBinaries, ArchitectureSpecificCodeSaysSo) {
  const auto binary = openSample("specific");
  const auto found = binary.find(kFirst, CodeKind::Image, "sm_90");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front()->architecture, "sm_90a");
}

TEST(FatBinaries, CodeForTheDeviceLinkerIsNotOffered) {
  const auto object = openSample("separable.bin");
  const auto image = std::ranges::find(object.entries(), true, &FatBinaryEntry::relocatable);
  ASSERT_NE(image, object.entries().end());
  EXPECT_THAT(image->kernels, Contains(kFirst));
  EXPECT_THAT(object.find(kFirst, CodeKind::Image, "sm_90"), IsEmpty());
}

TEST(FatBinaries, BrokenSectionsAreErrorsOrReadable) {
  std::ifstream in(std::filesystem::path(FATBIN_FOLDER) / "separable.bin", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto path = std::filesystem::path(testing::TempDir()) / "mneme-broken-fatbin";
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); at += bytes.size() / 400) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(~broken[at]);
    std::ofstream(path, std::ios::binary) << broken;
    const auto opened = FatBinaries::open(path);
    if (!opened) {
      ++refused;
      continue;
    }
    for (const auto& entry : opened->entries()) (void)opened->code(entry).has_value();
  }
  std::filesystem::remove(path);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace mneme::code
