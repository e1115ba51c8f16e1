// SPDX-License-Identifier: Apache-2.0
/// What programs of the runtime API take from the driver API's header: its types and version. None of its functions is
/// here: a program that calls one does not compile.
#pragma once

#include "driver_types.h"

#ifndef CUDA_VERSION
#define CUDA_VERSION 12050
#endif

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
