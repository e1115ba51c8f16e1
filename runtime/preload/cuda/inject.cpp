// SPDX-License-Identifier: Apache-2.0
/// Where the CUDA driver enters the recorder: it loads the library that CUDA_INJECTION64_PATH names and calls
/// InitializeInjection, once, inside cuInit.
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "backend/cuda/api.h"
#include "base/log.h"
#include "preload/cuda/callbacks.h"

namespace mneme::preload {
namespace {

Interceptor* interceptor = nullptr;

/// One recorder a process, whichever way it came in: the first one leaves the process's number.
bool isFirst() {
  const std::string self = std::to_string(getpid());
  const char* owner = std::getenv("MNEME_RECORDER_PROCESS");
  if (owner && self == owner) return false;
  setenv("MNEME_RECORDER_PROCESS", self.c_str(), 1);
  return true;
}

void atExit() {
  if (!interceptor || interceptor->off()) return;
  interceptor->drain();
  interceptor->stop();
}

void inChild() {
  if (interceptor) interceptor->abandonInChild();
}

Expected<void> begin() {
  if (!cuda::api()) return cuda::api().error();
  const cuda::Api& driver = **cuda::api();
  int version = 0;
  driver.cuDriverGetVersion(&version);
  auto cupti = Cupti::load(version);
  if (!cupti) return std::move(cupti).error();
  auto* made = new Interceptor(driver);  // outlives every thread of the program
  if (auto subscribed = cupti->subscribe(onCallback, made); !subscribed) return subscribed;
  if (!made->start()) {
    made->stop();
    return {};
  }
  interceptor = made;
  enableCallbacks(*cupti);
  std::atexit(atExit);
  pthread_atfork(nullptr, nullptr, inChild);
  return {};
}

}  // namespace
}  // namespace mneme::preload

extern "C" __attribute__((visibility("default"))) int InitializeInjection() noexcept {
  using namespace mneme;
  const char* set = std::getenv("MNEME_RECORD");
  if (!set || !*set || !preload::isFirst()) return 1;
  if (auto begun = preload::begin(); !begun) log(LogLevel::Warn, "not recording CUDA: " + begun.error().message());
  return 1;
}
