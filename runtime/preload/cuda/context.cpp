// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/context.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "preload/cuda/own_work.h"

namespace mneme::preload {

Expected<std::unique_ptr<Reader>> Reader::make(const cuda::Api& api) {
  std::unique_ptr<Reader> reader(new Reader(api));
  void* memory = nullptr;
  if (auto ok = api.check(api.cuMemHostAlloc(&memory, kWindowBytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc"); !ok)
    return std::move(ok).error();
  reader->window_ = static_cast<std::byte*>(memory);
  if (auto ok = api.check(api.cuStreamCreate(&reader->stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"); !ok)
    return std::move(ok).error();
  return reader;
}

Reader::~Reader() {
  if (stream_) api_.cuStreamDestroy(stream_);
  if (window_) api_.cuMemFreeHost(window_);
}

bool Reader::holds(uint64_t block, uint64_t address, uint64_t size) const {
  return block != 0 && block == windowBlock_ && address >= windowAddress_ && address - windowAddress_ <= windowSize_ &&
         windowSize_ - (address - windowAddress_) >= size;
}

Expected<void> Reader::read(uint64_t block, uint64_t address, std::span<std::byte> bytes, uint64_t readable) {
  if (block == 0) readable = bytes.size();
  while (!bytes.empty()) {
    const uint64_t wanted = std::min<uint64_t>(bytes.size(), kWindowBytes);
    if (!holds(block, address, wanted)) {
      windowSize_ = 0;
      const uint64_t size = std::min(kWindowBytes, std::max(readable, wanted));
      if (auto ok = api_.check(api_.cuMemcpyDtoHAsync(window_, address, size, stream_), "cuMemcpyDtoHAsync"); !ok)
        return ok;
      if (auto ok = api_.check(api_.cuStreamSynchronize(stream_), "reading device memory"); !ok) return ok;
      windowBlock_ = block;
      windowAddress_ = address;
      windowSize_ = size;
    }
    std::memcpy(bytes.data(), window_ + (address - windowAddress_), wanted);
    bytes = bytes.subspan(wanted);
    address += wanted;
    readable -= std::min(readable, wanted);
  }
  return {};
}

Expected<std::shared_ptr<Context>> Context::make(const cuda::Api& api, CUcontext handle) {
  std::shared_ptr<Context> context(new Context(api, handle));
  if (auto ok = api.check(api.cuCtxGetDevice(&context->device_), "cuCtxGetDevice"); !ok) return std::move(ok).error();
  if (auto ok = api.check(api.cuStreamCreate(&context->stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"); !ok)
    return std::move(ok).error();
  if (auto ok = api.check(api.cuEventCreate(&context->event_, CU_EVENT_DISABLE_TIMING), "cuEventCreate"); !ok)
    return std::move(ok).error();
  if (auto ok = context->loadKernels(); !ok) return std::move(ok).error().context("the recorder's own kernels");
  auto first = Reader::make(api);
  if (!first) return std::move(first).error();
  context->readers_.push_back(std::move(*first));
  if (auto memory = context->pinned(1 << 20); !memory) return std::move(memory).error();
  return context;
}

Expected<void> Context::loadKernels() {
  LoadingOwnModule own;
  if (auto ok = api_.check(api_.cuModuleLoadDataEx(&module_, kSnapshotKernels, 0, nullptr, nullptr), "loading"); !ok)
    return ok;
  const auto find = [this](CUfunction& function, const char* name) {
    CUresult found = api_.cuModuleGetFunction(&function, module_, name);
    if (found == CUDA_SUCCESS && api_.cuFuncLoad) found = api_.cuFuncLoad(function);
    return api_.check(found, name);
  };
  if (auto ok = find(compare_, "mneme_compare"); !ok) return ok;
  if (auto ok = find(gather_, "mneme_gather"); !ok) return ok;
  if (auto ok = find(hold_, "mneme_hold"); !ok) return ok;
  return find(reach_, "mneme_reach");
}

Context::~Context() {
  close();
  for (auto& reader : readers_) static_cast<void>(reader.release());  // freed with the context
}

void Context::close() {
  if (ended_.exchange(true)) return;
  OwnWork own(api_, context_);
  {
    std::lock_guard lock(readersMutex_);
    readers_.clear();
  }
  if (pinned_) api_.cuMemFreeHost(pinned_);
  for (CUmodule module : {module_, heapModule_})
    if (module) api_.cuModuleUnload(module);
  clock_.close();
  if (event_) api_.cuEventDestroy(event_);
  if (stream_) api_.cuStreamDestroy(stream_);
}

Expected<void> Context::waitFor(CUstream stream, Clock::time_point deadline) {
  if (auto ok = api_.check(api_.cuEventRecord(event_, stream), "cuEventRecord"); !ok) return ok;
  for (unsigned polls = 0;; ++polls) {
    const CUresult state = api_.cuEventQuery(event_);
    if (state != CUDA_ERROR_NOT_READY) return api_.check(state, "work before this launch");
    if (Clock::now() > deadline)
      return Error(ErrorCode::Unavailable, "the GPU did not get to it within MNEME_RECORD_DEADLINE_MS");
    if (polls > 100) std::this_thread::sleep_for(std::chrono::microseconds(polls > 1000 ? 200 : 10));
  }
}

Expected<std::byte*> Context::pinned(uint64_t size) {
  if (size <= pinnedSize_) return pinned_;
  if (pinned_) api_.cuMemFreeHost(pinned_);
  pinned_ = nullptr;
  pinnedSize_ = 0;
  void* memory = nullptr;
  const uint64_t rounded = std::max<uint64_t>(size, 1 << 20);
  if (auto ok = api_.check(api_.cuMemHostAlloc(&memory, rounded, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc"); !ok)
    return std::move(ok).error();
  pinned_ = static_cast<std::byte*>(memory);
  pinnedSize_ = rounded;
  return pinned_;
}

Context::BorrowedReader::~BorrowedReader() {
  if (!reader_) return;
  std::lock_guard lock(owner_.readersMutex_);
  owner_.readers_.push_back(std::move(reader_));
}

Expected<Context::BorrowedReader> Context::reader(uint64_t block, uint64_t address, uint64_t size) {
  {
    std::lock_guard lock(readersMutex_);
    if (!readers_.empty()) {
      auto best = std::ranges::find_if(readers_, [&](const auto& reader) { return reader->holds(block, address, size); });
      if (best == readers_.end()) best = readers_.end() - 1;
      std::unique_ptr<Reader> taken = std::move(*best);
      readers_.erase(best);
      return BorrowedReader(*this, std::move(taken));
    }
  }
  auto made = Reader::make(api_);
  if (!made) return std::move(made).error();
  return BorrowedReader(*this, std::move(*made));
}

}  // namespace mneme::preload
