// SPDX-License-Identifier: Apache-2.0
/// `mneme stats`: what each kernel's machine code needs, without a device.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "base/printable.h"
#include "code/occupancy.h"
#include "code_rows.h"
#include "command.h"
#include "format/manifest.h"

namespace mneme::cli {
namespace {

using code::KernelStatistics;
using code::Occupancy;

struct StatsOptions {
  std::string path, kernel, as, architecture;
  uint32_t block = 0;
  uint64_t dynamicShared = 0;
  bool json = false;
};

/// What the occupancy is computed for: as asked, else as recorded, else the launch bound.
struct BlockChoice {
  uint32_t threads = 0;
  uint64_t dynamicShared = 0;
};

BlockChoice blockFor(const StatsOptions& options, const CodeRows& code, const KernelStatistics& kernel) {
  BlockChoice choice{options.block, options.dynamicShared};
  if (code.shape && options.block == 0)
    choice = {static_cast<uint32_t>(code.shape->block.count()), code.shape->dynamicSharedBytes};
  if (choice.threads == 0) choice.threads = kernel.maxThreads;
  return choice;
}

std::optional<Occupancy> occupancyOf(const StatsOptions& options, const CodeRows& code, const KernelStatistics& kernel) {
  const BlockChoice choice = blockFor(options, code, kernel);
  return code::theoreticalOccupancy(kernel, choice.threads, choice.dynamicShared);
}

nlohmann::json jsonOf(const CodeRow& row, const BlockChoice& block, const std::optional<Occupancy>& occupancy) {
  const KernelStatistics& s = row.statistics;
  nlohmann::json json = {{"kernel", s.kernel}, {"demangled", format::demangle(s.kernel)}, {"arch", s.architecture},
                         {"code", name(row.kind)}, {"registers", s.registers}, {"stack_bytes", s.stackBytes},
                         {"spill_store_bytes", s.spillStoreBytes}, {"spill_load_bytes", s.spillLoadBytes},
                         {"shared_bytes", s.sharedBytes}, {"constant_bytes", s.constantBytes},
                         {"parameter_bytes", s.parameterBytes}, {"code_bytes", s.codeBytes},
                         {"max_threads", s.maxThreads}, {"origin", row.origin}};
  if (s.firstSpill) json["first_spill"] = {{"file", s.firstSpill->file}, {"line", s.firstSpill->line}};
  if (!s.instructions.empty()) json["instructions"] = s.instructions;
  if (s.scalarRegisters) json["scalar_registers"] = *s.scalarRegisters;
  if (occupancy)
    json["occupancy"] = {{"block_threads", block.threads}, {"dynamic_shared_bytes", block.dynamicShared},
                         {"blocks", occupancy->blocks}, {"warps", occupancy->warps},
                         {"fraction", occupancy->fraction}, {"limit", occupancy->limit}};
  return json;
}

void printJson(const StatsOptions& options, const CodeRows& code) {
  nlohmann::json list = nlohmann::json::array();
  for (const CodeRow& row : code.rows)
    list.push_back(jsonOf(row, blockFor(options, code, row.statistics), occupancyOf(options, code, row.statistics)));
  std::puts(list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

std::string occupancyText(const std::optional<Occupancy>& occupancy) {
  if (!occupancy) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.0f%% (%.*s)", occupancy->fraction * 100, static_cast<int>(occupancy->limit.size()),
                occupancy->limit.data());
  return text;
}

void printTable(const StatsOptions& options, const CodeRows& code) {
  std::printf("%-8s %-6s %5s %7s %7s %8s %9s %-22s %s\n", "arch", "code", "regs", "stack", "spills", "shared", "constant",
              "occupancy", "kernel");
  for (const CodeRow& row : code.rows) {
    const KernelStatistics& s = row.statistics;
    std::printf("%-8s %-6s %5u %7llu %7llu %8llu %9llu %-22s %s\n", s.architecture.c_str(), name(row.kind).data(),
                s.registers, static_cast<unsigned long long>(s.stackBytes),
                static_cast<unsigned long long>(s.spillStoreBytes + s.spillLoadBytes),
                static_cast<unsigned long long>(s.sharedBytes), static_cast<unsigned long long>(s.constantBytes),
                occupancyText(occupancyOf(options, code, s)).c_str(), format::demangle(s.kernel).c_str());
  }
}

Expected<void> keepMatching(CodeRows& code, const std::string& pattern) {
  if (pattern.empty()) return {};
  try {
    const std::regex wanted(pattern);
    std::erase_if(code.rows, [&](const CodeRow& row) {
      return !std::regex_search(row.statistics.kernel, wanted) &&
             !std::regex_search(format::demangle(row.statistics.kernel), wanted);
    });
    return {};
  } catch (const std::regex_error&) {
    return Error{ErrorCode::InvalidArgument, "--kernel " + pattern + " is not a regular expression"};
  }
}

int run(const StatsOptions& options) {
  CodeQuery query;
  query.path = options.path;
  query.architecture = options.architecture;
  if (!options.as.empty()) query.as = codeKindFromName(options.as);
  auto code = collectCode(query);
  if (!code) return report(code.error());
  if (auto kept = keepMatching(*code, options.kernel); !kept) return report(kept.error());
  if (options.json) printJson(options, *code);
  else if (!code->rows.empty()) printTable(options, *code);
  if (code->rows.empty() || !options.json)
    for (const std::string& remark : code->remarks) std::fprintf(stderr, "mneme: no numbers from %s\n", printable(remark).c_str());
  if (!code->rows.empty()) return kPass;
  if (code->noAssembler) return kUndecided;
  std::fprintf(stderr, "mneme: no machine code %s%sin %s\n", options.kernel.empty() ? "" : "of a kernel like ",
               options.kernel.empty() ? "" : (options.kernel + " ").c_str(), options.path.c_str());
  return kFailed;
}

}  // namespace

std::function<int()> setupStats(CLI::App& app) {
  auto options = std::make_shared<StatsOptions>();
  app.add_option("PATH", options->path, "program, library, object, cubin, code object, PTX file or recording (.json)")
      ->required();
  app.add_option("--kernel", options->kernel, "only kernels whose name matches this regular expression");
  app.add_option("--as", options->as, "read from this kind of code only; default: the image, else PTX, else bitcode made into one here")
      ->check(CLI::IsMember({"image", "ptx", "llvm"}));
  app.add_option("--arch", options->architecture, "make code from PTX and bitcode for this architecture (sm_90); default: its own");
  app.add_option("--block", options->block, "threads a block, for the occupancy; default: as recorded, else the bound");
  app.add_option("--dynamic-shared", options->dynamicShared, "bytes of dynamic shared memory a block, for the occupancy");
  app.add_flag("--json", options->json, "print JSON");
  app.footer("Of a program that only holds bitcode (one built for the host device), the code is made here, for the architecture that\n"
             "the bitcode is for; that takes the CUDA toolkit's ptxas or libnvJitLink, and without them the exit code is 5.\nExamples:\n  mneme stats build/heat --block 256\n  mneme stats recordings/stencil.1a2b3c4d.json --json");
  return [options] { return run(*options); };
}

}  // namespace mneme::cli
