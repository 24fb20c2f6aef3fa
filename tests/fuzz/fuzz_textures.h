// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of random programs: what they are, for both halves, and how the half for the device makes arrays, texture
// objects and surface objects of them. fuzz_host_textures.h is the other half.
#pragma once

#include <cuda_fp16.h>

#include <type_traits>
#include <vector>

/// Linear memory, pitched memory, and arrays.
enum class Shape { Linear, Pitched, Line, Plane, Volume, Lines, Planes };

enum class Channel { Unsigned, Signed, Float };

/// Of elements: how many channels of which kind and how many bytes. A half is one of the 16 bits that it has.
template <class T> struct Texel;
#define FUZZ_TEXEL(T, Part, number, what)                                                                              \
  template <> struct Texel<T> {                                                                                        \
    using Scalar = Part;                                                                                               \
    static constexpr int channels = number;                                                                            \
    static constexpr Channel kind = Channel::what;                                                                     \
  };
#define FUZZ_TEXELS(Part, name, what)                                                                                  \
  FUZZ_TEXEL(Part, Part, 1, what) FUZZ_TEXEL(name##2, Part, 2, what) FUZZ_TEXEL(name##4, Part, 4, what)
FUZZ_TEXELS(unsigned char, uchar, Unsigned)
FUZZ_TEXELS(signed char, char, Signed)
FUZZ_TEXELS(unsigned short, ushort, Unsigned)
FUZZ_TEXELS(short, short, Signed)
FUZZ_TEXELS(unsigned, uint, Unsigned)
FUZZ_TEXELS(int, int, Signed)
FUZZ_TEXELS(float, float, Float)
FUZZ_TEXEL(__half, __half, 1, Float)
#undef FUZZ_TEXELS
#undef FUZZ_TEXEL

struct Sampling {
  cudaTextureAddressMode modes[3];
  bool filters, isNormalized, givesFractions;
};

/// What an image begins with, row by row.
template <class T> std::vector<T> texelsOf(size_t count, unsigned limit, int number) {
  using Scalar = typename Texel<T>::Scalar;
  std::vector<T> texels(count);
  size_t channels = count * Texel<T>::channels;
  if constexpr (std::is_same_v<Scalar, __half>) {
    std::vector<float> values(channels);
    fill(values.data(), channels, limit, number);
    for (size_t i = 0; i < channels; ++i)
      texels[i] = __float2half(values[i]);
  } else {
    fill((Scalar *)texels.data(), channels, limit, number);
  }
  return texels;
}

namespace gpu {

using Texture = cudaTextureObject_t;
using Surface = cudaSurfaceObject_t;

struct Image {
  cudaResourceDesc resource;
};

inline int images; ///< of the unit

template <class T> cudaChannelFormatDesc formatOf() {
  constexpr int bits = 8 * sizeof(typename Texel<T>::Scalar), n = Texel<T>::channels;
  constexpr Channel kind = Texel<T>::kind;
  return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                               kind == Channel::Float    ? cudaChannelFormatKindFloat
                               : kind == Channel::Signed ? cudaChannelFormatKindSigned
                                                         : cudaChannelFormatKindUnsigned);
}

template <class T> cudaResourceDesc linear(const std::vector<T> &texels) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.desc = formatOf<T>();
  resource.res.linear.sizeInBytes = texels.size() * sizeof(T);
  complain(cudaMalloc(&resource.res.linear.devPtr, texels.size() * sizeof(T)));
  complain(cudaMemcpy(resource.res.linear.devPtr, texels.data(), texels.size() * sizeof(T), cudaMemcpyHostToDevice));
  atEnd([=] { complain(cudaFree(resource.res.linear.devPtr)); });
  return resource;
}

template <class T> cudaResourceDesc pitched(const std::vector<T> &texels, size_t width, size_t height) {
  cudaResourceDesc resource = {};
  auto &plane = resource.res.pitch2D;
  resource.resType = cudaResourceTypePitch2D;
  plane.desc = formatOf<T>();
  plane.width = width;
  plane.height = height;
  complain(cudaMallocPitch(&plane.devPtr, &plane.pitchInBytes, width * sizeof(T), height));
  complain(cudaMemcpy2D(plane.devPtr, plane.pitchInBytes, texels.data(), width * sizeof(T), width * sizeof(T), height,
                        cudaMemcpyHostToDevice));
  atEnd([=] { complain(cudaFree(resource.res.pitch2D.devPtr)); });
  return resource;
}

template <class T>
cudaResourceDesc arrayOf(std::vector<T> &texels, Shape shape, size_t width, size_t height, size_t depth,
                         unsigned flags) {
  bool isLine = shape == Shape::Line || shape == Shape::Lines;
  bool isLayered = shape == Shape::Lines || shape == Shape::Planes;
  bool isDeep = isLayered || shape == Shape::Volume;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaArray_t &array = resource.res.array.array;
  cudaChannelFormatDesc format = formatOf<T>();
  cudaExtent extent = make_cudaExtent(width, isLine ? 0 : height, isDeep ? depth : 0);
  complain(cudaMalloc3DArray(&array, &format, extent, flags | (isLayered ? cudaArrayLayered : 0)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), width * sizeof(T), width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  complain(cudaMemcpy3D(&copy));
  atEnd([=] { complain(cudaFreeArray(resource.res.array.array)); });
  return resource;
}

/// `depth`: also of layers. 1 for what a shape does not have. `flags`: of cudaMalloc3DArray.
template <class T>
Image image(Shape shape, size_t width, size_t height, size_t depth, unsigned limit, unsigned flags = 0) {
  std::vector<T> texels = texelsOf<T>(width * height * depth, limit, images++);
  atEnd([] { images = 0; });
  if (shape == Shape::Linear)
    return {linear(texels)};
  if (shape == Shape::Pitched)
    return {pitched(texels, width, height)};
  return {arrayOf(texels, shape, width, height, depth, flags)};
}

inline Texture texture(const Image &image, const Sampling &sampling) {
  cudaTextureDesc how = {};
  for (int axis = 0; axis < 3; ++axis)
    how.addressMode[axis] = sampling.modes[axis];
  how.filterMode = sampling.filters ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = sampling.givesFractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = sampling.isNormalized;
  Texture object = 0;
  complain(cudaCreateTextureObject(&object, &image.resource, &how, nullptr));
  atEnd([=] { complain(cudaDestroyTextureObject(object)); });
  return object;
}

inline Surface surface(const Image &image) {
  Surface object = 0;
  complain(cudaCreateSurfaceObject(&object, &image.resource));
  atEnd([=] { complain(cudaDestroySurfaceObject(object)); });
  return object;
}

} // namespace gpu
