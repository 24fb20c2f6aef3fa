// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "textures.h"

#include <map>

using namespace textures;
using bench::Data;

static const dim3 Block(32, 8), Grid(cover(Width, 32), cover(Height, 8));

template <class T>
__global__ static void turn(cudaTextureObject_t picture, int w, int h, float c, float s, float dx,
                            float dy, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = tex2D<T>(picture, x * c - y * s + dx, x * s + y * c + dy);
}

/// The texture of an array, which is made once.
template <class Texel>
static cudaTextureObject_t textureOf(void *memory, cudaTextureFilterMode filter,
                                     cudaTextureReadMode read) {
  static std::map<std::pair<void *, int>, cudaTextureObject_t> made;
  cudaTextureObject_t &object = made[{memory, filter}];
  if (object)
    return object;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<Texel>();
  resource.res.pitch2D.width = Width;
  resource.res.pitch2D.height = Height;
  resource.res.pitch2D.pitchInBytes = Width * sizeof(Texel);
  cudaTextureDesc settings = {};
  settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
  settings.filterMode = filter;
  settings.readMode = read;
  if (cudaError_t error = cudaCreateTextureObject(&object, &resource, &settings, nullptr))
    bench::fail(cudaGetErrorName(error));
  return object;
}

template <class Texel, class T>
static void run(Data &data, cudaTextureFilterMode filter, cudaTextureReadMode read) {
  cudaTextureObject_t picture = textureOf<Texel>(data.get<void>(0), filter, read);
  turn<<<Grid, Block>>>(picture, Width, Height, Cosine, Sine, ShiftX, ShiftY, data.get<T>(1));
}

static void pointRun(Data &data) {
  run<float, float>(data, cudaFilterModePoint, cudaReadModeElementType);
}
static void linearRun(Data &data) {
  run<float, float>(data, cudaFilterModeLinear, cudaReadModeElementType);
}
static void linearFourRun(Data &data) {
  run<float4, float4>(data, cudaFilterModeLinear, cudaReadModeElementType);
}
static void linearBytesRun(Data &data) {
  run<uchar4, float4>(data, cudaFilterModeLinear, cudaReadModeNormalizedFloat);
}

BENCHMARK("texture_point", one, pointRun)
BENCHMARK("texture_linear", one, linearRun)
BENCHMARK("texture_linear_float4", four, linearFourRun)
BENCHMARK("texture_linear_uchar4", bytes, linearBytesRun)
