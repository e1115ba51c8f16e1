// SPDX-License-Identifier: Apache-2.0
/// See doctor_bundle.h. The archive is made by tar(1), in a folder that goes again.
#include "doctor_bundle.h"

#include <sys/utsname.h>

#include <array>
#include <string>
#include <system_error>

#include "base/file.h"
#include "code/temporary_folder.h"
#include "doctor_probe.h"
#include "format/archive.h"
#include "mneme/version.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

/// Variables that change what Mneme and CUDA do; others are nobody's business.
constexpr std::array kVariables{"MNEME_RECORD",  "MNEME_DEVICE",  "MNEME_REQUIRE_BACKENDS", "MNEME_CACHE_DIR",
                                "MNEME_HOSTCC",  "MNEME_CUPTI",   "MNEME_LOG",              "CUDA_VISIBLE_DEVICES",
                                "CUDA_HOME",     "CUDA_PATH",     "CUDA_INJECTION64_PATH",  "HIP_VISIBLE_DEVICES",
                                "LD_LIBRARY_PATH", "LD_PRELOAD",  "SLURM_JOB_ID"};

std::string versions() {
  utsname system{};
  ::uname(&system);
  std::string text = std::string("mneme ") + MNEME_VERSION + "\n" + system.sysname + " " + system.release + " " +
                     system.machine + "\n";
  for (const char* question : {". /etc/os-release && echo $PRETTY_NAME", "ldd --version", "cat /proc/driver/nvidia/version",
                               "nvidia-smi --query-gpu=name,driver_version --format=csv,noheader", "nvcc --version | tail -2",
                               "clang++-22 --version", "g++ --version", "cmake --version", "lscpu | grep 'Model name'"})
    if (const auto answer = firstLine(question); !answer.empty()) text += std::string(question) + ": " + answer + "\n";
  for (const char* variable : kVariables)
    if (const auto value = environment(variable); !value.empty()) text += std::string(variable) + "=" + value + "\n";
  return text;
}

Expected<void> fill(const fs::path& folder, const BundleRequest& request, const std::string& checks) {
  if (auto written = writeAtomically(folder / "versions.txt", versions()); !written) return written;
  if (auto written = writeAtomically(folder / "doctor.json", checks + "\n"); !written) return written;
  if (request.recording.empty()) return {};
  const std::array recordings{request.recording};
  auto exported = format::exportRecordings(recordings, folder / "recording.mneme", {request.redact});
  if (!exported) return std::move(exported).error();
  return {};
}

}  // namespace

Expected<void> writeBundle(const BundleRequest& request, const std::string& checks) {
  std::error_code ignored;
  if (fs::exists(request.output, ignored))
    return Error(ErrorCode::InvalidArgument, request.output.string() + " exists already; name another file by -o");
  auto folder = code::TemporaryFolder::make();
  if (!folder) return std::move(folder).error();
  if (auto filled = fill(folder->path(), request, checks); !filled) return filled;
  const auto answer = firstLine("tar -cf " + shellQuoted(fs::absolute(request.output).string()) + " -C " +
                                shellQuoted(folder->path().string()) + " . 2>&1 && echo packed");
  if (answer == "packed") return {};
  return Error(ErrorCode::Io, "tar could not write " + request.output.string() + (answer.empty() ? "" : ": " + answer));
}

}  // namespace mneme::cli
