// SPDX-License-Identifier: Apache-2.0
/// Stands in for libcupti: answers cuptiSubscribe as MNEME_TEST_CUPTI_RESULT says.
#include <stdint.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int cuptiSubscribe(void** subscriber, void* callback, void* user) {
  (void)callback, (void)user;
  *subscriber = subscriber;
  const char* result = getenv("MNEME_TEST_CUPTI_RESULT");
  return result ? atoi(result) : 0;
}

__attribute__((visibility("default"))) int cuptiEnableCallback(uint32_t on, void* subscriber, int domain, uint32_t id) {
  (void)on, (void)subscriber, (void)domain;
  return id == 7 ? 1 : 0;
}

__attribute__((visibility("default"))) int cuptiGetResultString(int result, const char** text) {
  *text = result == 15 ? "CUPTI_ERROR_NOT_INITIALIZED" : "another";
  return 0;
}
