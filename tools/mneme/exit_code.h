// SPDX-License-Identifier: Apache-2.0
/// The exit codes of `mneme`, a contract: CTest, CI scripts and people rely on them.
#pragma once

#include "base/error.h"

namespace mneme::cli {

enum ExitCode : int {
  kPass = 0,
  kFailed = 1,       ///< mismatch, gate failed, parameters changed, kernel gone
  kUsage = 2,        ///< wrong usage
  kUnreadable = 3,   ///< recording unreadable
  kDevice = 4,       ///< device trouble, hang, refused by name on the device that was asked for
  kUndecided = 5,    ///< could not decide
  kNotHere = 77,     ///< the device is not here; CTest's SKIP_RETURN_CODE
  kOwnFailure = 125, ///< `record` and `run`: Mneme itself failed; 126 and 127 as env(1)
  kNotExecutable = 126,
  kCommandNotFound = 127,
};

[[nodiscard]] constexpr ExitCode exitCodeFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument: return kUsage;
    case ErrorCode::NotFound: return kUsage;
    case ErrorCode::Unsupported: return kDevice;
    case ErrorCode::Unavailable: return kNotHere;
    case ErrorCode::Io: return kDevice;
    case ErrorCode::CorruptRecording: return kUnreadable;
    case ErrorCode::Mismatch: return kFailed;
    case ErrorCode::Device: return kDevice;
  }
  return kDevice;
}

}  // namespace mneme::cli
