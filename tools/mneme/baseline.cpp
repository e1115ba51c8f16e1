// SPDX-License-Identifier: Apache-2.0
/// `mneme baseline update`: the answer of the current build becomes the recorded one; the inputs stay.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.h"
#include "device_choice.h"
#include "replay_job.h"
#include "self_check.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct Arguments {
  std::vector<std::string> recordings;
  ReplayOptions options;
  bool noCheck = false;
};

void printAccepted(const ReplayResult& result) {
  const auto& data = result.data;
  auto wrong = data.value("wrong", uint64_t{0});
  std::printf("UPDATED %s on %s (%s): %s, %s; new code, same inputs\n", data.value("name", "").c_str(),
              data.value("device", "").c_str(), data.value("code", "").c_str(),
              counted(data.value("regions", uint64_t{0}), "region").c_str(),
              wrong == 0 ? "the answer is as before" : (counted(wrong, "element") + " of the answer changed").c_str());
}

int updateOne(const Arguments& arguments, const std::filesystem::path& recording) {
  auto result = replayOne(arguments.options, recording);
  if (result.exitCode != kPass) {
    for (const auto& line : result.lines) std::printf("%s\n", line.c_str());
    return result.exitCode;
  }
  printAccepted(result);
  if (arguments.noCheck) return kPass;
  auto manifest = selfCheck(recording);
  if (!manifest) return report(manifest.error());
  std::printf("  self-check: %s\n", selfCheckText(*manifest).c_str());
  const bool refused = std::ranges::any_of(manifest->selfCheck, [](const auto& check) {
    return check.second.result == format::SelfCheck::Result::Refused;
  });
  if (!refused) return kPass;
  std::printf("  next: git checkout -- %s   (the new code cannot be replayed by itself; another --as may be)\n",
              shellQuoted(recording.parent_path().empty() ? "." : recording.parent_path().string()).c_str());
  return kDevice;
}

int runUpdate(const Arguments& arguments) {
  if (auto checked = checkOptions(arguments.options); !checked) return report(checked.error());
  auto recordings = manifestsOf(arguments.recordings);
  if (!recordings) return report(recordings.error());
  int worst = kPass;
  for (const auto& recording : *recordings)
    if (int code = updateOne(arguments, recording); code != kPass) worst = code;
  if (worst == kPass) std::printf("  next: git diff, then commit the recording set\n");
  return worst;
}

}  // namespace

std::function<int()> setupBaseline(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->options;
  options.device = defaultDevice();
  options.acceptAnswer = true;
  auto* update = app.add_subcommand("update", "replay with the current build and keep its code and answer");
  app.require_subcommand(1);
  update->add_option("REC|SET", arguments->recordings, "manifests: recordings/<kernel>.<hash8>.json; a directory stands for all of its recordings")->required();
  update->add_option("--code", options.code, "a binary of the current build")->required();
  update->add_option("--device", options.device, "auto, host, cuda, cuda:N or hip")->capture_default_str();
  update->add_option("--as", options.as, "image, ptx or llvm");
  update->add_option("--timeout", options.timeoutSeconds, "seconds until the replay counts as hung")
      ->capture_default_str()->check(CLI::Range(1u, 1'000'000u));
  update->add_flag("--no-check", arguments->noCheck, "do not replay the new recording afterwards");
  app.footer("Example:\n  mneme baseline update recordings/saxpy.1a2b3c4d.json --code build/app");
  return [arguments] { return runUpdate(*arguments); };
}

}  // namespace mneme::cli
