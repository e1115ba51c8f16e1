// SPDX-License-Identifier: Apache-2.0
/// `mneme gc`: one pack for all recordings, and nothing that no recording needs.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sys/resource.h>

#include "command.h"
#include "format/collect.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

/// Every pack is held open under its lock; sets of many ranks have more than the usual 1024.
void allowManyFiles() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int collect(const std::string& set) {
  allowManyFiles();
  auto collected = format::collectGarbage(set);
  if (!collected) return report(collected.error());
  uint64_t freed = collected->bytesBefore - std::min(collected->bytesBefore, collected->bytesAfter);
  std::printf("%s freed, %s kept; removed %llu packs, %llu code files, %llu temporary files\n", sizeText(freed).c_str(),
              sizeText(collected->bytesAfter).c_str(), static_cast<unsigned long long>(collected->packsRemoved),
              static_cast<unsigned long long>(collected->codeRemoved),
              static_cast<unsigned long long>(collected->temporariesRemoved));
  if (collected->packsInUse != 0)
    std::printf("%llu packs are being written and were left alone\n", static_cast<unsigned long long>(collected->packsInUse));
  for (const auto& reason : collected->leftAlone) std::fprintf(stderr, "mneme: left alone: %s\n", reason.c_str());
  return collected->leftAlone.empty() ? kPass : kUnreadable;
}

}  // namespace

std::function<int()> setupGc(CLI::App& app) {
  auto set = std::make_shared<std::string>("recordings");
  addSetOption(app, *set);
  app.footer("Moves what the recordings use into one pack, each content once. Safe while programs record into the set.\n"
             "A broken recording is named and left alone; the exit code is then 3.\nExample:\n  mneme gc recordings");
  return [set] { return collect(*set); };
}

}  // namespace mneme::cli
