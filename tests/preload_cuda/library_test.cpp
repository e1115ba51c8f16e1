// SPDX-License-Identifier: Apache-2.0
/// The library as the driver loads it, where there is no driver: it says so in one line and stays out of the way.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cubin/ptx.h"
#include "preload/cuda/context.h"

namespace mneme::preload {
namespace {

using Entry = int();

Entry* entryOf(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return reinterpret_cast<Entry*>(dlsym(library, "InitializeInjection"));
}

TEST(InjectedLibrary, IsSilentWhereNothingIsRecorded) {
  unsetenv("MNEME_RECORD");
  testing::internal::CaptureStderr();
  EXPECT_EQ(entryOf(CUDA_LIBRARY)(), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(InjectedLibrary, SaysInOneLineThatThereIsNoDriver) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is a GPU";
  setenv("MNEME_RECORD", testing::TempDir().c_str(), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(entryOf(CUDA_LIBRARY)(), 1);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::StartsWith("mneme: not recording CUDA: no CUDA driver"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(entryOf(CUDA_LIBRARY)(), 1);  // a second recorder in the same process does not start
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  unsetenv("MNEME_RECORD");
}

TEST(SnapshotKernels, AreWholeInTheLibrary) {
  const cubin::Ptx ptx = cubin::scanPtx(kSnapshotKernels);
  std::vector<std::string> names;
  for (const cubin::Kernel& kernel : ptx.kernels) names.push_back(kernel.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("mneme_compare", "mneme_gather", "mneme_hold", "mneme_reach"));
  EXPECT_EQ(ptx.target, "sm_75");
}

}  // namespace
}  // namespace mneme::preload
