// SPDX-License-Identifier: Apache-2.0
/// See measure_job.h.
#include "measure_job.h"

#include <chrono>
#include <span>
#include <string_view>

#include "code/assembler.h"
#include "code/machine_code.h"
#include "device/machine_code.h"
#include "measure/session_workload.h"

namespace mneme::cli {
namespace {

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// By the kernel's own machine code where that can be had, else by all of the code.
Expected<Hash128> codeHash(device::Kernel& kernel, const replay::SelectedCode& code, const std::string& architecture) {
  if (auto* own = dynamic_cast<device::MachineCode*>(&kernel)) return own->machineCodeHash();
  const std::span<const std::byte> bytes = code.code.bytes;
  if (code.code.kind == CodeKind::Image) return code::imageCodeHash(bytes, code.kernel);
  if (code.code.kind == CodeKind::Llvm) return hash128(bytes);
  if (auto assembled = code::assemble(textOf(bytes), architecture))
    if (auto hash = code::imageCodeHash(assembled->cubin, code.kernel)) return hash;
  return code::ptxCodeHash(textOf(bytes));
}

/// Why this is not the code that a release would run; empty if it is.
std::string debugBuild(const replay::SelectedCode& code) {
  if (auto flag = code::debugFlag(code.command); !flag.empty()) return "built with " + flag;
  const std::span<const std::byte> bytes = code.code.bytes;
  const bool debug = code.code.kind == CodeKind::Image ? code::isDebugImage(bytes)
                                                       : code.code.kind == CodeKind::Ptx && code::isDebugPtx(textOf(bytes));
  return debug ? "built with -G" : "";
}

Expected<void> inspect(replay::ReplaySession& session, const device::Device& device, const replay::SelectedCode& code,
                       nlohmann::json& data) {
  auto hash = codeHash(session.kernel(), code, device.info().architecture);
  if (!hash) return std::move(hash).error().context("reading the machine code");
  data["code_hash"] = toHex(*hash);
  data["debug_build"] = debugBuild(code);
  data["compiler"] = code.compiler;
  data["driver"] = device.info().driver;
  data["architecture"] = device.info().architecture;
  return {};
}

measure::Cache cacheFrom(const std::string& name, const device::Device& device) {
  if (name == "cold") return measure::Cache::Cold;
  // The processor's caches hold what restoring has just written, and flushing them takes longer than most kernels.
  return name == "warm" || device.info().backend == "host" ? measure::Cache::Warm : measure::Cache::Auto;
}

}  // namespace

nlohmann::json toJson(const measure::Measurement& measured) {
  return {{"median_ns", measured.median}, {"low_ns", measured.interval.low}, {"high_ns", measured.interval.high},
          {"samples", measured.samples.size()}, {"batch", measured.batch}, {"cache", measure::name(measured.cache)},
          {"spread", measured.spread}, {"drift", measured.drift}, {"discarded", measured.discarded},
          {"throttled", measured.throttled}, {"megahertz", measured.megahertz}, {"remarks", measured.remarks}};
}

Expected<void> inspectAndMeasure(replay::ReplaySession& session, device::Device& device, const replay::SelectedCode& code,
                                 const ReplayOptions& options, nlohmann::json& data) {
  if (options.inspect)
    if (auto done = inspect(session, device, code, data); !done) return done;
  if (options.measure.empty()) return {};
  measure::SessionWorkload workload(session, device);
  measure::Options how;
  how.cache = cacheFrom(options.measure, device);
  how.budget = std::chrono::milliseconds(options.measureMilliseconds);
  auto measured = measure::measure(workload, how);
  if (!measured) return std::move(measured).error().context("measuring");
  data["measurement"] = toJson(*measured);
  return {};
}

}  // namespace mneme::cli
