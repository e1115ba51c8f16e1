// SPDX-License-Identifier: Apache-2.0
/// `mneme replay`: puts recordings back on a device, runs them, and says whether the answer is right.
#include <cstdio>
#include <memory>
#include <unistd.h>

#include "base/file.h"
#include "command.h"
#include "device_choice.h"
#include "junit.h"
#include "replay_job.h"
#include "replay_results.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct Arguments {
  std::vector<std::string> recordings;
  ReplayOptions options;
  std::string junit;
  bool json = false;
  bool noRelocation = false;
  int resultFd = -1;  ///< set in the child: where the result goes
};

/// Ends without destructors: giving back a gigabyte of memory takes longer than judging it.
[[noreturn]] void runChild(const Arguments& arguments) {
  auto options = arguments.options;
  options.relocate = !arguments.noRelocation;
  auto result = replayHere(options, arguments.recordings.front());
  auto text = toText(result);
  std::fflush(nullptr);
  auto written = writeAll(arguments.resultFd, std::as_bytes(std::span(text)), "the result pipe");
  ::_exit(written ? kPass : kDevice);
}

int runReplay(const Arguments& arguments) {
  if (auto checked = checkOptions(arguments.options); !checked) return report(checked.error());
  if (arguments.resultFd >= 0) runChild(arguments);
  auto recordings = manifestsOf(arguments.recordings);
  if (!recordings) return report(recordings.error());
  std::vector<ReplayResult> results;
  for (const auto& recording : *recordings) {
    results.push_back(timed([&] { return replayOne(arguments.options, recording); }));
    if (!arguments.json) printLines(results.back());
  }
  if (arguments.json) printJson(results);
  else if (results.size() > 1) printSummary(results, "recordings");
  if (!arguments.junit.empty())
    if (auto written = writeJunit(arguments.junit, results); !written) return report(written.error());
  return worstOf(results);
}

void addHiddenOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("--result-fd", arguments.resultFd)->group("");
  app.add_flag("--no-relocation", arguments.noRelocation)->group("");
  app.add_flag("--fallback", arguments.options.fallback)->group("");
  app.add_flag("--accept-answer", arguments.options.acceptAnswer)->group("");
  app.add_flag("--self-check", arguments.options.selfCheck)->group("");
  app.add_flag("!--no-compare", arguments.options.compare)->group("");
  app.add_flag("--inspect", arguments.options.inspect)->group("");
  app.add_option("--measure", arguments.options.measure)->group("")->check(CLI::IsMember({"auto", "cold", "warm"}));
  app.add_option("--measure-ms", arguments.options.measureMilliseconds)->group("");
}

}  // namespace

std::function<int()> setupReplay(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  auto& options = arguments->options;
  options.device = defaultDevice();
  app.add_option("REC|SET", arguments->recordings, "manifests: recordings/<kernel>.<hash8>.json; a directory stands for all of its recordings")->required();
  app.add_option("--device", options.device,
                 "auto, host, cuda, cuda:N or hip; auto: the recording's own, else host (environment: MNEME_DEVICE)")
      ->capture_default_str();
  app.add_option("--code", options.code, "what to run: 'recorded', or a binary of the current build")
      ->capture_default_str();
  app.add_option("--as", options.as, "image, ptx or llvm; default: the first of them that the device and the code have");
  app.add_option("--shape", options.shape, "recorded, or the shape that the build under test ships: built")
      ->capture_default_str();
  app.add_option("--tolerance", options.tolerances,
                 "[buffer:]atol=A,rtol=R,ulp=U; repeatable; wins over tolerance.json and annotations")
      ->allow_extra_args(false);
  app.add_option("--repeat", options.repeat, "then time N more runs of the same code")->capture_default_str();
  app.add_option("--timeout", options.timeoutSeconds, "seconds until a replay counts as hung; waiting for the device "
                 "does not count")->capture_default_str()->check(CLI::Range(1u, 1'000'000u));
  app.add_option("--junit", arguments->junit, "write JUnit XML with the measurements to this file");
  app.add_flag("--json", arguments->json, "print results as JSON instead of lines");
  addHiddenOptions(app, *arguments);
  app.footer("Exit code: 0 pass; 1 wrong answer, parameters changed, kernel gone; 3 recording unreadable; 4 device\n"
             "trouble, hang; 5 could not decide; 77 the device is not here.\n\n"
             "Example:\n  mneme replay recordings/saxpy.1a2b3c4d.json --code build/app");
  return [arguments] { return runReplay(*arguments); };
}

}  // namespace mneme::cli
