// SPDX-License-Identifier: Apache-2.0
/// See doctor_cuda.h. No context is made: a GPU that somebody uses exclusively stays his.
#include "doctor_cuda.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "code/assembler.h"
#include "code/nvjitlink.h"
#include "code/toolkit.h"
#include "doctor_probe.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using State = Check::State;

constexpr const char* kOnlyWithGpu = "only needed on machines with an NVIDIA GPU";

bool isGpuFile(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("nvidia") && name.size() > 6 &&
         std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<fs::path> gpuFiles() {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored))
    if (isGpuFile(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// "NVIDIA H200" for each GPU, as the kernel module names them.
std::string gpuModels() {
  std::string models;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
    std::ifstream information(entry.path() / "information");
    for (std::string line; std::getline(information, line);)
      if (line.starts_with("Model:")) models += (models.empty() ? "" : ", ") + line.substr(line.find_first_not_of(" \t", 6));
  }
  return models;
}

Check gpu(const std::vector<fs::path>& files) {
  if (files.empty() && fs::exists("/dev/dxg")) return {"GPU", State::Ok, "through Windows (/dev/dxg)", ""};
  if (files.empty()) return {"GPU", State::Absent, "no NVIDIA GPU here (/dev/nvidia0)", "recordings of GPUs replay on host where their code allows"};
  const std::string models = gpuModels();
  return {"GPU", State::Ok, counted(files.size(), "NVIDIA GPU") + (models.empty() ? "" : ": " + models), ""};
}

Check permissions(const std::vector<fs::path>& files) {
  std::vector<fs::path> needed = files;
  for (const char* common : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/kfd"})
    if (fs::exists(common)) needed.emplace_back(common);
  for (const auto& file : needed)
    if (::access(file.c_str(), R_OK | W_OK) != 0)
      return {"permissions", State::Warning, file.string() + " cannot be opened by this user",
              "join the group that owns it (ls -l " + file.string() + "), or start the container with the GPU"};
  return {"permissions", State::Ok,
          needed.empty() ? "no device files of GPUs here" : "device files of GPUs can be opened", ""};
}

/// 13000 for CUDA 13.0; 0 where there is no driver.
int driverVersion() {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return 0;
  const auto ask = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  return ask && ask(&version) == 0 ? version : 0;
}

std::string versionText(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

Check driver(int version, bool hasGpu) {
  if (version == 0)
    return {"CUDA driver", hasGpu ? State::Broken : State::Absent, "libcuda.so.1 does not load",
            hasGpu ? "install the NVIDIA driver, or start the container with it (--gpus all)" : kOnlyWithGpu};
  if (version < 12000)
    return {"CUDA driver", State::Broken, "libcuda.so.1 is of CUDA " + versionText(version), "update the driver to CUDA 12 or newer"};
  return {"CUDA driver", State::Ok, "libcuda.so.1 for CUDA " + versionText(version), ""};
}

Check toolkit() {
  const auto nvcc = code::findToolkitFile("bin/nvcc");
  if (!nvcc) return {"CUDA toolkit", State::Absent, nvcc.error().message(), "only needed to build with nvcc"};
  return {"CUDA toolkit", State::Ok, firstLine(shellQuoted(nvcc->string()) + " --version | grep release") + " at " + nvcc->string(), ""};
}

/// Where the recorder looks, too.
std::vector<std::string> cuptiNames(const std::string& file, int major) {
  std::vector<std::string> names;
  if (const auto own = environment("MNEME_CUPTI"); !own.empty()) names.push_back(own);
  names.push_back(file);
  auto folders = code::toolkitFolders();
  folders.emplace_back("/usr/local/cuda-" + std::to_string(major));
  folders.emplace_back("/opt/cuda");
  for (const auto& folder : folders)
    for (const char* below : {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "lib"})
      names.push_back((folder / below / file).string());
  return names;
}

/// With a driver its own major version is wanted; without one, any of today's says what is installed.
Check cupti(int driverMajor, bool hasGpu) {
  const std::string cure = "install the CUDA toolkit's CUPTI, or name libcupti.so.N in MNEME_CUPTI";
  std::string other;
  for (const int major : {13, 12}) {
    const std::string file = "libcupti.so." + std::to_string(major);
    for (const auto& name : cuptiNames(file, major)) {
      if (!::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) continue;
      if (driverMajor == 0 || driverMajor == major) return {"CUPTI", State::Ok, name + " loads", ""};
      other = name;
      break;
    }
  }
  if (!other.empty())
    return {"CUPTI", State::Warning, other + " does not fit the driver of CUDA " + std::to_string(driverMajor) +
            ": CUDA programs cannot be recorded", cure};
  return {"CUPTI", hasGpu ? State::Warning : State::Absent, "no libcupti.so.13 or .12: CUDA programs cannot be recorded",
          hasGpu ? cure : "only needed to record CUDA programs on an NVIDIA GPU"};
}

/// Asked by what it is for: a tiny kernel is assembled.
Check assembler() {
  constexpr const char* kEmpty = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n";
  const auto made = code::assemble(kEmpty, "sm_90");
  if (made) return {"PTX assembler", State::Ok, made->tool + " makes machine code", ""};
  return {"PTX assembler", State::Absent, made.error().message(),
          "only needed for static gates and `mneme stats`; the driver assembles what it runs"};
}

Check nvJitLink() {
  const auto* link = code::NvJitLink::instance();
  if (link) return {"nvJitLink", State::Ok, "libnvJitLink of CUDA " + std::to_string(link->major()) + " loads", ""};
  return {"nvJitLink", State::Absent, "no libnvJitLink in the loader's path or in a CUDA toolkit",
          "only used where there is no ptxas; set CUDA_HOME to the toolkit that has it"};
}

}  // namespace

std::vector<Check> cudaChecks() {
  const auto files = gpuFiles();
  const int version = driverVersion();
  return {gpu(files), permissions(files), driver(version, !files.empty()), toolkit(), cupti(version / 1000, !files.empty()),
          nvJitLink(), assembler()};
}

}  // namespace mneme::cli
