// SPDX-License-Identifier: Apache-2.0
/// Tells the runtime, before a program registers its device code, which of its variables both sides share: those of the
/// section mneme_managed, whose ends the linker knows.
#pragma once

#ifndef __CUDA_ARCH__
extern "C" {
extern char __start_mneme_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_mneme_managed[] __attribute__((weak, visibility("hidden")));
void __cudaRegisterMnemeManaged(const char* start, const char* stop);
}
static __attribute__((constructor(200))) void mnemeRegisterManaged() {
  if (__start_mneme_managed) __cudaRegisterMnemeManaged(__start_mneme_managed, __stop_mneme_managed);
}
#endif
