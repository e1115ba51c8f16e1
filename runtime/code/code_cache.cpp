// SPDX-License-Identifier: Apache-2.0
#include "code/code_cache.h"

#include <system_error>
#include <nlohmann/json.hpp>

#include "base/cache_folder.h"
#include "base/file.h"
#include "base/log.h"
#include "mneme/version.h"

namespace mneme::code {
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr uint32_t kFormat = 1;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

Json toJson(const std::optional<Dim3>& shape) {
  return shape ? Json{shape->x, shape->y, shape->z} : Json(nullptr);
}

template <typename T>
Json toJson(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json binary(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return Json::binary(std::vector<uint8_t>(data, data + bytes.size()));
}

Json toJson(const Specialisation& s) {
  Json arguments = Json::array(), pointers = Json::array();
  for (const FoldedArgument& a : s.arguments) arguments.push_back({a.index, binary(a.value)});
  for (const PointerFact& p : s.pointers) pointers.push_back({p.index, p.alignment, p.dereferenceable, p.noAlias});
  return {arguments, pointers, toJson(s.grid), toJson(s.block), s.maxThreads, s.minBlocks, s.maxRegisters,
          toJson(s.cluster), s.minWavesPerEu, s.maxWavesPerEu, s.waveSize, s.pipeline, s.options, toJson(s.unroll),
          toJson(s.vectorWidth), s.fastMath, toJson(s.flushDenormals)};
}

Json toJson(const GeneratedCode& code) {
  Json parameters = Json::array(), variables = Json::array();
  for (const ParameterSlot& p : code.parameters) parameters.push_back({p.offset, p.size});
  for (const CodeVariable& v : code.variables)
    variables.push_back({v.name, v.original, v.size, v.constant, v.pinned, v.holdsCode});
  return {{"format", kFormat}, {"kernel", code.kernel}, {"ptx", code.ptx}, {"image", binary(code.image)},
          {"parameters", parameters}, {"variables", variables}, {"log", code.log}};
}

GeneratedCode fromJson(const Json& json) {
  GeneratedCode code;
  code.kernel = json.at("kernel").get<std::string>();
  code.ptx = json.at("ptx").get<std::string>();
  for (const uint8_t byte : json.at("image").get_binary()) code.image.push_back(static_cast<std::byte>(byte));
  for (const Json& p : json.at("parameters")) code.parameters.push_back({p.at(0).get<uint32_t>(), p.at(1).get<uint32_t>()});
  for (const Json& v : json.at("variables"))
    code.variables.push_back({v.at(0).get<std::string>(), v.at(1).get<std::string>(), v.at(2).get<uint64_t>(),
                              v.at(3).get<bool>(), v.at(4).get<bool>(), v.at(5).get<bool>()});
  code.log = json.at("log").get<std::string>();
  code.fromCache = true;
  return code;
}

}  // namespace

Hash128 cacheKey(const GenerateInput& input) {
  Json modules = Json::array(), pins = Json::array();
  for (const BitcodeModule& module : input.modules) modules.push_back(toHex(hash128(module.bytes)));
  for (const Pin& pin : input.pins) pins.push_back({pin.variable, pin.address});
  const NumericFlags& n = input.numerics;
  const Json key = {kFormat, MNEME_VERSION, llvmVersion(), modules, input.kernel, input.target.architecture,
                    input.target.ptxVersion, input.target.codeObjectVersion,
                    Json{n.preciseSqrt, n.preciseDivision, n.flushToZero, n.fuse, n.fastMath}, pins,
                    toJson(input.specialisation), input.assemble};
  const std::vector<uint8_t> bytes = Json::to_cbor(key);
  return hash128(std::as_bytes(std::span(bytes)));
}

CodeCache CodeCache::open() {
  CodeCache cache;
  const fs::path folder = cacheFolder();
  if (!folder.empty()) cache.folder_ = folder / "code";
  return cache;
}

fs::path CodeCache::fileFor(const Hash128& key) const { return folder_ / (toHex(key) + ".cbor"); }

std::optional<GeneratedCode> CodeCache::find(const Hash128& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto bytes = readBytes(fileFor(key), kMaxFileBytes);
  if (!bytes) return std::nullopt;
  try {
    return fromJson(Json::from_cbor(reinterpret_cast<const uint8_t*>(bytes->data()),
                                    reinterpret_cast<const uint8_t*>(bytes->data()) + bytes->size()));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void CodeCache::store(const Hash128& key, const GeneratedCode& code) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  try {
    const std::vector<uint8_t> bytes = Json::to_cbor(toJson(code));
    if (auto written = writeAtomically(fileFor(key), std::as_bytes(std::span(bytes))); !written)
      logOnce(LogLevel::Warn, "generated code is not cached: " + written.error().message());
  } catch (const nlohmann::json::exception& error) {
    logOnce(LogLevel::Warn, std::string("generated code is not cached: ") + error.what());
  }
}

}  // namespace mneme::code
