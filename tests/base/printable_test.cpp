// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>

namespace mneme {
namespace {

TEST(Printable, LeavesTextAlone) { EXPECT_EQ(printable("k<float>(\xc3\xbc, 'a') ~"), "k<float>(\xc3\xbc, 'a') ~"); }

TEST(Printable, ShowsWhatWouldEndTheLineOrDriveTheTerminal) {
  EXPECT_EQ(printable("a\nb\x1b[2Jc\x7f"), "a\\x0ab\\x1b[2Jc\\x7f");
  EXPECT_EQ(printable("\xc2\x9b" "1m").find('\x9b'), std::string::npos) << "CSI in one character";
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace mneme
