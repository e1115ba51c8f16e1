/* SPDX-License-Identifier: Apache-2.0 */
/** Makes headers take this compiler for nvcc: a second try for sources that ask for its macros. Behind clang's own
 *  wrapper, which defines __CUDACC__ empty. */
#ifndef MNEME_NVCC_AS_NVCC_H
#define MNEME_NVCC_AS_NVCC_H

#include <cuda.h>

#undef __CUDACC__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ (CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0

#endif
