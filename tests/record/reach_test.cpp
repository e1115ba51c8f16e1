// SPDX-License-Identifier: Apache-2.0
/// Which memory a launch is recorded with.
#include "record/reach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fakes.h"

namespace mneme::record::test {
namespace {

/// Records one launch with these arguments; the test looks at what was recorded.
struct Reached : Fixture {
  Written record(const Arguments& arguments, Options options = defaults()) {
    start(std::move(options));
    launch(arguments.launch("kernel"));
    auto all = recordings();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Written{} : all.front();
  }
};

TEST(Reach, ArgumentsInteriorPointersAndNestedPointers) {
  Reached program;
  const uint64_t leaf = program.memory.allocate(1000), middle = program.memory.allocate(64),
                 root = program.memory.allocate(64), unrelated = program.memory.allocate(64);
  FakeMemory::store(leaf + 992, 1.5);
  FakeMemory::store(middle + 8, leaf + 500);
  FakeMemory::store(root + 56, middle + 63);
  const Written written = program.record(Arguments().add(root + 3).add(7));
  ASSERT_TRUE(written.region(root));
  ASSERT_TRUE(written.region(middle));
  ASSERT_TRUE(written.region(leaf));
  EXPECT_FALSE(written.region(unrelated));
  double stored;
  std::memcpy(&stored, written.region(leaf)->data() + 992, sizeof stored);
  EXPECT_EQ(stored, 1.5);
}

TEST(Reach, CyclesEnd) {
  Reached program;
  const uint64_t a = program.memory.allocate(16), b = program.memory.allocate(16);
  FakeMemory::store(a, b);
  FakeMemory::store(b, a);
  FakeMemory::store(b + 8, b);
  EXPECT_EQ(program.record(Arguments().add(a)).manifest.regions.size(), 2u);
}

TEST(Reach, UnalignedPointersInStructArguments) {
  struct __attribute__((packed)) Packed {
    char tag = 1;
    uint64_t pointer;
    short rest = 2;
  };
  Reached program;
  const uint64_t buffer = program.memory.allocate(128);
  EXPECT_TRUE(program.record(Arguments().add(Packed{1, buffer + 1, 2})).region(buffer));
}

TEST(Reach, VariablesAreRoots) {
  Reached program;
  const uint64_t variable = program.memory.addVariable("table", 24), target = program.memory.allocate(32);
  FakeMemory::store(variable + 16, target);
  const Written written = program.record(Arguments().add(1));
  ASSERT_EQ(written.manifest.regions.size(), 2u);
  EXPECT_TRUE(written.region(variable));
  EXPECT_TRUE(written.region(target));
}

TEST(Reach, TheVendorsRegisterKnowsMoreThanTheEvents) {
  Reached program;
  const uint64_t hidden = program.memory.allocateUnlisted(64);
  FakeMemory::store(hidden, program.memory.allocate(8));
  EXPECT_EQ(program.record(Arguments().add(hidden + 10)).manifest.regions.size(), 2u);
}

TEST(Reach, AllTakesEveryLiveRange) {
  Reached program;
  const uint64_t a = program.memory.allocate(8), b = program.memory.allocate(8);
  Options options = Fixture::defaults();
  options.reach = Reach::All;
  const Written written = program.record(Arguments().add(1), options);
  EXPECT_TRUE(written.region(a));
  EXPECT_TRUE(written.region(b));
}

TEST(Reach, MemoryWithoutAViewIsSearchedThroughReads) {
  Reached program;
  program.memory.viewable = false;
  const uint64_t big = program.memory.allocate(9 << 20), target = program.memory.allocate(8);
  FakeMemory::store(big + (8 << 20) + 8, target);
  const Written written = program.record(Arguments().add(big));
  EXPECT_TRUE(written.region(target));
  EXPECT_EQ(written.region(big)->size(), size_t{9} << 20);
}

class CodeAddress : public testing::TestWithParam<bool> {};

TEST_P(CodeAddress, RefusesTheLaunch) {
  Fixture program;
  program.memory.codeRangesKnown = GetParam();
  program.memory.codeBegin = 0x7f0000001000;
  program.memory.codeSize = 0x1000;
  const uint64_t table = program.memory.allocate(64);
  program.start();
  FakeMemory::store(table + 8, uint64_t{0x7f0000002000});
  EXPECT_TRUE(program.launch(Arguments().add(table).launch("harmless")));
  FakeMemory::store(table + 8, uint64_t{0x7f0000001abc});
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(Arguments().add(table).launch("virtual_call")));
  EXPECT_FALSE(program.launch(Arguments().add(uint64_t{0x7f0000001abc}).launch("by_argument")));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("virtual_call cannot be recorded"));
  EXPECT_THAT(said, testing::HasSubstr("0x7f0000001abc"));
  EXPECT_THAT(said, testing::HasSubstr("by_argument cannot be recorded"));
  EXPECT_EQ(program.recordings().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(KnownOrAsked, CodeAddress, testing::Bool());

TEST(Reach, APlaceThatIsNotCodeIsCalledByItsName) {
  Fixture program;
  program.memory.codeBegin = 0x205400000;
  program.memory.codeSize = 0x800000;
  program.memory.codeName = "the device heap";
  const uint64_t list = program.memory.allocate(64);
  FakeMemory::store(list, uint64_t{0x205bff920});
  program.start();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(Arguments().add(list).launch("walk")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("the address 0x205bff920 of the device heap"));
}

/// With and without a view of the captured bytes.
class FleetingAddress : public testing::TestWithParam<bool> {};

TEST_P(FleetingAddress, WrittenByTheKernelRefusesTheLaunch) {
  Fixture program;
  program.memory.viewable = GetParam();
  program.memory.fleeting = {{0x7f0000001000, 0x100, MemoryKind::Device, "shared memory"}};
  const uint64_t out = program.memory.allocate(3 * format::kChunkBytes), variable = program.memory.addVariable("kept", 8);
  FakeMemory::store(out, uint64_t{0x7f0000001000});  // the program's own word: stays, and means nothing
  program.start();
  testing::internal::CaptureStderr();
  program.launch(Arguments().add(out).launch("harmless"), [&] { FakeMemory::store(out + 8, uint64_t{0x7f0000001100}); });
  program.launch(Arguments().add(out).launch("leaks"), [&] {
    FakeMemory::store(out + 8, 1);
    FakeMemory::store(out + 2 * format::kChunkBytes + 24, uint64_t{0x7f00000010ff});
  });
  FakeMemory::store(out + 2 * format::kChunkBytes + 24, uint64_t{0});
  program.launch(Arguments().add(out).launch("keeps"), [&] { FakeMemory::store(variable, uint64_t{0x7f0000001000}); });
  const auto written = program.recordings();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("leaks cannot be recorded: it writes the address of shared memory to 0x"));
  EXPECT_THAT(said, testing::HasSubstr("keeps cannot be recorded: it writes the address of shared memory to variable kept"));
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written.front().manifest.kernel, "harmless");
}

