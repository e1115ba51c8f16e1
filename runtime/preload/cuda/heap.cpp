// SPDX-License-Identifier: Apache-2.0
/// The device heap lies outside of everything that the driver's memory calls know, in one piece that never grows: one
/// address in it and its size bound it.
#include <array>
#include <cstring>

#include "preload/cuda/context.h"
#include "preload/cuda/own_work.h"

namespace mneme::preload {
namespace {

constexpr char kAskHeap[] = R"ptx(.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b64 result) malloc (.param .b64 size);
.extern .func free (.param .b64 memory);
.visible .entry mneme_ask_heap(.param .u64 answer)
{
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [answer];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u64 %rd2, 16;
  {
    .param .b64 size;
    .param .b64 result;
    st.param.b64 [size], %rd2;
    call.uni (result), malloc, (size);
    ld.param.b64 %rd3, [result];
  }
  st.global.u64 [%rd1], %rd3;
  {
    .param .b64 memory;
    st.param.b64 [memory], %rd3;
    call.uni free, (memory);
  }
  ret;
}
)ptx";

constexpr uint64_t kMargin = uint64_t{2} << 20;  // the heap's bookkeeping

}  // namespace

/// Answers through pinned memory, which the device writes by the host's own address.
Expected<uint64_t> Context::askHeap(Clock::time_point deadline) {
  LoadingOwnModule own;
  CUfunction ask = nullptr;
  if (!heapModule_)
    if (auto ok = api_.check(api_.cuModuleLoadDataEx(&heapModule_, kAskHeap, 0, nullptr, nullptr), "loading"); !ok)
      return std::move(ok).error();
  if (auto ok = api_.check(api_.cuModuleGetFunction(&ask, heapModule_, "mneme_ask_heap"), "finding"); !ok)
    return std::move(ok).error();
  auto answer = pinned(sizeof(uint64_t));
  if (!answer) return std::move(answer).error();
  std::memset(*answer, 0, sizeof(uint64_t));
  auto where = reinterpret_cast<CUdeviceptr>(*answer);
  std::array<void*, 1> parameters{&where};
  if (auto ok = api_.check(api_.cuLaunchKernel(ask, 1, 1, 1, 1, 1, 1, 0, stream_, parameters.data(), nullptr), "asking");
      !ok)
    return std::move(ok).error();
  if (auto ok = waitFor(stream_, deadline); !ok) return std::move(ok).error();
  uint64_t address = 0;
  std::memcpy(&address, *answer, sizeof address);
  if (address == 0) return Error(ErrorCode::Device, "it is full");
  return address;
}

Expected<std::optional<MemoryRange>> Context::heap(Clock::time_point deadline) {
  if (heap_ || !usesHeap_.load(std::memory_order_relaxed)) return heap_;
  size_t size = 0;
  if (auto ok = api_.check(api_.cuCtxGetLimit(&size, CU_LIMIT_MALLOC_HEAP_SIZE), "cuCtxGetLimit"); !ok)
    return std::move(ok).error();
  auto inside = askHeap(deadline);
  if (!inside) return std::move(inside).error();
  const uint64_t reach = size + kMargin, begin = *inside > reach ? *inside - reach : 0;
  heap_ = MemoryRange{begin, *inside + reach - begin, MemoryKind::Device, "the device heap (malloc in device code)"};
  return heap_;
}

}  // namespace mneme::preload
