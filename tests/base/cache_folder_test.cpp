// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace mneme {
namespace {

class CacheFolder : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"MNEME_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
  }
};

TEST_F(CacheFolder, IsNowhereWithoutAnyVariable) { EXPECT_TRUE(cacheFolder().empty()); }

TEST_F(CacheFolder, OwnVariableWinsOverTheSystems) {
  setenv("HOME", "/home/u", 1);
  EXPECT_EQ(cacheFolder(), "/home/u/.cache/mneme");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(cacheFolder(), "/xdg/mneme");
  setenv("MNEME_CACHE_DIR", "/own", 1);
  EXPECT_EQ(cacheFolder(), "/own");
  setenv("MNEME_CACHE_DIR", "", 1);
  EXPECT_EQ(cacheFolder(), "/xdg/mneme");
}

}  // namespace
}  // namespace mneme
