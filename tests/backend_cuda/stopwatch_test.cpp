// SPDX-License-Identifier: Apache-2.0
/// The driver here keeps what is put on the stream and lets the callback run on a thread of its own, as the real one does.
#include "backend/cuda/stopwatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace mneme::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Stream {
  std::vector<std::string> queued;
  std::thread callback;
  CUresult recordResult = CUDA_SUCCESS;
};
Stream* stream = nullptr;

Api driver() {
  Api api;
  api.cuGetErrorName = [](CUresult, const char** text) { *text = "FAKE_ERROR"; return CUDA_SUCCESS; };
  api.cuGetErrorString = [](CUresult, const char** text) { *text = "fake error"; return CUDA_SUCCESS; };
  api.cuEventCreate = [](CUevent* event, unsigned) { *event = reinterpret_cast<CUevent>(1); return CUDA_SUCCESS; };
  api.cuEventDestroy = [](CUevent) { return CUDA_SUCCESS; };
  api.cuEventRecord = [](CUevent, CUstream) { stream->queued.push_back("event"); return stream->recordResult; };
  api.cuEventElapsedTime = [](float* milliseconds, CUevent, CUevent) { *milliseconds = 0.25f; return CUDA_SUCCESS; };
  api.cuLaunchHostFunc = [](CUstream, CUhostFn function, void* data) {
    stream->queued.push_back("hold");
    stream->callback = std::thread(function, data);
    return CUDA_SUCCESS;
  };
  return api;
}

class StopwatchTest : public testing::Test {
 protected:
  StopwatchTest() { stream = &stream_; }
  void waitForCallback() {
    if (stream_.callback.joinable()) stream_.callback.join();
  }
  Stream stream_;
  const Api api_ = driver();
  Stopwatch watch_{api_, nullptr};
};

TEST_F(StopwatchTest, HoldsTheStreamBeforeTheFirstWorkOnly) {
  watch_.arm();
  ASSERT_TRUE(watch_.start());
  ASSERT_TRUE(watch_.start());
  ASSERT_TRUE(watch_.stop());
  waitForCallback();
  EXPECT_THAT(stream_.queued, ElementsAre("hold", "event", "event"));
  EXPECT_EQ(*watch_.nanoseconds(), 250000u);
}

TEST_F(StopwatchTest, DoesNothingUnlessArmed) {
  ASSERT_TRUE(watch_.start());
  EXPECT_THAT(stream_.queued, IsEmpty());
}

TEST_F(StopwatchTest, NoWorkTakesNoTime) {
  watch_.arm();
  ASSERT_TRUE(watch_.stop());
  EXPECT_EQ(*watch_.nanoseconds(), 0u);
  EXPECT_THAT(stream_.queued, IsEmpty());
}

TEST_F(StopwatchTest, LetsTheStreamGoWhenWorkFails) {
  watch_.arm();
  ASSERT_TRUE(watch_.start());
  const auto begin = std::chrono::steady_clock::now();
  watch_.abandon();
  waitForCallback();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

/// Work that itself waits for the stream would otherwise wait for ever.
TEST_F(StopwatchTest, HoldsForAMomentOnly) {
  watch_.arm();
  ASSERT_TRUE(watch_.start());
  waitForCallback();
  ASSERT_TRUE(watch_.stop());
}

TEST_F(StopwatchTest, SaysWhatTheDriverRefused) {
  stream_.recordResult = CUDA_ERROR_INVALID_HANDLE;
  watch_.arm();
  EXPECT_FALSE(watch_.start());
  watch_.abandon();
  waitForCallback();
}

}  // namespace
}  // namespace mneme::cuda
