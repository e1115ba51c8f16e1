// SPDX-License-Identifier: Apache-2.0
/// The format of an array by the type of its texels: cudaCreateChannelDesc<float4>().
#pragma once

#include "../cuda_runtime_api.h"

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ::cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define MNEME_FORMAT(type, bits, count, kind)                                                                            \
  template <>                                                                                                            \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                                           \
    return ::cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind);        \
  }
#define MNEME_FORMATS(name, scalar, bits, kind) \
  MNEME_FORMAT(scalar, bits, 1, kind)           \
  MNEME_FORMAT(name##1, bits, 1, kind)          \
  MNEME_FORMAT(name##2, bits, 2, kind)          \
  MNEME_FORMAT(name##4, bits, 4, kind)
MNEME_FORMATS(char, signed char, 8, cudaChannelFormatKindSigned)
MNEME_FORMATS(uchar, unsigned char, 8, cudaChannelFormatKindUnsigned)
MNEME_FORMATS(short, short, 16, cudaChannelFormatKindSigned)
MNEME_FORMATS(ushort, unsigned short, 16, cudaChannelFormatKindUnsigned)
MNEME_FORMATS(int, int, 32, cudaChannelFormatKindSigned)
MNEME_FORMATS(uint, unsigned int, 32, cudaChannelFormatKindUnsigned)
MNEME_FORMATS(float, float, 32, cudaChannelFormatKindFloat)
MNEME_FORMAT(char, 8, 1, cudaChannelFormatKindSigned)
#undef MNEME_FORMATS
#undef MNEME_FORMAT
