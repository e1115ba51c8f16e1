// SPDX-License-Identifier: Apache-2.0
/// What the profiling interface itself costs a launch: an injected library whose callbacks return at once. bench.sh compares.
/// EMPTY_CALLBACKS=runtime: it also listens to two calls of the runtime interface, as the recorder does.
#include <cupti.h>
#include <stdlib.h>

static void CUPTIAPI nothing(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data) {
  (void)user, (void)domain, (void)id, (void)data;
}

__attribute__((visibility("default"))) int InitializeInjection(void) {
  CUpti_SubscriberHandle subscriber;
  if (cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)nothing, 0) != CUPTI_SUCCESS) exit(3);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
  if (getenv("EMPTY_CALLBACKS")) {
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaThreadExit_v3020);
  }
  return 1;
}
