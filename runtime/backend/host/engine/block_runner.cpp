// SPDX-License-Identifier: Apache-2.0
/// Scheduling inside a block. A thread's state names the segment it runs next; that segment's point is what it waits for.
#include "backend/host/engine/block_runner.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "backend/host/engine/faults.h"
#include "backend/host/engine/grid.h"
#include "backend/host/engine/places.h"
#include "backend/host/engine/warp_exchange.h"

namespace mneme::host {
namespace {

constexpr unsigned kFirstIdleRounds = 32;  ///< through all threads, before a new block counts as waiting for other blocks

bool isWarpPoint(PointKind kind) { return kind >= PointKind::WarpSync && kind <= PointKind::LockStep; }
/// Whoever stands there goes on together; nobody is waited for.
bool takesWhoIsThere(PointKind kind) { return kind == PointKind::ActiveMask || kind == PointKind::LockStep; }
bool isBarrier(PointKind kind) { return kind >= PointKind::BlockBarrier && kind <= PointKind::NamedBarrier; }
bool isReduction(PointKind kind) { return kind >= PointKind::BlockReduceAnd && kind <= PointKind::BlockReducePopc; }

}  // namespace

Workspace::~Workspace() {
  for (auto* buffer : {&shared_, &frame_, &state_, &runnable_, &exchange_}) buffer->giveBack();
}

unsigned char* Workspace::Buffer::get(size_t bytes, size_t wantedAlignment) {
  if (bytes > size || wantedAlignment > alignment) {
    giveBack();
    alignment = std::max<size_t>(wantedAlignment, 64);
    size = (std::max<size_t>(bytes, 64) + alignment - 1) / alignment * alignment;
    memory = std::aligned_alloc(alignment, size);
    if (!memory) throw std::bad_alloc();
    std::memset(memory, 0, size);
    if (what) notePlace(memory, size, what);
  }
  return static_cast<unsigned char*>(memory);
}

void Workspace::Buffer::giveBack() {
  if (what && memory) retirePlace(memory);
  std::free(memory);
  memory = nullptr;
}

BlockRunner::BlockRunner(Grid& grid, Workspace& workspace) : kernel_(grid.kernel) {
  const auto& kernel = grid.kernel;
  const auto& shape = grid.shape;
  auto copy = [](uint32_t (&to)[3], const Dim3& from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; };
  copy(block_.gridDim, shape.grid);
  copy(block_.blockDim, shape.block);
  block_.threadCount = static_cast<uint32_t>(shape.block.count());
  block_.frameCapacity = (block_.threadCount + 63) / 64 * 64;
  block_.dynamicSharedBytes = static_cast<uint32_t>(shape.dynamicSharedBytes);
  block_.gridId = grid.id;
  block_.arguments = grid.arguments;
  if (shape.cooperative) block_.gridWorkspace = &grid.workspace;
  block_.shared = workspace.shared(kernel.staticSharedBytes + shape.dynamicSharedBytes, kernel.sharedAlignment);
  if (kernel.segmentCount <= 1) return;
  block_.frame = workspace.frame(kernel.frameBytes * block_.frameCapacity);
  block_.state = workspace.state(block_.threadCount);
  runnable_ = workspace.runnable(block_.threadCount);
  if (kernel.usesExchange) block_.exchange = workspace.exchange(block_.threadCount);
}

bool BlockRunner::start() {
  if (kernel_.segmentCount == 1) {
    kernel_.segments[0].run(&block_, 0, block_.threadCount);
    return true;
  }
  stepped_ = true;
  std::memset(arrived_, 0, sizeof arrived_);
  if (runTogether()) return true;
  std::memset(runnable_, 0, block_.threadCount);
  return advance(kFirstIdleRounds);
}

/// As long as all threads come to the same barrier of the block, nobody has to be asked who waits for whom.
bool BlockRunner::runTogether() {
  uint32_t segment = 0;
  do {
    kernel_.segments[segment].run(&block_, 0, block_.threadCount);
    segment = block_.state[0];
    if (!sameState(0, block_.threadCount)) return false;
    if (segment == kThreadDone) return true;
  } while (kernel_.segments[segment].point == PointKind::BlockBarrier);
  return false;
}

bool BlockRunner::sameState(uint32_t first, uint32_t last) const {
  return std::memcmp(block_.state + first, block_.state + first + 1, (last - first - 1) * sizeof(uint32_t)) == 0;
}

bool BlockRunner::resume() { return advance(1); }

bool BlockRunner::finished() const {
  return std::all_of(block_.state, block_.state + block_.threadCount, [](uint32_t state) { return state == kThreadDone; });
}

bool BlockRunner::advance(unsigned mostIdleRounds) {
  const uint32_t count = block_.threadCount;
  bool stepped = false;
  for (unsigned idleRounds = 0; idleRounds < mostIdleRounds; ++idleRounds) {
    if (kernel_.usesWarp)
      for (uint32_t first = 0; first < count; first += kWarpSize) settleWarp(first);
    else
      runRunnable(0, count);
    if (finished()) return true;
    const bool met = meetInBlock(), waiting = releaseWaiting();
    if (!met && !waiting) reportDeadlock();
    if (tookStep() || met) stepped = true, idleRounds = 0;
  }
  stepped_ = stepped;
  return false;
}

/// Longest runs of neighbours that stand at the same place go together.
void BlockRunner::runRunnable(uint32_t first, uint32_t last) {
  for (uint32_t thread = first; thread < last;) {
    if (!runnable_[thread]) {
      ++thread;
      continue;
    }
    const uint32_t segment = block_.state[thread];
    uint32_t end = thread;
    for (; end < last && runnable_[end] && block_.state[end] == segment; ++end) runnable_[end] = 0;
    kernel_.segments[segment].run(&block_, thread, end);
    noteSteps(thread, end, segment);
    thread = end;
  }
}

/// A thread in a waiting loop takes a step when it gets anywhere but to the end of another round.
void BlockRunner::noteSteps(uint32_t first, uint32_t last, uint32_t segment) {
  if (kernel_.segments[segment].point != PointKind::Yield) stepped_ = true;
  for (uint32_t thread = first; thread < last && !stepped_; ++thread)
    stepped_ = done(thread) || pointOf(thread) != PointKind::Yield;
}

void BlockRunner::settleWarp(uint32_t first) {
  const uint32_t last = std::min(first + kWarpSize, block_.threadCount);
  do runRunnable(first, last);
  while (meetInWarp(first) || goOnTogether(first));
}

/// Lets go every group of lanes that stand at the same kind of point with the same mask, once none of the mask is missing.
bool BlockRunner::meetInWarp(uint32_t first) {
  const uint32_t last = std::min(first + kWarpSize, block_.threadCount);
  if (wholeWarpMeets(first, last)) return true;
  bool any = false;
  for (uint32_t thread = first; thread < last; ++thread) {
    if (done(thread) || runnable_[thread] || !isWarpPoint(pointOf(thread)) || takesWhoIsThere(pointOf(thread))) continue;
    const uint32_t mask = block_.exchange[thread].mask;
    const PointKind kind = pointOf(thread);
    uint32_t present = 0, alive = 0;
    for (uint32_t other = first; other < last; ++other) {
      const uint32_t bit = 1u << (other - first);
      if (!(mask & bit) || done(other)) continue;
      alive |= bit;
      if (!runnable_[other] && pointOf(other) == kind && block_.exchange[other].mask == mask) present |= bit;
    }
    if (present != alive || !(present & 1u << (thread - first))) continue;
    exchangeInWarp(first, present, kind);
    any = true;
  }
  return any;
}

/// The usual case at once: all lanes stand at one point and name each other.
bool BlockRunner::wholeWarpMeets(uint32_t first, uint32_t last) {
  if (done(first) || !sameState(first, last)) return false;
  const PointKind kind = pointOf(first);
  if (!isWarpPoint(kind) || takesWhoIsThere(kind)) return false;
  const uint32_t lanes = last - first == kWarpSize ? ~0u : (1u << (last - first)) - 1;
  for (uint32_t thread = first; thread < last; ++thread)
    if (runnable_[thread] || block_.exchange[thread].mask != block_.exchange[first].mask) return false;
  if ((block_.exchange[first].mask & lanes) != lanes) return false;
  exchangeInWarp(first, lanes, kind);
  return true;
}

/// Once no lane can go on otherwise: the lanes at the earliest such point, so that those behind catch up with the others.
bool BlockRunner::goOnTogether(uint32_t first) {
  const uint32_t last = std::min(first + kWarpSize, block_.threadCount);
  uint32_t segment = kThreadDone, lanes = 0;
  for (uint32_t thread = first; thread < last; ++thread) {
    if (done(thread) || runnable_[thread] || !takesWhoIsThere(pointOf(thread)) || block_.state[thread] > segment) continue;
    if (block_.state[thread] < segment) lanes = 0;
    segment = block_.state[thread];
    lanes |= 1u << (thread - first);
  }
  if (lanes == 0) return false;
  exchangeInWarp(first, lanes, kernel_.segments[segment].point);
  return true;
}

void BlockRunner::exchangeInWarp(uint32_t first, uint32_t lanes, PointKind kind) {
  exchangeLanes(block_.exchange + first, lanes, kind);
  for (uint32_t left = lanes; left; left &= left - 1) runnable_[first + static_cast<uint32_t>(std::countr_zero(left))] = 1;
}

/// The barrier a thread waits at; 0 for the block's own.
static uint32_t barrierOf(const BlockContext& block, uint32_t thread, PointKind kind) {
  return kind == PointKind::NamedBarrier || kind == PointKind::NamedArrive ? block.exchange[thread].barrier & 15 : 0;
}

bool BlockRunner::passArrivals() {
  bool any = false;
  for (uint32_t thread = 0; thread < block_.threadCount; ++thread) {
    if (done(thread) || runnable_[thread] || pointOf(thread) != PointKind::NamedArrive) continue;
    ++arrived_[barrierOf(block_, thread, PointKind::NamedArrive)];
    runnable_[thread] = 1;
    any = true;
  }
  return any;
}

bool BlockRunner::meetInBlock() {
  bool any = passArrivals();
  const uint32_t barriers = kernel_.usesExchange ? 16 : 1;
  for (uint32_t number = 0; number < barriers; ++number) any |= meetAtBarrier(number);
  return any;
}

/// A barrier opens when as many threads came as it was told to expect, or all that have not exited.
bool BlockRunner::meetAtBarrier(uint32_t number) {
  uint32_t waiting = 0, alive = 0, expected = 0, set = 0, all = 1;
  for (uint32_t thread = 0; thread < block_.threadCount; ++thread) {
    if (done(thread)) continue;
    ++alive;
    const PointKind kind = pointOf(thread);
    if (runnable_[thread] || !isBarrier(kind) || barrierOf(block_, thread, kind) != number) continue;
    ++waiting;
    if (kind == PointKind::NamedBarrier) expected = std::max(expected, block_.exchange[thread].barrier >> 16);
    if (!isReduction(kind)) continue;
    if (block_.exchange[thread].value) ++set;
    else all = 0;
  }
  if (waiting == 0 || waiting + arrived_[number] < (expected ? expected : alive)) return false;
  arrived_[number] = 0;
  for (uint32_t thread = 0; thread < block_.threadCount; ++thread) {
    if (done(thread) || runnable_[thread]) continue;
    const PointKind kind = pointOf(thread);
    if (!isBarrier(kind) || barrierOf(block_, thread, kind) != number) continue;
    if (kind == PointKind::BlockReducePopc) block_.exchange[thread].result = set;
    if (kind == PointKind::BlockReduceOr) block_.exchange[thread].result = set != 0;
    if (kind == PointKind::BlockReduceAnd) block_.exchange[thread].result = all;
    runnable_[thread] = 1;
  }
  return true;
}

/// Another round for every thread that stands at the end of one.
bool BlockRunner::releaseWaiting() {
  bool any = false;
  for (uint32_t thread = 0; thread < block_.threadCount; ++thread) {
    if (done(thread) || runnable_[thread] || pointOf(thread) != PointKind::Yield) continue;
    runnable_[thread] = 1;
    any = true;
  }
  return any;
}

void BlockRunner::reportEndlessWait() {
  uint32_t thread = 0;
  while (thread + 1 < block_.threadCount && (done(thread) || pointOf(thread) != PointKind::Yield)) ++thread;
  raiseFault(Fault::Trap, "deadlock: a thread waits in a loop for a value that no other thread writes", &block_, thread);
}

void BlockRunner::reportDeadlock() {
  uint32_t thread = 0;
  while (done(thread)) ++thread;
  const char* what = isWarpPoint(pointOf(thread)) ? "a warp operation whose other lanes never come" : "a barrier that the others never reach";
  raiseFault(Fault::Trap, std::string("deadlock: a thread waits for ") + what, &block_, thread);
}

}  // namespace mneme::host
