// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texture functions: of texture objects (with the result returned, or written through a pointer
// in front of the object) and of texture references. CUDA C++ Programming Guide, "Texture
// Functions". The device library does the work (src/devlib/textures/texture.cpp): it gives four
// words, of which the type that was asked for takes what it needs.
#ifndef HEDDLE_TEXTURE_FUNCTIONS_H
#define HEDDLE_TEXTURE_FUNCTIONS_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "texel_types.h"
#include "texture_reference.h"

extern "C" {
__device__ __attribute__((pure)) __heddle_words __heddle_texture_fetch(unsigned long long object,
                                                                       unsigned wanted, int x);
__device__ __attribute__((pure)) __heddle_words __heddle_texture(unsigned long long object,
                                                                 unsigned wanted, unsigned shape,
                                                                 float x, float y, float z,
                                                                 int layer);
__device__ __attribute__((pure)) __heddle_words __heddle_texture_level(unsigned long long object,
                                                                       unsigned wanted,
                                                                       unsigned shape, float x,
                                                                       float y, float z, int layer,
                                                                       float level);
__device__ __attribute__((pure)) float __heddle_texture_level_of(unsigned long long object,
                                                                 unsigned dimensions, float xx,
                                                                 float xy, float xz, float yx,
                                                                 float yy, float yz);
__device__ __attribute__((pure)) float __heddle_texture_cube_level_of(unsigned long long object,
                                                                      float x, float y, float z,
                                                                      float xx, float xy, float xz,
                                                                      float yx, float yy, float yz);
__device__ __attribute__((pure)) __heddle_words __heddle_texture_gather(unsigned long long object,
                                                                        float x, float y,
                                                                        int component);
}

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
#define HEDDLE_LIST(...) __VA_ARGS__

// The last arguments are the words of the sample, as an expression of `object`, `wanted` and the
// parameters.
#define HEDDLE_TEXTURE(name, kind, parameters, arguments, ...)                                     \
  template <class T> HEDDLE_D T name(cudaTextureObject_t object, HEDDLE_LIST parameters) {         \
    constexpr unsigned wanted = __heddle_texel<T>::wanted;                                         \
    return __heddle_texel<T>::of(__VA_ARGS__);                                                     \
  }                                                                                                \
  template <class T>                                                                               \
  HEDDLE_D void name(T *result, cudaTextureObject_t object, HEDDLE_LIST parameters) {              \
    *result = name<T>(object, HEDDLE_LIST arguments);                                              \
  }                                                                                                \
  template <class T, cudaTextureReadMode mode>                                                     \
  HEDDLE_D typename __heddle_read<T, mode>::type name(texture<T, cudaTextureType##kind, mode> t,   \
                                                      HEDDLE_LIST parameters) {                    \
    return name<typename __heddle_read<T, mode>::type>(__heddle_object_of(t),                      \
                                                       HEDDLE_LIST arguments);                     \
  }

// Forms that also say whether the texels of a sparse array are there.
#define HEDDLE_SPARSE(name, parameters)                                                            \
  template <class T>                                                                               \
  __device__ __attribute__((                                                                       \
      unavailable("sparse textures are not in this version of Heddle; docs/api_support.md lists "  \
                  "what there is"))) T                                                             \
  name(cudaTextureObject_t object, HEDDLE_LIST parameters, bool *isResident);

// Shapes: the number of coordinates; 4: there is a layer; 8: they are a direction.
#define HEDDLE_SAMPLE(shape, ...) __heddle_texture(object, wanted, shape, __VA_ARGS__)
#define HEDDLE_LEVEL(shape, ...) __heddle_texture_level(object, wanted, shape, __VA_ARGS__)

HEDDLE_TEXTURE(tex1Dfetch, 1D, (int x), (x), __heddle_texture_fetch(object, wanted, x))

HEDDLE_TEXTURE(tex1D, 1D, (float x), (x), HEDDLE_SAMPLE(1, x, 0, 0, 0))
HEDDLE_TEXTURE(tex2D, 2D, (float x, float y), (x, y), HEDDLE_SAMPLE(2, x, y, 0, 0))
HEDDLE_TEXTURE(tex3D, 3D, (float x, float y, float z), (x, y, z), HEDDLE_SAMPLE(3, x, y, z, 0))
HEDDLE_TEXTURE(tex1DLayered, 1DLayered, (float x, int layer), (x, layer),
               HEDDLE_SAMPLE(5, x, 0, 0, layer))
HEDDLE_TEXTURE(tex2DLayered, 2DLayered, (float x, float y, int layer), (x, y, layer),
               HEDDLE_SAMPLE(6, x, y, 0, layer))
HEDDLE_TEXTURE(texCubemap, Cubemap, (float x, float y, float z), (x, y, z),
               HEDDLE_SAMPLE(11, x, y, z, 0))
HEDDLE_TEXTURE(texCubemapLayered, CubemapLayered, (float x, float y, float z, int layer),
               (x, y, z, layer), HEDDLE_SAMPLE(15, x, y, z, layer))

HEDDLE_TEXTURE(tex1DLod, 1D, (float x, float level), (x, level), HEDDLE_LEVEL(1, x, 0, 0, 0, level))
HEDDLE_TEXTURE(tex2DLod, 2D, (float x, float y, float level), (x, y, level),
               HEDDLE_LEVEL(2, x, y, 0, 0, level))
