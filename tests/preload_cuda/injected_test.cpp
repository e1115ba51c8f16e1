// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace {

template <typename Function>
Function* find(const char* name) {
  static void* library = dlopen(SAMPLE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return reinterpret_cast<Function*>(dlsym(library, name));
}

TEST(Injected, ExceptionsAreCaughtInside) {
  auto* call = find<int(int)>("catchesItsOwnException");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call(42), 42);
  EXPECT_EQ(call(0), -1);
}

TEST(Injected, TimedWaitsEnd) { EXPECT_EQ(find<int()>("waitsNoLongerThanAsked")(), 1); }

TEST(Injected, ThreadsRun) { EXPECT_EQ(find<int()>("runsThreads")(), 6); }

TEST(Injected, FilesHaveSizes) {
  const std::string path = testing::TempDir() + "mneme-injected-file";
  std::ofstream(path) << "12345";
  EXPECT_EQ(find<long(const char*)>("sizeOfFile")(path.c_str()), 5);
  std::remove(path.c_str());
}

TEST(Injected, RandomNumbersDiffer) {
  auto* number = find<unsigned()>("randomNumber");
  const unsigned first = number();
  bool differs = false;
  for (int i = 0; i < 8; ++i) differs = differs || number() != first;
  EXPECT_TRUE(differs);
}

}  // namespace
