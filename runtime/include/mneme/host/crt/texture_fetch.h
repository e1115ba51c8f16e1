// SPDX-License-Identifier: Apache-2.0
/// Sampling of texture objects in software, as the programming guide's appendix on texture fetching defines it: filter weights
/// have 8 bits of fraction.
#pragma once

#include "../texture_types.h"

namespace mneme_texture {

#define MNEME_DEVICE static __device__ __forceinline__

template <class T>
struct Texel;
#define MNEME_TEXEL(type, component, count)   \
  template <>                                 \
  struct Texel<type> {                        \
    typedef component Component;              \
    static constexpr int kCount = count;      \
  };
#define MNEME_TEXELS(name, component) \
  MNEME_TEXEL(name##1, component, 1)  \
  MNEME_TEXEL(name##2, component, 2)  \
  MNEME_TEXEL(name##4, component, 4)
MNEME_TEXELS(char, signed char)
MNEME_TEXELS(uchar, unsigned char)
MNEME_TEXELS(short, short)
MNEME_TEXELS(ushort, unsigned short)
MNEME_TEXELS(int, int)
MNEME_TEXELS(uint, unsigned int)
MNEME_TEXELS(float, float)
MNEME_TEXEL(char, signed char, 1)
MNEME_TEXEL(signed char, signed char, 1)
MNEME_TEXEL(unsigned char, unsigned char, 1)
MNEME_TEXEL(short, short, 1)
MNEME_TEXEL(unsigned short, unsigned short, 1)
MNEME_TEXEL(int, int, 1)
MNEME_TEXEL(unsigned int, unsigned int, 1)
MNEME_TEXEL(float, float, 1)
#undef MNEME_TEXELS
#undef MNEME_TEXEL

MNEME_DEVICE const mnemeTexture& of(cudaTextureObject_t object) { return *reinterpret_cast<const mnemeTexture*>(object); }

/// A half's bits as a float.
MNEME_DEVICE float half(unsigned short bits) {
  _Float16 value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return static_cast<float>(value);
}

/// The channel as a whole number; what float formats hold is not asked for as one.
MNEME_DEVICE int raw(const mnemeTexture& t, const unsigned char* at) {
  const bool isSigned = t.kind == cudaChannelFormatKindSigned;
  if (t.bits == 8) return isSigned ? *reinterpret_cast<const signed char*>(at) : *at;
  if (t.bits == 16) return isSigned ? *reinterpret_cast<const short*>(at) : *reinterpret_cast<const unsigned short*>(at);
  return *reinterpret_cast<const int*>(at);
}

MNEME_DEVICE float real(const mnemeTexture& t, const unsigned char* at) {
  if (t.kind == cudaChannelFormatKindFloat) return t.bits == 16 ? half(*reinterpret_cast<const unsigned short*>(at)) : *reinterpret_cast<const float*>(at);
  const float value = raw(t, at);
  if (!t.normalizedFloat) return value;
  if (t.kind == cudaChannelFormatKindUnsigned) return value / (t.bits == 8 ? 255.0f : 65535.0f);
  return fmaxf(value / (t.bits == 8 ? 127.0f : 32767.0f), -1.0f);
}

/// Where a texel number leads; -1: to the border.
MNEME_DEVICE int inside(const mnemeTexture& t, int axis, int i) {
  const int n = t.extent[axis];
  if (i >= 0 && i < n) return i;
  // Both of these are for normalised coordinates; without them the runtime has made them clamp.
  if (t.address[axis] == cudaAddressModeWrap) return (i % n + n) % n;
  if (t.address[axis] == cudaAddressModeMirror) {
    const int m = (i % (2 * n) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
  }
  if (t.address[axis] == cudaAddressModeBorder) return -1;
  return i < 0 ? 0 : n - 1;
}

/// A texel, or null for the border.
MNEME_DEVICE const unsigned char* texel(const mnemeTexture& t, int x, int y, int z) {
  x = inside(t, 0, x), y = inside(t, 1, y), z = inside(t, 2, z);
  if (x < 0 || y < 0 || z < 0) return nullptr;
  return t.data + z * t.slice + y * t.pitch + static_cast<unsigned long long>(x) * (t.channels * t.bits / 8);
}

MNEME_DEVICE float channel(const mnemeTexture& t, const unsigned char* at, int c) {
  return at ? real(t, at + c * (t.bits / 8)) : t.border[c];
}

/// Coordinates in texels.
MNEME_DEVICE float scaled(const mnemeTexture& t, int axis, float at) { return t.normalizedCoords ? at * t.extent[axis] : at; }

/// A coordinate as the lower texel and the weight of the upper one.
struct Place {
  int low;
  float weight;
};
MNEME_DEVICE Place place(const mnemeTexture& t, int axis, float at, bool used) {
  if (!used) return {0, 0};
  at = scaled(t, axis, at);
  if (!t.linear) return {static_cast<int>(floorf(at)), 0};
  const float low = floorf(at - 0.5f);
  return {static_cast<int>(low), floorf((at - 0.5f - low) * 256 + 0.5f) / 256};
}

template <class T>
MNEME_DEVICE T nearest(const mnemeTexture& t, const unsigned char* at) {
  typedef typename Texel<T>::Component Component;
  T result = {};
  Component* out = reinterpret_cast<Component*>(&result);
  for (int c = 0; c < Texel<T>::kCount; ++c) {
    if (static_cast<Component>(0.5f) != 0) out[c] = c < t.channels ? channel(t, at, c) : c == 3;
    else out[c] = c >= t.channels ? c == 3 : at ? raw(t, at + c * (t.bits / 8)) : static_cast<int>(t.border[c]);
  }
  return result;
}

/// Reads the eight texels around, with their weights; those of dimensions that the fetch does not have weigh nothing.
template <class T>
MNEME_DEVICE T filtered(const mnemeTexture& t, Place x, Place y, Place z) {
  typedef typename Texel<T>::Component Component;
  T result = {};
  Component* out = reinterpret_cast<Component*>(&result);
  for (int c = 0; c < Texel<T>::kCount; ++c) {
    float sum = c < t.channels ? 0 : c == 3;
    for (int corner = 0; corner < 8 && c < t.channels; ++corner) {
      const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
      const float weight = (dx ? x.weight : 1 - x.weight) * (dy ? y.weight : 1 - y.weight) * (dz ? z.weight : 1 - z.weight);
      if (weight != 0) sum += weight * channel(t, texel(t, x.low + dx, y.low + dy, z.low + dz), c);
    }
    out[c] = static_cast<Component>(sum);
  }
  return result;
}

template <class T>
MNEME_DEVICE T sample(cudaTextureObject_t object, int dimensions, float x, float y, float z) {
  const mnemeTexture& t = of(object);
  const Place px = place(t, 0, x, true), py = place(t, 1, y, dimensions > 1), pz = place(t, 2, z, dimensions > 2);
  if (t.linear) return filtered<T>(t, px, py, pz);
  return nearest<T>(t, texel(t, px.low, py.low, pz.low));
}

}  // namespace mneme_texture

/// Outside of the memory there are zeros.
template <class T>
MNEME_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
  const mnemeTexture& t = mneme_texture::of(object);
  if (x < 0 || x >= t.extent[0]) return T{};
  return mneme_texture::nearest<T>(t, t.data + static_cast<unsigned long long>(x) * (t.channels * t.bits / 8));
}
template <class T>
MNEME_DEVICE T tex1D(cudaTextureObject_t object, float x) { return mneme_texture::sample<T>(object, 1, x, 0, 0); }
template <class T>
MNEME_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) { return mneme_texture::sample<T>(object, 2, x, y, 0); }
template <class T>
MNEME_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z) { return mneme_texture::sample<T>(object, 3, x, y, z); }
// Without mipmaps every level is the only one.
template <class T>
MNEME_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
template <class T>
MNEME_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float) { return tex2D<T>(object, x, y); }
template <class T>
MNEME_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) { return tex3D<T>(object, x, y, z); }
template <class T>
MNEME_DEVICE void tex1Dfetch(T* result, cudaTextureObject_t object, int x) { *result = tex1Dfetch<T>(object, x); }
template <class T>
MNEME_DEVICE void tex1D(T* result, cudaTextureObject_t object, float x) { *result = tex1D<T>(object, x); }
template <class T>
MNEME_DEVICE void tex2D(T* result, cudaTextureObject_t object, float x, float y) { *result = tex2D<T>(object, x, y); }
template <class T>
MNEME_DEVICE void tex3D(T* result, cudaTextureObject_t object, float x, float y, float z) { *result = tex3D<T>(object, x, y, z); }

#undef MNEME_DEVICE
