// SPDX-License-Identifier: Apache-2.0
/// What the host device's compiler promises its executor: one shared object per kernel, with the symbols below.
/// Plain C layout, versioned; both sides are in this folder. An object of another version is recompiled.
///
/// A kernel is cut at its synchronisation points into segments (continuation-based synchronisation: Meyer et al., IWOCL
/// 2023). A segment runs a range of consecutive threads of one block from one synchronisation point to the next, and
/// leaves in `state[t]` where thread t stands. Values that live across a point are in `frame`, one array per value.
/// Who meets whom at a point is decided by the executor, from the point's description; the compiled code never waits.
#pragma once

#include <cstdint>

namespace mneme::host {

inline constexpr uint32_t kKernelAbiVersion = 2;
inline constexpr uint32_t kThreadDone = 0xffffffffu;  ///< in state[t]: the thread returned
inline constexpr uint32_t kWarpSize = 32;

/// Warp operations and block barriers with a value: thread t leaves operands here, the executor puts the result.
struct ExchangeSlot {
  uint64_t value;    ///< operand (shuffle: the value; vote: 0 or 1; match, redux: the value)
  uint64_t result;   ///< the executor's answer
  uint32_t mask;     ///< participating lanes; 0xffffffff for a full warp
  uint32_t lane;     ///< shuffle: source lane, delta or lane mask
  uint32_t clamp;    ///< shuffle: PTX's c operand (clamp and segment mask)
  uint32_t barrier;  ///< named barriers: number (low 16 bits) and thread count (high 16 bits, 0: all)
};

/// Where the blocks of a cooperative launch meet, laid out as cooperative groups expect to find it through %envreg1 and
/// %envreg2. Zero before the launch.
struct GridWorkspace {
  uint32_t bytes;
  uint32_t barrier;  ///< blocks that arrived; the highest bit flips when all have
};

struct BlockContext {
  uint32_t gridDim[3];
  uint32_t blockDim[3];
  uint32_t blockIdx[3];
  uint32_t threadCount;        ///< blockDim.x * y * z
  uint32_t frameCapacity;      ///< threads each frame array has room for: threadCount rounded up to 64
  uint32_t dynamicSharedBytes;
  uint64_t gridId;
  const unsigned char* arguments;  ///< packed parameters
  unsigned char* shared;           ///< static shared variables, then the dynamic ones
  unsigned char* frame;            ///< frameBytes * frameCapacity, 64-byte aligned
  uint32_t* state;                 ///< per thread: the segment to run next, or kThreadDone
  ExchangeSlot* exchange;          ///< per thread; null if no segment uses it
  void* runtime;                   ///< the executor's own
  GridWorkspace* gridWorkspace;    ///< of a cooperative launch; else null
};

/// Which thread this core runs now, for functions that stay functions; the import "context" returns it.
struct ThreadContext {
  BlockContext* block;
  uint32_t thread, x, y, z;
};

/// Runs threads [first, last), all of which stand at this segment's entry.
using SegmentFunction = void (*)(BlockContext* block, uint32_t first, uint32_t last);

enum class PointKind : uint32_t {
  Entry = 0,          ///< segment 0: the kernel's start
  BlockBarrier = 1,   ///< bar.sync 0
  BlockReduceAnd = 2, BlockReduceOr = 3, BlockReducePopc = 4,  ///< barrier with a predicate, result in exchange
  NamedBarrier = 5,   ///< bar.sync a, b
  NamedArrive = 6,    ///< bar.arrive a, b: does not wait
  WarpSync = 16,
  ShuffleIdx = 17, ShuffleUp = 18, ShuffleDown = 19, ShuffleXor = 20,  ///< result: low 32 bits value, bit 32 predicate
  VoteAll = 21, VoteAny = 22, VoteUni = 23, VoteBallot = 24,
  MatchAny = 25, MatchAll = 26,
  ReduxAdd = 27, ReduxMin = 28, ReduxMax = 29, ReduxUmin = 30, ReduxUmax = 31, ReduxAnd = 32, ReduxOr = 33,
  ReduxXor = 34,
  ActiveMask = 35,    ///< the lanes that stand at this very point; asked once no other lane of the warp can come
  LockStep = 36,      ///< the same without an answer: before accesses whose order within a warp programs rely on
  Yield = 49,         ///< other threads may run here (spin loops)
};

struct SegmentDescriptor {
  SegmentFunction run;
  PointKind point;  ///< what a thread waits for before this segment may run
};

/// A mutable device variable. The slot is a pointer that the loader sets before anything runs.
struct VariableDescriptor {
  const char* name;         ///< mangled, or made unique for internal ones
  void** slot;
  uint64_t size, alignment;
  const void* initial;      ///< size bytes, null for all zero; links to other variables are in `links`
  uint32_t constant;        ///< 1: __constant__
  uint32_t linkCount;
  const struct VariableLink* links;
};

/// At `offset` of the variable lies the address of another variable plus `addend`.
struct VariableLink {
  uint64_t offset;
  uint32_t target;  ///< index into the descriptor's variables
  uint32_t reserved;
  int64_t addend;
};

/// A function of the executor that compiled code calls through a pointer, by name ("vprintf", "assertfail", "trap", …).
struct ImportDescriptor {
  const char* name;
  void** slot;
};

struct ParameterDescriptor {
  uint32_t offset, size, alignment;
  uint32_t byValue;  ///< 1: a structure passed by value
};

/// Exported as `mneme_kernel`. An object without a kernel (variables only) has segmentCount 0.
struct KernelDescriptor {
  uint32_t abiVersion;
  uint32_t segmentCount;
  const SegmentDescriptor* segments;
  const char* name;          ///< mangled
  const char* model;         ///< how threads share a core, for people: "loop", "segments", "lockstep"
  uint64_t frameBytes;       ///< per thread
  uint64_t staticSharedBytes;
  uint32_t sharedAlignment;
  uint32_t usesExchange;     ///< any point at or above WarpSync or with a value
  uint32_t usesWarp;         ///< any warp-level point: threads advance warp by warp
  uint32_t maxThreads;       ///< launch bound, 0 if none
  uint32_t parameterCount;
  uint32_t variableCount;
  uint32_t importCount;
  uint32_t usesDynamicShared;
  const ParameterDescriptor* parameters;
  const VariableDescriptor* variables;
  const ImportDescriptor* imports;
  uint32_t kernelCount;            ///< of an object without a kernel: every entry of the module
  uint32_t callsPointers;          ///< 1: calls functions through pointers, and so may reach every variable
  const char* const* kernelNames;
};

}  // namespace mneme::host
