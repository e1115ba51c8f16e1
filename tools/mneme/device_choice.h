// SPDX-License-Identifier: Apache-2.0
/// Which device a command uses: `--device auto|host|cuda|cuda:N|hip|hip:N`, and what to do where it is not here.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "device/device.h"

namespace mneme::cli {

struct DeviceChoice {
  std::string backend;
  uint32_t ordinal = 0;
  bool fallback = false;  ///< `auto` took the host device instead of the recording's own
  [[nodiscard]] std::string text() const { return backend + ":" + std::to_string(ordinal); }
};

/// `recorded` is the recording's own back-end. InvalidArgument for a wrong specification, Unavailable if no such device
/// is here. Initialises no vendor library.
[[nodiscard]] Expected<DeviceChoice> chooseDevice(const std::string& specification, const std::string& recorded);

/// InvalidArgument for a wrong specification.
[[nodiscard]] Expected<void> checkDevice(const std::string& specification);

/// The device that MNEME_DEVICE asks for, or "auto".
[[nodiscard]] std::string defaultDevice();

/// True if MNEME_REQUIRE_BACKENDS names the back-end: skipping it is then a failure.
[[nodiscard]] bool isRequired(const std::string& backend);
/// The back-end that the specification means for this recording: what a skip is about.
[[nodiscard]] std::string wantedBackend(const std::string& specification, const std::string& recorded);

[[nodiscard]] Expected<std::unique_ptr<device::Device>> openDevice(const DeviceChoice& choice);

}  // namespace mneme::cli