INSTANTIATE_TEST_SUITE_P(ViewedOrRead, FleetingAddress, testing::Bool());

TEST(Reach, CodeInAVariableNamesTheVariable) {
  Fixture program;
  program.memory.codeBegin = 0x7f0000001000;
  program.memory.codeSize = 16;
  FakeMemory::store(program.memory.addVariable("callbacks", 8), uint64_t{0x7f0000001008});
  program.start();
  testing::internal::CaptureStderr();
  EXPECT_FALSE(program.launch(Arguments().add(1).launch("kernel")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("variable callbacks"));
}

TEST(Reach, FreedMemoryIsNotReached) {
  Reached program;
  const uint64_t live = program.memory.allocate(16);
  FakeMemory::store(live, uint64_t{live + (1 << 30)});
  EXPECT_EQ(program.record(Arguments().add(live)).manifest.regions.size(), 1u);
}

TEST(ScanWords, FindsAlignedWordsAtEveryPosition) {
  for (uint64_t address = 0; address < 16; ++address) {
    for (size_t size : {0, 7, 8, 15, 16, 1024, 1031}) {
      std::vector<std::byte> bytes(size);
      size_t expected = 0;
      for (size_t at = (8 - address % 8) % 8; at + 8 <= size; at += 8, ++expected) {
        const uint64_t word = 1000 + expected;
        std::memcpy(bytes.data() + at, &word, 8);
      }
      std::vector<uint64_t> found;
      ASSERT_TRUE(scanWords(bytes, address, {AddressWindow{1000, 1 << 20}, AddressWindow{}}, [&](uint64_t word, size_t) {
        found.push_back(word);
        return Expected<void>();
      }));
      ASSERT_EQ(found.size(), expected) << address << " " << size;
      for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], 1000 + i);
    }
  }
}

TEST(ScanWords, AgreesWithOneWordAtATime) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> bytes(random() % 3000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    std::array<AddressWindow, 2> windows;
    for (size_t i = 0; i < 1 + static_cast<size_t>(round % 2); ++i) {
      windows[i] = {random(), random() >> 1};
      windows[i].span = std::min(windows[i].span, ~windows[i].low);
    }
    const uint64_t address = random() % 16;
    std::vector<uint64_t> expected, found;
    for (size_t at = (8 - address % 8) % 8; at + 8 <= bytes.size(); at += 8) {
      const auto word = FakeMemory::load<uint64_t>(reinterpret_cast<uint64_t>(bytes.data()) + at);
      if (word - windows[0].low <= windows[0].span || word - windows[1].low <= windows[1].span) expected.push_back(word);
    }
    ASSERT_TRUE(scanWords(bytes, address, windows, [&](uint64_t word, size_t) {
      found.push_back(word);
      return Expected<void>();
    }));
    ASSERT_EQ(found, expected);
  }
}

TEST(ScanWords, AWindowOfOneAddressIsNotEmpty) {
  const uint64_t words[] = {1, 5000, 2};
  size_t found = 0;
  ASSERT_TRUE(scanWords(std::as_bytes(std::span(words)), 0, {AddressWindow{5000, 0}, AddressWindow{9000, 10}},
                        [&](uint64_t, size_t) {
                          ++found;
                          return Expected<void>();
                        }));
  EXPECT_EQ(found, 1u);
}

TEST(AddressIndex, KnowsItsEdges) {
  const AddressIndex index({{200, 10, MemoryKind::Device, {}}, {100, 50, MemoryKind::Device, {}}, {300, 0, {}, {}}});
  EXPECT_EQ(index.find(99), AddressIndex::kNone);
  EXPECT_EQ(index.find(100), 0u);
  EXPECT_EQ(index.find(149), 0u);
  EXPECT_EQ(index.find(150), AddressIndex::kNone);
  EXPECT_EQ(index.find(209), 1u);
  EXPECT_EQ(index.find(210), AddressIndex::kNone);
  EXPECT_EQ(index.find(300), AddressIndex::kNone);
  EXPECT_EQ(AddressIndex().find(0), AddressIndex::kNone);
}

}  // namespace
}  // namespace mneme::record::test
