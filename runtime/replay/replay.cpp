// SPDX-License-Identifier: Apache-2.0
/// Select code, restore, run, compare, time; see replay.h.
#include "replay/replay.h"

#include "replay/baseline.h"
#include "replay/tolerance_policy.h"

namespace mneme::replay {
namespace {

Outcome outcomeOf(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::KernelGone: return Outcome::KernelGone;
    case Obstacle::ParametersChanged: return Outcome::ParametersChanged;
    default: return Outcome::VariableChanged;
  }
}

Expected<Policy> policyFor(format::Recording& recording, const device::Device& device, const SelectedCode& code,
                           const Request& request) {
  auto file = format::ToleranceFile::load(recording.path().parent_path());
  if (!file) return std::move(file).error();
  PolicyInputs inputs{device.info().model, code.code.kind, code.compiler, request.tolerances, &*file, request.selfCheck};
  return choosePolicy(recording.manifest(), inputs);
}

Expected<void> timeRuns(ReplaySession& session, unsigned repeat, Verdict& verdict) {
  for (unsigned i = 0; i < repeat; ++i) {
    if (auto restored = session.restoreChanged(); !restored) return restored;
    auto time = session.run();
    if (!time) return std::move(time).error();
    verdict.timedNanoseconds.push_back(*time);
  }
  return {};
}

/// With the answer accepted there is nothing to fail: the comparison tells what the acceptance changed.
Expected<void> accept(format::Recording& recording, ReplaySession& session, const SelectedCode& code, Verdict& verdict) {
  verdict.outcome = Outcome::Pass;
  auto written = acceptAnswer(recording, session, code);
  return written ? Expected<void>() : Expected<void>(std::move(written).error().context("updating the baseline"));
}

Expected<void> judge(ReplaySession& session, const Policy& policy, Verdict& verdict) {
  auto comparison = session.compare(policy.rules);
  if (!comparison) return std::move(comparison).error();
  verdict.comparison = std::move(*comparison);
  if (!verdict.comparison.passed()) verdict.outcome = Outcome::Mismatch;
  if (policy.undecidable.empty()) return {};
  verdict.outcome = Outcome::Undecided;
  verdict.reason = policy.undecidable;
  return {};
}

Expected<void> runAndJudge(ReplaySession& session, const Policy& policy, const Request& request, const SelectedCode& code,
                           Verdict& verdict) {
  verdict.relocated = session.relocatedCount();
  auto time = session.run();
  if (!time) return std::move(time).error();
  verdict.kernelNanoseconds = *time;
  if (request.compare)
    if (auto judged = judge(session, policy, verdict); !judged) return judged;
  if (verdict.outcome == Outcome::Mismatch) return {};
  if (auto timed = timeRuns(session, request.repeat, verdict); !timed || !request.afterVerified) return timed;
  return request.afterVerified(session, code);
}

/// Generated code is pinned to the recorded addresses: it cannot be relocated.
Expected<ReplaySession::Opened> openGenerated(format::Recording& recording, device::Device& device, SelectedCode code,
                                              const Request& request) {
  auto made = request.generate(recording.manifest(), device.info(), code);
  if (!made) return std::move(made).error().context("generating code");
  auto opened = ReplaySession::open(recording, device, code, {false, request.runsAgain(), 0});
  if (opened || !request.relocate || opened.error().code() != ErrorCode::Unavailable) return opened;
  return Error{ErrorCode::Device, "llvm code needs the recorded addresses: " + opened.error().message()};
}

/// The joined code is also what becomes the recorded one: alone it must be enough.
Expected<void> joinOthers(SelectedCode& code, const Request& request) {
  if (!request.complete || code.others.empty()) return {};
  auto joined = request.complete(code);
  return joined ? Expected<void>() : Expected<void>(std::move(joined).error().context("linking device code"));
}

Expected<ReplaySession::Opened> openSession(format::Recording& recording, device::Device& device, SelectedCode code,
                                            const Request& request) {
  if (request.generate && code.code.kind == CodeKind::Llvm) return openGenerated(recording, device, code, request);
  return ReplaySession::open(recording, device, code, {request.relocate, request.runsAgain(), 0});
}

}  // namespace

Expected<Verdict> replay(format::Recording& recording, device::Device& device, const Request& request) {
  auto selection = selectCode(recording, request.code);
  if (!selection) return std::move(selection).error();
  Verdict verdict;
  verdict.kind = selection->code.code.kind;
  verdict.origin = request.code.binary ? "current build" : "recorded code";
  if (selection->obstacle != Obstacle::None) {
    verdict.outcome = outcomeOf(selection->obstacle);
    verdict.reason = std::move(selection->reason);
    return verdict;
  }
  auto policy = policyFor(recording, device, selection->code, request);
  if (!policy) return std::move(policy).error();
  verdict.howCompared = policy->text;
  for (const auto& rule : policy->rules) verdict.elements.push_back(rule.element);
  if (auto joined = joinOthers(selection->code, request); !joined) return std::move(joined).error();
  auto opened = openSession(recording, device, selection->code, request);
  if (!opened) return std::move(opened).error();
  if (opened->obstacle != Obstacle::None) {
    verdict.outcome = outcomeOf(opened->obstacle);
    verdict.reason = std::move(opened->reason);
    return verdict;
  }
  if (auto judged = runAndJudge(*opened->session, *policy, request, selection->code, verdict); !judged) return std::move(judged).error();
  if (request.acceptAnswer)
    if (auto done = accept(recording, *opened->session, selection->code, verdict); !done) return std::move(done).error();
  return verdict;
}

}  // namespace mneme::replay
