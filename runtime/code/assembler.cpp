// SPDX-License-Identifier: Apache-2.0
#include "code/assembler.h"

#include <charconv>

#include "base/file.h"
#include "code/nvjitlink.h"
#include "code/process.h"
#include "code/temporary_folder.h"
#include "code/toolkit.h"

namespace mneme::code {
namespace {

constexpr uint64_t kMaxCubinBytes = uint64_t{1} << 32;

/// PTX 8.x came with CUDA 12, 9.x with CUDA 13.
bool driverTakes(unsigned toolkitMajor, uint32_t driverPtx) { return driverPtx == 0 || toolkitMajor <= driverPtx / 10 + 4; }

/// The major of "Cuda compilation tools, release 13.0, V13.0.88"; 0 if the tool does not say.
unsigned ptxasMajor(const std::string& path) {
  const auto said = runTool({path, "--version"});
  if (!said) return 0;
  constexpr std::string_view kBefore = "release ";
  const size_t at = said->output.find(kBefore);
  unsigned major = 0;
  if (at != std::string::npos)
    std::from_chars(said->output.data() + at + kBefore.size(), said->output.data() + said->output.size(), major);
  return major;
}

Expected<Assembled> assembleWithPtxas(const std::string& ptxas, std::string_view ptx, const std::string& architecture) {
  auto folder = TemporaryFolder::make();
  if (!folder) return std::move(folder).error();
  const std::string input = (folder->path() / "kernel.ptx").string(), output = (folder->path() / "kernel.cubin").string();
  if (auto written = writeAtomically(input, ptx); !written) return std::move(written).error();
  const auto ran = runTool({ptxas, "-arch=" + architecture, "-O3", "-v", input, "-o", output});
  if (!ran) return Error(ran.error());
  if (ran->exitCode != 0) return Error{ErrorCode::Unsupported, "ptxas: " + ran->output};
  auto cubin = readBytes(output, kMaxCubinBytes);
  if (!cubin) return std::move(cubin).error();
  return Assembled{std::move(*cubin), ran->output, ptxas};
}

}  // namespace

Expected<Assembled> assemble(std::string_view ptx, const std::string& architecture, uint32_t driverPtx) {
  const NvJitLink* link = NvJitLink::instance();
  if (link && driverTakes(link->major(), driverPtx)) return link->assemble(ptx, architecture);
  auto ptxas = findToolkitFile("bin/ptxas");
  if (!ptxas) return std::move(ptxas).error().context("nothing here assembles PTX: no libnvJitLink that fits the driver");
  if (driverPtx != 0 && !driverTakes(ptxasMajor(ptxas->string()), driverPtx))
    return Error{ErrorCode::Unavailable, "the CUDA toolkit is newer than the driver: the driver assembles the PTX itself"};
  return assembleWithPtxas(ptxas->string(), ptx, architecture);
}

}  // namespace mneme::code
