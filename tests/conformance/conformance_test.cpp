// SPDX-License-Identifier: Apache-2.0
/// What every back-end must do the same way, written once against the neutral device. A back-end whose device is not
/// here is skipped, unless MNEME_REQUIRE_BACKENDS names it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "device/device.h"

namespace mneme::device {
namespace {

bool required(const std::string& name) {
  const char* list = std::getenv("MNEME_REQUIRE_BACKENDS");
  if (!list) return false;
  std::string text = std::string(",") + list + ",";
  for (char& c : text)
    if (c == ';' || c == ' ') c = ',';
  return text.find("," + name + ",") != std::string::npos;
}

class Conformance : public testing::TestWithParam<Backend*> {
 protected:
  void SetUp() override {
    auto count = GetParam()->count();
    if (!count && !required(GetParam()->name())) GTEST_SKIP() << count.error().message();
    ASSERT_TRUE(count.has_value()) << count.error().message();
    auto opened = GetParam()->open(0);
    ASSERT_TRUE(opened.has_value()) << opened.error().message();
    device_ = std::move(*opened);
  }

  std::vector<std::byte> pattern(size_t size) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 3);
    return bytes;
  }

  std::unique_ptr<Device> device_;
};

TEST_P(Conformance, SaysWhatItIs) {
  const auto& info = device_->info();
  EXPECT_EQ(info.backend, GetParam()->name());
  EXPECT_FALSE(info.model.empty());
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GT(info.memoryBytes, 0u);
  EXPECT_TRUE(info.warpSize == 32 || info.warpSize == 64);
  EXPECT_GT(info.multiprocessors, 0u);
  EXPECT_FALSE(GetParam()->codeKinds().empty());
}

TEST_P(Conformance, OpensOnlyDevicesThatExist) {
  auto count = GetParam()->count();
  ASSERT_TRUE(count.has_value());
  EXPECT_FALSE(GetParam()->open(*count).has_value());
}

TEST_P(Conformance, ReadsBackWhatWasWritten) {
  auto address = device_->allocate(100'000, MemoryKind::Device);
  ASSERT_TRUE(address.has_value());
  auto bytes = pattern(100'000), back = std::vector<std::byte>(100'000);
  ASSERT_TRUE(device_->write(*address, bytes));
  ASSERT_TRUE(device_->read(*address, back));
  EXPECT_EQ(bytes, back);
  ASSERT_TRUE(device_->fill(*address + 10, std::byte{0xee}, 20));
  ASSERT_TRUE(device_->read(*address, back));
  EXPECT_EQ(back[9], bytes[9]);
  EXPECT_EQ(back[10], std::byte{0xee});
  EXPECT_EQ(back[29], std::byte{0xee});
  EXPECT_EQ(back[30], bytes[30]);
}

TEST_P(Conformance, RefusesAllocationsThatCannotBe) {
  EXPECT_FALSE(device_->allocate(uint64_t{1} << 60, MemoryKind::Device).has_value());
}

TEST_P(Conformance, ReservesNeighboursAtRecordedAddresses) {
  constexpr uint64_t kBase = 0x6200'0000'0000;
  std::vector<MemoryRange> ranges{{kBase, 1000, MemoryKind::Device, {}},
                                  {kBase + 1024, 5 << 20, MemoryKind::Device, {}},
                                  {kBase + (64 << 20), 4096, MemoryKind::Pinned, {}}};
  ASSERT_TRUE(device_->reserve(ranges));
  for (const auto& range : ranges) {
    auto bytes = pattern(range.size), back = std::vector<std::byte>(range.size);
    ASSERT_TRUE(device_->write(range.address, bytes));
    ASSERT_TRUE(device_->read(range.address, back));
    EXPECT_EQ(bytes, back);
  }
  EXPECT_FALSE(device_->reserve(std::span(&ranges[1], 1)));
}

TEST_P(Conformance, AReservationIsAllOrNothing) {
  static char taken[1 << 16];  // this process's own memory, never a device's to give
  constexpr uint64_t kFree = 0x6300'0000'0000;
  const auto own = reinterpret_cast<uint64_t>(taken) / 4096 * 4096 + 4096;
  std::vector<MemoryRange> ranges{{kFree, 4096, MemoryKind::Device, {}}, {own, 4096, MemoryKind::Device, {}}};
  auto done = device_->reserve(ranges);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::Unavailable);
  EXPECT_TRUE(device_->reserve(std::span(&ranges[0], 1)));
}

TEST_P(Conformance, RefusesCodeThatIsNone) {
  for (CodeKind kind : {CodeKind::Image, CodeKind::Ptx, CodeKind::Llvm}) {
    EXPECT_FALSE(device_->load({kind, pattern(64)}, {}).has_value()) << name(kind);
    EXPECT_FALSE(device_->load({kind, {}}, {}).has_value()) << name(kind);
  }
}

TEST_P(Conformance, TimesWork) {
  auto address = device_->allocate(1 << 20, MemoryKind::Device);
  ASSERT_TRUE(address.has_value());
  auto time = device_->timeNanoseconds([&] { return device_->fill(*address, std::byte{1}, 1 << 20); });
  ASSERT_TRUE(time.has_value());
  auto failing = [] { return Expected<void>(Error(ErrorCode::InvalidArgument, "as told")); };
  EXPECT_FALSE(device_->timeNanoseconds(failing).has_value());
  EXPECT_TRUE(device_->synchronize());
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(backends()),
                         [](const auto& info) { return info.param->name(); });

}  // namespace
}  // namespace mneme::device