HEDDLE_TEXTURE(tex3DLod, 3D, (float x, float y, float z, float level), (x, y, z, level),
               HEDDLE_LEVEL(3, x, y, z, 0, level))
HEDDLE_TEXTURE(tex1DLayeredLod, 1DLayered, (float x, int layer, float level), (x, layer, level),
               HEDDLE_LEVEL(5, x, 0, 0, layer, level))
HEDDLE_TEXTURE(tex2DLayeredLod, 2DLayered, (float x, float y, int layer, float level),
               (x, y, layer, level), HEDDLE_LEVEL(6, x, y, 0, layer, level))
HEDDLE_TEXTURE(texCubemapLod, Cubemap, (float x, float y, float z, float level), (x, y, z, level),
               HEDDLE_LEVEL(11, x, y, z, 0, level))
HEDDLE_TEXTURE(texCubemapLayeredLod, CubemapLayered,
               (float x, float y, float z, int layer, float level), (x, y, z, layer, level),
               HEDDLE_LEVEL(15, x, y, z, layer, level))

#define HEDDLE_STEPS1 __heddle_texture_level_of(object, 1, dx, 0, 0, dy, 0, 0)
#define HEDDLE_STEPS2 __heddle_texture_level_of(object, 2, dx.x, dx.y, 0, dy.x, dy.y, 0)
#define HEDDLE_STEPS3 __heddle_texture_level_of(object, 3, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z)
#define HEDDLE_STEPS_CUBE                                                                          \
  __heddle_texture_cube_level_of(object, x, y, z, dx.x, dx.y, dx.z, dy.x, dy.y, dy.z)
HEDDLE_TEXTURE(tex1DGrad, 1D, (float x, float dx, float dy), (x, dx, dy),
               HEDDLE_LEVEL(1, x, 0, 0, 0, HEDDLE_STEPS1))
HEDDLE_TEXTURE(tex2DGrad, 2D, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy),
               HEDDLE_LEVEL(2, x, y, 0, 0, HEDDLE_STEPS2))
HEDDLE_TEXTURE(tex3DGrad, 3D, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy),
               HEDDLE_LEVEL(3, x, y, z, 0, HEDDLE_STEPS3))
HEDDLE_TEXTURE(tex1DLayeredGrad, 1DLayered, (float x, int layer, float dx, float dy),
               (x, layer, dx, dy), HEDDLE_LEVEL(5, x, 0, 0, layer, HEDDLE_STEPS1))
HEDDLE_TEXTURE(tex2DLayeredGrad, 2DLayered, (float x, float y, int layer, float2 dx, float2 dy),
               (x, y, layer, dx, dy), HEDDLE_LEVEL(6, x, y, 0, layer, HEDDLE_STEPS2))
HEDDLE_TEXTURE(texCubemapGrad, Cubemap, (float x, float y, float z, float4 dx, float4 dy),
               (x, y, z, dx, dy), HEDDLE_LEVEL(11, x, y, z, 0, HEDDLE_STEPS_CUBE))
HEDDLE_TEXTURE(texCubemapLayeredGrad, CubemapLayered,
               (float x, float y, float z, int layer, float4 dx, float4 dy),
               (x, y, z, layer, dx, dy), HEDDLE_LEVEL(15, x, y, z, layer, HEDDLE_STEPS_CUBE))

HEDDLE_SPARSE(tex2D, (float x, float y))
HEDDLE_SPARSE(tex3D, (float x, float y, float z))
HEDDLE_SPARSE(tex2DLayered, (float x, float y, int layer))
HEDDLE_SPARSE(tex2DLod, (float x, float y, float level))
HEDDLE_SPARSE(tex3DLod, (float x, float y, float z, float level))
HEDDLE_SPARSE(tex2DLayeredLod, (float x, float y, int layer, float level))
HEDDLE_SPARSE(tex2DGrad, (float x, float y, float2 dx, float2 dy))
HEDDLE_SPARSE(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy))
HEDDLE_SPARSE(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy))
HEDDLE_SPARSE(tex2Dgather, (float x, float y))
template <class T>
__device__ __attribute__((unavailable("sparse textures are not in this version of Heddle; "
                                      "docs/api_support.md lists what there is"))) T
tex2Dgather(cudaTextureObject_t object, float x, float y, bool *isResident, int component);

template <class T>
HEDDLE_D T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  return __heddle_texel<T>::of(__heddle_texture_gather(object, x, y, component));
}
template <class T>
HEDDLE_D void tex2Dgather(T *result, cudaTextureObject_t object, float x, float y,
                          int component = 0) {
  *result = tex2Dgather<T>(object, x, y, component);
}
template <class T, cudaTextureReadMode mode>
HEDDLE_D typename __heddle_read<T, mode>::gathered
tex2Dgather(texture<T, cudaTextureType2D, mode> t, float x, float y, int component = 0) {
  return tex2Dgather<typename __heddle_read<T, mode>::gathered>(__heddle_object_of(t), x, y,
                                                                component);
}

#undef HEDDLE_TEXTURE
#undef HEDDLE_SPARSE
#undef HEDDLE_SAMPLE
#undef HEDDLE_LEVEL
#undef HEDDLE_STEPS1
#undef HEDDLE_STEPS2
#undef HEDDLE_STEPS3
#undef HEDDLE_STEPS_CUBE
#undef HEDDLE_LIST
#pragma pop_macro("HEDDLE_D")
#endif
#endif
