// SPDX-License-Identifier: Apache-2.0
/// Uses everything that glibc_compat.c stands in for, from inside a library that is linked as injected ones are.
#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int catchesItsOwnException(int value) {
  try {
    if (value > 0) throw std::runtime_error(std::to_string(value));
  } catch (const std::exception& error) {
    return std::stoi(error.what());
  }
  return -1;
}

EXPORTED int waitsNoLongerThanAsked() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  const bool woken = never.wait_for(lock, std::chrono::milliseconds(50), [] { return false; });
  const auto waited = std::chrono::steady_clock::now() - begin;
  return !woken && waited >= std::chrono::milliseconds(45) && waited < std::chrono::seconds(20);
}

EXPORTED int runsThreads() {
  int value = 0;
  std::thread([&] {
    thread_local std::string own = "thread";
    value = static_cast<int>(own.size());
  }).join();
  return value;
}

EXPORTED long sizeOfFile(const char* path) { return static_cast<long>(std::filesystem::file_size(path)); }

EXPORTED unsigned randomNumber() { return std::random_device{}(); }
