// SPDX-License-Identifier: Apache-2.0
/// See machine_code.h.
#include "code/machine_code.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "code/kernel_statistics.h"
#include "cubin/cubin.h"
#include "cubin/elf.h"

namespace mneme::code {
namespace {

constexpr std::string_view kText = ".text.", kConstant = ".nv.constant";

bool isKernelsOwn(std::string_view section, const std::string& kernel) {
  return section.size() > kernel.size() && section.ends_with(kernel) && section[section.size() - kernel.size() - 1] == '.';
}

/// Sections that other kernels of the module own are left out; what cannot be told apart counts.
bool counts(const ElfSection& section, const std::string& kernel, const cubin::Cubin& cubin) {
  const std::string_view name = section.name;
  const bool code = name.starts_with(kText) || name.starts_with(".rel" + std::string(kText)) ||
                    name.starts_with(".rela" + std::string(kText)) || name.starts_with(kConstant);
  if (!code) return false;
  return std::ranges::none_of(cubin.kernels, [&](const cubin::Kernel& other) {
    return other.name != kernel && isKernelsOwn(name, other.name);
  });
}

std::string needsText(const KernelStatistics& needs) {
  std::ostringstream text;
  text << needs.architecture << ' ' << needs.registers << ' ' << needs.stackBytes << ' ' << needs.sharedBytes << ' '
       << needs.parameterBytes << ' ' << needs.maxThreads << '\n';
  return text.str();
}

/// The section's kind without the kernel's name, which two builds may spell differently.
std::string kindOf(std::string_view section, const std::string& kernel) {
  if (isKernelsOwn(section, kernel)) section.remove_suffix(kernel.size());
  return std::string(section);
}

Expected<std::string> describe(std::span<const std::byte> image, const std::string& kernel) {
  const auto cubin = cubin::parse(image);
  if (!cubin) return Error(cubin.error());
  const auto elf = ElfView::parse(image);
  if (!elf) return Error(elf.error());
  const auto statistics = imageStatistics(image);
  if (!statistics) return Error(statistics.error());
  std::vector<std::string> parts;
  for (const KernelStatistics& one : *statistics)
    if (one.kernel == kernel) parts.push_back(needsText(one));
  if (parts.empty()) return Error(ErrorCode::NotFound, "the image has no kernel " + kernel);
  for (const ElfSection& section : elf->sections())
    if (counts(section, kernel, *cubin))
      parts.push_back(kindOf(section.name, kernel) + " " + std::to_string(section.size) + " " + toHex(hash128(section.content)) + "\n");
  std::sort(parts.begin() + 1, parts.end());
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  return line;
}

bool isLineTable(std::string_view line) { return line.starts_with(".loc") || line.starts_with(".file"); }

bool isOptimised(std::string_view word) {
  return word.size() >= 3 && word.starts_with("-O") && word != "-O0" && word != "-Og";
}

}  // namespace

Expected<Hash128> imageCodeHash(std::span<const std::byte> image, const std::string& kernel) {
  if (!cubin::isCubin(image)) return hash128(image);
  auto text = describe(image, kernel);
  if (!text) return std::move(text).error();
  return hash128(*text);
}

Hash128 ptxCodeHash(std::string_view ptx) {
  std::string kept;
  bool inDebugSection = false;
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    line = trimmed(line.substr(0, line.find("//")));
    if (line.starts_with(".section") && line.find(".debug") != line.npos) inDebugSection = true;
    if (!inDebugSection && !line.empty() && !isLineTable(line)) kept.append(line).push_back('\n');
    if (inDebugSection && line.ends_with("}")) inDebugSection = false;
  }
  return hash128(kept);
}

bool isDebugImage(std::span<const std::byte> image) {
  if (!cubin::isCubin(image)) return false;
  const auto elf = ElfView::parse(image);
  return elf && elf->section(".debug_info") != nullptr;
}

bool isDebugPtx(std::string_view ptx) {
  const size_t target = ptx.find("\n.target");
  if (target == ptx.npos) return false;
  const std::string_view line = ptx.substr(target + 1, ptx.find('\n', target + 1) - target - 1);
  return line.find("debug") != line.npos;
}

std::string debugFlag(std::string_view command) {
  std::istringstream words{std::string(command)};
  bool optimised = false, symbols = false, unoptimised = false;
  for (std::string word; words >> word;) {
    if (word == "-G" || word == "--device-debug") return "-G";
    if (isOptimised(word)) optimised = true, unoptimised = false;
    if (word == "-O0") unoptimised = true, optimised = false;
    symbols |= word == "-g" || word == "-g3" || word == "-ggdb" || word == "--debug";
  }
  if (unoptimised) return "-O0";
  return symbols && !optimised ? "-g without -O" : "";
}

}  // namespace mneme::code
