// SPDX-License-Identifier: Apache-2.0
#include "code/assembler.h"

#include <cstdlib>

#include "base/file.h"
#include "code/nvjitlink.h"
#include "code/process.h"
#include "code/ptx_version.h"
#include "code/temporary_folder.h"
#include "code/toolkit.h"

namespace mneme::code {
namespace {

constexpr uint64_t kMaxCubinBytes = uint64_t{1} << 32;

/// PTX 8.x came with CUDA 12, 9.x with CUDA 13.
bool driverTakes(unsigned toolkitMajor, uint32_t driverPtx) { return driverPtx == 0 || toolkitMajor <= driverPtx / 10 + 4; }

/// "13.0, V13.0.88" of "Cuda compilation tools, release 13.0, V13.0.88"; empty if the tool does not say.
std::string releaseOf(const std::string& ptxas) {
  const auto said = runTool({ptxas, "--version"});
  constexpr std::string_view kBefore = "release ";
  const size_t at = said ? said->output.find(kBefore) : std::string::npos;
  return at == std::string::npos ? "" : said->output.substr(at + kBefore.size());
}

struct Ptxas {
  std::string path;  ///< empty: there is none
  std::string release;
  [[nodiscard]] unsigned major() const { return static_cast<unsigned>(std::atoi(release.c_str())); }
};

/// Looked for once per process.
const Ptxas& findPtxas() {
  static const Ptxas found = [] {
    const auto path = findToolkitFile("bin/ptxas");
    return path ? Ptxas{path->string(), releaseOf(path->string())} : Ptxas{};
  }();
  return found;
}

Expected<Assembled> assembleWithPtxas(const std::string& ptxas, std::string_view ptx, const std::string& architecture,
                                      const std::vector<std::string>& options) {
  auto folder = TemporaryFolder::make();
  if (!folder) return std::move(folder).error();
  const std::string input = (folder->path() / "kernel.ptx").string(), output = (folder->path() / "kernel.cubin").string();
  if (auto written = writeAtomically(input, ptx); !written) return std::move(written).error();
  std::vector<std::string> command{ptxas, "-arch=" + architecture, input, "-o", output};
  command.insert(command.end(), options.begin(), options.end());
  const auto ran = runTool(command);
  if (!ran) return Error(ran.error());
  if (ran->exitCode != 0) return Error{ErrorCode::Unsupported, "ptxas: " + ran->output};
  auto cubin = readBytes(output, kMaxCubinBytes);
  if (!cubin) return std::move(cubin).error();
  return Assembled{std::move(*cubin), ran->output, ptxas};
}

}  // namespace

/// ptxas first: nvJitLink compiles PTX as a relocatable object and links it, which takes other registers than nvcc and
/// the driver do (24 where they take 18).
Expected<Assembled> assemble(std::string_view ptx, const std::string& architecture, uint32_t driverPtx) {
  const Ptxas& ptxas = findPtxas();
  if (!ptxas.path.empty() && driverTakes(ptxas.major(), driverPtx)) 
    return assembleWithPtxas(ptxas.path, ptx, architecture, {"-O3", "-v"});
  const NvJitLink* link = NvJitLink::instance();
  if (link && driverTakes(link->major(), driverPtx)) return link->assemble(ptx, architecture);
  return Error{ErrorCode::Unavailable, ptxas.path.empty() && !link
                                           ? "nothing here assembles PTX: no ptxas (set CUDA_HOME) and no libnvJitLink"
                                           : "the CUDA toolkit is newer than the driver, which assembles the PTX itself"};
}

Expected<uint32_t> newestPtxOfPtxas() {
  const Ptxas& ptxas = findPtxas();
  if (ptxas.path.empty()) return Error(ErrorCode::Unavailable, "no ptxas (set CUDA_HOME)");
  return ptxVersionOfCuda(ptxas.release);
}

Expected<void> checkByPtxas(std::string_view ptx, const std::string& architecture) {
  const auto assembled = assembleWithPtxas(findPtxas().path, ptx, architecture, {"-O0", "-c"});
  if (!assembled) return assembled.error();
  return {};
}

}  // namespace mneme::code
