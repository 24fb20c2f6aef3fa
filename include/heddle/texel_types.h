// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that texture functions return, and how they come of the device library's words.
#ifndef HEDDLE_TEXEL_TYPES_H
#define HEDDLE_TEXEL_TYPES_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "../texture_types.h"
#include "../vector_types.h"

struct __heddle_words {
  unsigned x, y, z, w;
};

template <class Scalar> __device__ __forceinline__ Scalar __heddle_channel(unsigned word) {
  return (Scalar)word;
}
template <> __device__ __forceinline__ float __heddle_channel<float>(unsigned word) {
  return __builtin_bit_cast(float, word);
}

/// `wanted`: the number of channels, their bytes, and whether they are floats, as
/// src/devlib/textures/texture_sample.h reads it.
template <class T> struct __heddle_texel {
  static_assert(sizeof(T) == 0,
                "a texture function returns char, short, int or float, their unsigned "
                "forms, or vectors of 1, 2 or 4 of them");
};

/// What a texture<T, dim, mode> is read as.
template <class T, cudaTextureReadMode mode> struct __heddle_read;

#define HEDDLE_TEXEL(T, scalar, n, real, four, ...)                                                \
  template <> struct __heddle_texel<T> {                                                           \
    static constexpr unsigned wanted =                                                             \
        n | sizeof(scalar) << 4 | ((scalar)0.5f != 0 ? 1u : 0u) << 8;                              \
    static __device__ __forceinline__ T of(__heddle_words v) {                                     \
      T texel;                                                                                     \
      __VA_ARGS__                                                                                  \
      return texel;                                                                                \
    }                                                                                              \
  };                                                                                               \
  template <> struct __heddle_read<T, cudaReadModeElementType> {                                   \
    typedef T type;                                                                                \
    typedef four gathered;                                                                         \
  };                                                                                               \
  template <> struct __heddle_read<T, cudaReadModeNormalizedFloat> {                               \
    typedef real type;                                                                             \
    typedef float4 gathered;                                                                       \
  };
#define HEDDLE_TEXELS(scalar, vector)                                                              \
  HEDDLE_TEXEL(scalar, scalar, 1, float, vector##4, texel = __heddle_channel<scalar>(v.x);)        \
  HEDDLE_TEXEL(vector##1, scalar, 1, float1, vector##4, texel.x = __heddle_channel<scalar>(v.x);)  \
  HEDDLE_TEXEL(vector##2, scalar, 2, float2, vector##4, texel.x = __heddle_channel<scalar>(v.x);   \
               texel.y = __heddle_channel<scalar>(v.y);)                                           \
  HEDDLE_TEXEL(vector##4, scalar, 4, float4, vector##4, texel.x = __heddle_channel<scalar>(v.x);   \
               texel.y = __heddle_channel<scalar>(v.y); texel.z = __heddle_channel<scalar>(v.z);   \
               texel.w = __heddle_channel<scalar>(v.w);)
HEDDLE_TEXEL(char, char, 1, float, char4, texel = __heddle_channel<char>(v.x);)
HEDDLE_TEXELS(signed char, char)
HEDDLE_TEXELS(unsigned char, uchar)
HEDDLE_TEXELS(short, short)
HEDDLE_TEXELS(unsigned short, ushort)
HEDDLE_TEXELS(int, int)
HEDDLE_TEXELS(unsigned int, uint)
HEDDLE_TEXELS(float, float)
#undef HEDDLE_TEXEL
#undef HEDDLE_TEXELS
#endif
#endif
