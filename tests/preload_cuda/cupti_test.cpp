// SPDX-License-Identifier: Apache-2.0
/// What is said where the profiling interface is missing, taken, or another CUDA's: one line that tells what to do.
#include "preload/cuda/cupti.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace mneme::preload {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A library stays loaded, so every test uses major versions of its own.
class CuptiTest : public testing::Test {
 protected:
  CuptiTest() : home_(fs::path(testing::TempDir()) / ("mneme-cupti-" + std::to_string(getpid()))) {
    fs::create_directories(home_ / "lib64");
    setenv("CUDA_HOME", home_.c_str(), 1);
  }
  ~CuptiTest() override {
    for (const char* name : {"CUDA_HOME", "MNEME_CUPTI", "MNEME_TEST_CUPTI_RESULT"}) unsetenv(name);
    fs::remove_all(home_);
  }
  /// A library of that major version in CUDA_HOME.
  void install(int major) { fs::copy_file(FAKE_CUPTI, home_ / "lib64" / ("libcupti.so." + std::to_string(major))); }
  static std::string oneLine(const Error& error) {
    EXPECT_THAT(error.message(), Not(HasSubstr("\n")));
    return error.message();
  }

  const fs::path home_;
};

TEST_F(CuptiTest, IsFoundByTheDriversMajorVersion) {
  install(77);
  auto cupti = Cupti::load(77010);
  ASSERT_TRUE(cupti) << cupti.error().message();
  EXPECT_TRUE(cupti->subscribe(nullptr, nullptr));
  EXPECT_TRUE(cupti->enable(CUPTI_CB_DOMAIN_DRIVER_API, 6));
  EXPECT_FALSE(cupti->enable(CUPTI_CB_DOMAIN_DRIVER_API, 7));
}

TEST_F(CuptiTest, MissingSaysWhatToInstall) {
  const auto cupti = Cupti::load(81000);
  ASSERT_FALSE(cupti);
  EXPECT_EQ(oneLine(cupti.error()),
            "libcupti.so.81 not found: install the CUDA 81 toolkit's CUPTI, or name the file in MNEME_CUPTI");
}

TEST_F(CuptiTest, AnotherMajorVersionIsNamed) {
  install(83);
  const auto cupti = Cupti::load(84000);
  ASSERT_FALSE(cupti);
  EXPECT_THAT(oneLine(cupti.error()), HasSubstr("libcupti.so.84 not found, only that of CUDA 83, which does not fit the driver"));
}

TEST_F(CuptiTest, AProfilerThatHasItIsNamed) {
  setenv("MNEME_CUPTI", FAKE_CUPTI, 1);
  setenv("MNEME_TEST_CUPTI_RESULT", std::to_string(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED).c_str(), 1);
  auto cupti = Cupti::load(13000);
  ASSERT_TRUE(cupti) << cupti.error().message();
  const auto subscribed = cupti->subscribe(nullptr, nullptr);
  ASSERT_FALSE(subscribed);
  EXPECT_THAT(oneLine(subscribed.error()), HasSubstr("a profiler is attached to this program already"));
}

TEST_F(CuptiTest, OtherRefusalsKeepCuptisOwnWords) {
  setenv("MNEME_CUPTI", FAKE_CUPTI, 1);
  setenv("MNEME_TEST_CUPTI_RESULT", "15", 1);
  auto cupti = Cupti::load(13000);
  ASSERT_TRUE(cupti);
  const auto subscribed = cupti->subscribe(nullptr, nullptr);
  ASSERT_FALSE(subscribed);
  EXPECT_EQ(oneLine(subscribed.error()), "CUPTI refuses: CUPTI_ERROR_NOT_INITIALIZED");
}

TEST_F(CuptiTest, ALibraryThatIsNotCuptiIsRefused) {
  setenv("MNEME_CUPTI", CUDA_LIBRARY, 1);
  const auto cupti = Cupti::load(13000);
  ASSERT_FALSE(cupti);
  EXPECT_EQ(oneLine(cupti.error()), "libcupti.so.13 lacks functions of CUDA 12");
}

}  // namespace
}  // namespace mneme::preload
