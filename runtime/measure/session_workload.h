// SPDX-License-Identifier: Apache-2.0
/// A replay session as something to time.
#pragma once

#include "device/device.h"
#include "measure/workload.h"
#include "replay/session.h"

namespace mneme::measure {

/// The session was opened with keepChanged and has run once. It and its device outlive this object.
class SessionWorkload final : public Workload {
 public:
  SessionWorkload(replay::ReplaySession& session, device::Device& device) : session_(session), device_(device) {}
  [[nodiscard]] Expected<void> restore() override { return session_.restoreChanged(); }
  [[nodiscard]] Expected<void> flushCaches() override;
  [[nodiscard]] Expected<uint64_t> run(unsigned launches) override { return session_.run(launches); }
  [[nodiscard]] std::optional<device::ClockReading> readClock() override;

 private:
  replay::ReplaySession& session_;
  device::Device& device_;
  uint64_t scratch_ = 0;      ///< address; allocated at the first flush
  uint64_t scratchBytes_ = 0; ///< 0 after a failed try: nothing is flushed
  bool tried_ = false;
};

}  // namespace mneme::measure
