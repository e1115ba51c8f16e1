// SPDX-License-Identifier: Apache-2.0
/// Static libraries: GNU names of every kind, thin archives, damaged ones.
#include <gtest/gtest.h>

#include <cstdio>

#include "code/ar_file.h"
#include "elf_builder.h"

namespace mneme::code {
namespace {

using test::asBytes;

std::string member(const std::string& name, const std::string& content, size_t declared) {
  char head[61];
  std::snprintf(head, sizeof head, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name.c_str(), "0", "0", "0", "644", declared);
  return head + content + (content.size() % 2 ? "\n" : "");
}

std::string member(const std::string& name, const std::string& content) {
  return member(name, content, content.size());
}

const std::string kArchive = "!<arch>\n" + member("/", "symbols") + member("//", "a_rather_long_name.cu.o/\n") +
                             member("short.o/", "odd") + member("/0", "even");

TEST(ArFile, ReadsShortAndLongNames) {
  const auto bytes = asBytes(kArchive);
  const auto archive = readAr(bytes);
  ASSERT_TRUE(archive) << archive.error().message();
  ASSERT_EQ(archive->members.size(), 2u);
  EXPECT_EQ(archive->members[0].name, "short.o");
  EXPECT_EQ(archive->members[0].bytes.size(), 3u);
  EXPECT_EQ(archive->members[1].name, "a_rather_long_name.cu.o");
  EXPECT_EQ(archive->members[1].bytes.size(), 4u);
}

TEST(ArFile, ThinMembersHaveNoBytes) {
  const auto bytes = asBytes("!<thin>\n" + member("//", "dir/long_enough_name.o/\n") + member("/0", "", 4000));
  const auto archive = readAr(bytes);
  ASSERT_TRUE(archive) << archive.error().message();
  EXPECT_TRUE(archive->thin);
  ASSERT_EQ(archive->members.size(), 1u);
  EXPECT_EQ(archive->members[0].name, "dir/long_enough_name.o");
}

TEST(ArFile, RefusesAMemberThatGoesPastTheEnd) {
  const auto bytes = asBytes("!<arch>\n" + member("a.o/", "abcd", 4000));
  EXPECT_FALSE(readAr(bytes));
}

TEST(ArFile, SurvivesTruncationAndFlips) {
  const auto whole = asBytes(kArchive);
  for (size_t size = 0; size < whole.size(); ++size) (void)readAr(std::span(whole).first(size)).has_value();
  for (size_t at = 0; at < whole.size(); ++at) {
    auto flipped = whole;
    flipped[at] ^= std::byte{0xff};
    if (const auto archive = readAr(flipped); archive) {
      for (const ArMember& m : archive->members) EXPECT_LE(m.bytes.size(), whole.size());
    }
  }
}

}  // namespace
}  // namespace mneme::code
