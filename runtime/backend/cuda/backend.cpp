// SPDX-License-Identifier: Apache-2.0
/// Counts GPUs by their device files: asking the driver would initialise it, and from then on addresses are taken.
#include "backend/cuda/backend.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "backend/cuda/api.h"
#include "backend/cuda/device.h"

namespace mneme::cuda {
namespace {

/// /dev/nvidia0, /dev/nvidia1, …; one for WSL's /dev/dxg, where they cannot be told apart.
uint32_t countDeviceFiles() {
  uint32_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "nvidia";
    if (name == "dxg" && count == 0) count = 1;
    if (name.size() > kPrefix.size() && name.starts_with(kPrefix) &&
        name.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos)
      ++count;
  }
  return count;
}

/// How many of them CUDA_VISIBLE_DEVICES leaves; a negative number ends the list, as for the driver.
uint32_t visible(uint32_t present) {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!text) return present;
  uint32_t listed = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (item.empty() || item.front() == '-') break;
    ++listed;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return std::min(listed, present);
}

class CudaBackend final : public device::Backend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }

  [[nodiscard]] Expected<uint32_t> count() override {
    const uint32_t present = countDeviceFiles();
    if (present == 0)
      return Error(ErrorCode::Unavailable, "no NVIDIA GPU here: there is no /dev/nvidia0 (in a container, start it with "
                                           "GPU access; --device host needs none)");
    if (!api()) return api().error();
    const uint32_t usable = visible(present);
    if (usable == 0)
      return Error(ErrorCode::Unavailable, "CUDA_VISIBLE_DEVICES hides every GPU of this machine");
    return usable;
  }

  [[nodiscard]] Expected<std::unique_ptr<device::Device>> open(uint32_t ordinal) override {
    if (!api()) return api().error();
    const Api& driver = **api();
    if (auto ok = driver.check(driver.cuInit(0), "cuInit"); !ok)
      return Error(ErrorCode::Unavailable, "the CUDA driver does not start: " + ok.error().message());
    auto opened = CudaDevice::open(driver, ordinal);
    if (!opened) return std::move(opened).error();
    return std::unique_ptr<device::Device>(std::move(*opened));
  }

  [[nodiscard]] std::vector<CodeKind> codeKinds() const override { return {CodeKind::Image, CodeKind::Ptx}; }
};

}  // namespace

device::Backend& deviceBackend() {
  static CudaBackend backend;
  return backend;
}

}  // namespace mneme::cuda
