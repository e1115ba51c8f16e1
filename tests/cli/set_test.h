// SPDX-License-Identifier: Apache-2.0
/// A set of two recordings, "axpy" and "tiny", for the commands to work on.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>

#include "command.h"
#include "../format/sample.h"

namespace mneme::cli::test {

class SetTest : public CommandTest {
 protected:
  SetTest() {
    auto tiny = format::test::makeSample("_Z4tinyv", 2);
    axpy_ = format::test::record(folder_ / "set", format::test::makeSample()).filename().string();
    tiny_ = format::test::record(folder_ / "set", tiny).filename().string();
  }

  [[nodiscard]] std::string axpy() const { return "set/" + axpy_; }
  [[nodiscard]] std::string tiny() const { return "set/" + tiny_; }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(folder_ / name); }

  static long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

  /// Exit code and one line on stderr that starts as every message of the command does.
  static void expectRefusal(const Output& output, int code, const std::string& what) {
    EXPECT_EQ(output.code, code) << what << ": " << output.out << output.err;
    EXPECT_EQ(lines(output.err), 1) << what << ": " << output.err;
    EXPECT_THAT(output.err, testing::StartsWith("mneme: ")) << what;
  }

  std::string axpy_, tiny_;
};

}  // namespace mneme::cli::test
