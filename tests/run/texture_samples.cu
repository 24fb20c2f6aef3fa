// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: %t > %t.out
// RUN: %python %S/Inputs/compare_samples.py %S/Inputs/texture_samples.txt %t.out
// RUN: %widths %t > %t.one && cmp %t.out %t.one
//
// What an H200 gives for textures of all kinds, formats and modes, sample by sample: the program prints the bits of
// each result, and Inputs/texture_samples.txt is what `nvcc -arch=sm_90 -o samples texture_samples.cu && ./samples`
// printed there (CUDA 13.0). Inputs/compare_samples.py says how near ours must be: the same bits where nothing is
// filtered, else within 1/256 of a texel's weight.
#include "support.h"

#include <cuda_fp16.h>

namespace {

struct Coordinates {
  float x, y, z;
  int layer;
  float level;
  float4 dx, dy;
};

enum Function {
  Fetch1D,
  Tex1D,
  Tex2D,
  Tex3D,
  Layered1D,
  Layered2D,
  Cube,
  CubeLayered,
  Lod1D,
  Lod2D,
  Lod3D,
  LodLayered1D,
  LodLayered2D,
  LodCube,
  LodCubeLayered,
  Grad1D,
  Grad2D,
  Grad3D,
  GradLayered1D,
  GradLayered2D,
  Gather0,
  Gather1,
  Gather2,
  Gather3
};

template <class T, int F> __device__ T sample(cudaTextureObject_t t, const Coordinates &c) {
  const float2 dx2 = make_float2(c.dx.x, c.dx.y), dy2 = make_float2(c.dy.x, c.dy.y);
  if constexpr (F == Fetch1D)
    return tex1Dfetch<T>(t, int(c.x));
  else if constexpr (F == Tex1D)
    return tex1D<T>(t, c.x);
  else if constexpr (F == Tex2D)
    return tex2D<T>(t, c.x, c.y);
  else if constexpr (F == Tex3D)
    return tex3D<T>(t, c.x, c.y, c.z);
  else if constexpr (F == Layered1D)
    return tex1DLayered<T>(t, c.x, c.layer);
  else if constexpr (F == Layered2D)
    return tex2DLayered<T>(t, c.x, c.y, c.layer);
  else if constexpr (F == Cube)
    return texCubemap<T>(t, c.x, c.y, c.z);
  else if constexpr (F == CubeLayered)
    return texCubemapLayered<T>(t, c.x, c.y, c.z, c.layer);
  else if constexpr (F == Lod1D)
    return tex1DLod<T>(t, c.x, c.level);
  else if constexpr (F == Lod2D)
    return tex2DLod<T>(t, c.x, c.y, c.level);
  else if constexpr (F == Lod3D)
    return tex3DLod<T>(t, c.x, c.y, c.z, c.level);
  else if constexpr (F == LodLayered1D)
    return tex1DLayeredLod<T>(t, c.x, c.layer, c.level);
  else if constexpr (F == LodLayered2D)
    return tex2DLayeredLod<T>(t, c.x, c.y, c.layer, c.level);
  else if constexpr (F == LodCube)
    return texCubemapLod<T>(t, c.x, c.y, c.z, c.level);
  else if constexpr (F == LodCubeLayered)
    return texCubemapLayeredLod<T>(t, c.x, c.y, c.z, c.layer, c.level);
  else if constexpr (F == Grad1D)
    return tex1DGrad<T>(t, c.x, c.dx.x, c.dy.x);
  else if constexpr (F == Grad2D)
    return tex2DGrad<T>(t, c.x, c.y, dx2, dy2);
  else if constexpr (F == Grad3D)
    return tex3DGrad<T>(t, c.x, c.y, c.z, c.dx, c.dy);
  else if constexpr (F == GradLayered1D)
    return tex1DLayeredGrad<T>(t, c.x, c.layer, c.dx.x, c.dy.x);
  else if constexpr (F == GradLayered2D)
    return tex2DLayeredGrad<T>(t, c.x, c.y, c.layer, dx2, dy2);
  else
    return T{};
}

template <class T, int Component> __device__ T gather(cudaTextureObject_t t, const Coordinates &c) {
  return tex2Dgather<T>(t, c.x, c.y, Component);
}

template <class T, int F>
__global__ void sampleAll(cudaTextureObject_t t, const Coordinates *c, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if constexpr (F >= Gather0)
    out[i] = gather<T, F - Gather0>(t, c[i]);
  else
    out[i] = sample<T, F>(t, c[i]);
}

/// What the bits of an element of this type are.
template <class T> struct Channel;
#define CHANNEL(vector, scalar, n)                                                                 \
  template <> struct Channel<vector> {                                                             \
    using Type = scalar;                                                                           \
    static constexpr int Count = n;                                                                \
  };
#define CHANNELS(vector, scalar)                                                                   \
  CHANNEL(scalar, scalar, 1) CHANNEL(vector##2, scalar, 2) CHANNEL(vector##4, scalar, 4)
CHANNELS(char, signed char)
CHANNELS(uchar, unsigned char)
CHANNELS(short, short)
CHANNELS(ushort, unsigned short)
CHANNELS(int, int)
CHANNELS(uint, unsigned)
CHANNELS(float, float)

cudaChannelFormatDesc halves(int n) {
  return cudaCreateChannelDesc(16, n > 1 ? 16 : 0, n > 2 ? 16 : 0, n > 2 ? 16 : 0,
                               cudaChannelFormatKindFloat);
}

/// Random texels: floats in [0, 1), halves likewise, integers of any bits.
std::vector<char> texels(const cudaChannelFormatDesc &format, size_t count, uint64_t seed) {
  Random random(seed);
  const int channels = 1 + !!format.y + !!format.z + !!format.w;
  const size_t bytes = size_t(format.x / 8);
  std::vector<char> data(count * channels * bytes);
  for (size_t i = 0; i < count * channels; ++i) {
    uint32_t bits = random.bits();
    if (format.f == cudaChannelFormatKindFloat) {
      float value = float(random.unit());
      if (bytes == 4)
        std::memcpy(&bits, &value, 4);
      else
        bits = uint32_t(value * 1024) + (uint32_t(random.below(15)) << 10); // any half below 2
    }
    std::memcpy(&data[i * bytes], &bits, bytes);
  }
  return data;
}

struct Texture {
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  cudaTextureObject_t object = 0;
};

size_t atLeast1(size_t n) { return n ? n : 1; }

void fill(cudaArray_t array, const cudaChannelFormatDesc &format, uint64_t seed) {
  cudaExtent extent;
  cudaChannelFormatDesc f;
  unsigned flags;
  CUDA_OK(cudaArrayGetInfo(&f, &extent, &flags, array));
  cudaExtent copied = {extent.width, atLeast1(extent.height), atLeast1(extent.depth)};
  std::vector<char> data = texels(format, copied.width * copied.height * copied.depth, seed);
  cudaMemcpy3DParms copy = {};
  const size_t row = data.size() / copied.height / copied.depth;
  copy.srcPtr = make_cudaPitchedPtr(data.data(), row, extent.width, copied.height);
  copy.dstArray = array;
  copy.extent = copied;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMemcpy3D(&copy));
}

struct Shape {
  size_t width, height, depth;
  unsigned flags;
  unsigned levels; ///< 0: no mipmap
};

Texture make(const cudaChannelFormatDesc &format, const Shape &s, const cudaTextureDesc &desc,
             const cudaResourceViewDesc *view = nullptr) {
  Texture t;
  cudaResourceDesc resource = {};
  const cudaExtent extent = make_cudaExtent(s.width, s.height, s.depth);
  if (s.levels) {
    CUDA_OK(cudaMallocMipmappedArray(&t.mipmap, &format, extent, s.levels, s.flags));
    for (unsigned level = 0; level < s.levels; ++level) {
      cudaArray_t array;
      CUDA_OK(cudaGetMipmappedArrayLevel(&array, t.mipmap, level));
      fill(array, format, 100 + level);
    }
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = t.mipmap;
  } else {
    CUDA_OK(cudaMalloc3DArray(&t.array, &format, extent, s.flags));
    fill(t.array, format, 7);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = t.array;
  }
  CUDA_OK(cudaCreateTextureObject(&t.object, &resource, &desc, view));
  return t;
}

void release(Texture &t) {
  CUDA_OK(cudaDestroyTextureObject(t.object));
  if (t.array)
    CUDA_OK(cudaFreeArray(t.array));
  if (t.mipmap)
    CUDA_OK(cudaFreeMipmappedArray(t.mipmap));
}

/// Random coordinates a little over the edges, and corner cases.
std::vector<Coordinates> coordinates(const Shape &s, bool normalized, int count, uint64_t seed) {
  Random random(seed);
  const float w = float(s.width), h = float(atLeast1(s.height)), d = float(atLeast1(s.depth));
  auto along = [&](float n) {
    float x = float(random.between(-1.5, double(n) + 1.5));
    return normalized ? x / n : x;
  };
  std::vector<Coordinates> all;
  for (int i = 0; i < count; ++i) {
    Coordinates c = {};
    c.x = along(w);
    c.y = along(h);
    c.z = along(d);
    c.layer = random.below(int(d) + 2) - 1;
    c.level = float(random.between(-0.75, 4.5));
    auto slope = [&] { return float(random.between(-0.3, 0.3)); };
    for (float4 *step : {&c.dx, &c.dy}) {
      step->z = slope();
      step->y = slope();
      step->x = slope();
    }
    all.push_back(c);
  }
  return all;
}

/// x as given, the others in the middle.
std::vector<Coordinates> corners(const Shape &s, bool normalized) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float w = float(s.width), scale = normalized ? 1 / w : 1;
  std::vector<Coordinates> all;
  for (float x :
       {0.0f,  -0.0f,  0.5f,        1.0f,        1.5f,  w - 0.5f, w,         w + 0.5f,   -0.5f,
        -1.0f, -1e-6f, 0.49999997f, 0.99999994f, 2 * w, -3 * w,   2.25f * w, -2.75f * w, 1e6f,
        -1e6f, 1e9f,   -1e9f,       3e9f,        1e20f, -1e20f,   inf,       -inf,       nan}) {
    Coordinates c = {};
    c.x = x * scale;
    c.y = normalized ? 0.5f / float(atLeast1(s.height)) : 0.5f;
    all.push_back(c);
  }
  return all;
}

template <class T, int F>
void show(const std::string &name, cudaTextureObject_t object, const std::vector<Coordinates> &c) {
  Buffer<Coordinates> in(c);
  Buffer<T> out(c.size());
  sampleAll<T, F><<<unsigned(c.size() + 95) / 96, 96>>>(object, in, out, int(c.size()));
  checkLaunch();
  std::vector<T> values = out.get();
  using Scalar = typename Channel<T>::Type;
  std::printf("%s:", name.c_str());
  for (const T &value : values) {
    Scalar parts[Channel<T>::Count];
    std::memcpy(parts, &value, sizeof value);
    const char *separator = " ";
    for (Scalar part : parts) {
      uint32_t bits = 0;
      std::memcpy(&bits, &part, sizeof part);
      std::printf("%s%x", separator, bits);
      separator = ",";
    }
  }
  std::printf("\n");
}

cudaTextureDesc plain() {
  cudaTextureDesc d = {};
  for (auto &mode : d.addressMode)
    mode = cudaAddressModeClamp;
  return d;
}

const char *const modeNames[] = {"wrap", "clamp", "mirror", "border"};

template <class T, int F>
void run(const std::string &name, const cudaChannelFormatDesc &format, const Shape &s,
         const cudaTextureDesc &d, int count = 16, const cudaResourceViewDesc *view = nullptr) {
  Texture t = make(format, s, d, view);
  show<T, F>(name, t.object, coordinates(s, d.normalizedCoords, count, 99));
  release(t);
}

// -- What is read: all formats ---------------------------------------------------------------------------------------

template <class T> void elements(const char *name) {
  run<T, Tex2D>(std::string("exact element ") + name, cudaCreateChannelDesc<T>(), {5, 3, 0, 0, 0},
                plain());
}

template <class T, class Result> void normalizedElements(const char *name) {
  cudaTextureDesc d = plain();
  d.readMode = cudaReadModeNormalizedFloat;
  run<Result, Tex2D>(std::string("exact normalized ") + name, cudaCreateChannelDesc<T>(),
                     {5, 3, 0, 0, 0}, d, 12);
  d.filterMode = cudaFilterModeLinear;
  run<Result, Tex2D>(std::string("linear normalized ") + name, cudaCreateChannelDesc<T>(),
                     {5, 3, 0, 0, 0}, d, 12);
}

void formats() {
#define ELEMENTS(vector)                                                                           \
  elements<vector##2>(#vector "2");                                                                \
  elements<vector##4>(#vector "4");
  elements<signed char>("char");
  elements<unsigned char>("uchar");
  elements<short>("short");
  elements<unsigned short>("ushort");
  elements<int>("int");
  elements<unsigned>("uint");
  elements<float>("float");
  ELEMENTS(char)
  ELEMENTS(uchar)
  ELEMENTS(short) ELEMENTS(ushort) ELEMENTS(int) ELEMENTS(uint) ELEMENTS(float)
      run<float, Tex2D>("exact element half1", halves(1), {5, 3, 0, 0, 0}, plain());
  run<float2, Tex2D>("exact element half2", halves(2), {5, 3, 0, 0, 0}, plain());
  run<float4, Tex2D>("exact element half4", halves(4), {5, 3, 0, 0, 0}, plain());
  normalizedElements<signed char, float>("char");
  normalizedElements<unsigned char, float>("uchar");
  normalizedElements<short, float>("short");
  normalizedElements<unsigned short, float>("ushort");
  normalizedElements<char2, float2>("char2");
  normalizedElements<uchar2, float2>("uchar2");
  normalizedElements<short2, float2>("short2");
  normalizedElements<ushort2, float2>("ushort2");
  normalizedElements<char4, float4>("char4");
  normalizedElements<uchar4, float4>("uchar4");
  normalizedElements<short4, float4>("short4");
  normalizedElements<ushort4, float4>("ushort4");
  cudaTextureDesc d = plain();
  d.filterMode = cudaFilterModeLinear;
  run<float, Tex2D>("linear half1", halves(1), {5, 3, 0, 0, 0}, d);
  run<float4, Tex2D>("linear half4", halves(4), {5, 3, 0, 0, 0}, d);
  run<float4, Tex2D>("linear float4", cudaCreateChannelDesc<float4>(), {5, 3, 0, 0, 0}, d);
  d.readMode = cudaReadModeNormalizedFloat;
  d.sRGB = 1;
  run<float4, Tex2D>("linear srgb uchar4", cudaCreateChannelDesc<uchar4>(), {5, 3, 0, 0, 0}, d);
  d.filterMode = cudaFilterModePoint;
  run<float4, Tex2D>("srgb uchar4", cudaCreateChannelDesc<uchar4>(), {16, 16, 0, 0, 0}, d, 48);
  run<float, Tex2D>("srgb uchar", cudaCreateChannelDesc<unsigned char>(), {16, 16, 0, 0, 0}, d);
  run<float2, Tex2D>("srgb uchar2", cudaCreateChannelDesc<uchar2>(), {16, 16, 0, 0, 0}, d);
  // More channels are asked for than there are, or fewer, or of another kind.
  run<uint4, Tex2D>("exact uint as uint4", cudaCreateChannelDesc<unsigned>(), {5, 3, 0, 0, 0},
                    plain(), 4);
  run<float4, Tex2D>("exact float as float4", cudaCreateChannelDesc<float>(), {5, 3, 0, 0, 0},
                     plain(), 4);
  run<float4, Tex2D>("exact float2 as float4", cudaCreateChannelDesc<float2>(), {5, 3, 0, 0, 0},
                     plain(), 4);
  run<float, Tex2D>("exact float4 as float", cudaCreateChannelDesc<float4>(), {5, 3, 0, 0, 0},
                    plain(), 4);
  run<unsigned, Tex2D>("exact float as uint", cudaCreateChannelDesc<float>(), {5, 3, 0, 0, 0},
                       plain(), 4);
  run<float, Tex2D>("exact uchar as float", cudaCreateChannelDesc<unsigned char>(), {5, 3, 0, 0, 0},
                    plain(), 4);
  run<int, Tex2D>("exact char as int", cudaCreateChannelDesc<signed char>(), {5, 3, 0, 0, 0},
                  plain(), 4);
  run<unsigned char, Tex2D>("exact int as uchar", cudaCreateChannelDesc<int>(), {5, 3, 0, 0, 0},
                            plain(), 4);
}

// -- Where: address modes, dimensions --------------------------------------------------------------------------------

template <class T, int F>
void modes(const std::string &name, const cudaChannelFormatDesc &format, const Shape &s,
           int count) {
  for (int mode = 0; mode < 4; ++mode)
    for (int normalized = 0; normalized < 2; ++normalized)
      for (int linear = 0; linear < 2; ++linear) {
        if (linear && format.f != cudaChannelFormatKindFloat)
          continue;
        cudaTextureDesc d = {};
        for (auto &m : d.addressMode)
          m = cudaTextureAddressMode(mode);
        if (!s.height) // of a texture of one dimension that is wrapped in border an H200 gives half
          d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
        d.normalizedCoords = normalized;
        d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        const float border[] = {0.75f, 0.5f, 0.25f, 1.0f};
        std::memcpy(d.borderColor, border, sizeof border);
        Texture t = make(format, s, d);
        const std::string what = (linear ? "linear " : "exact ") + name + " " + modeNames[mode] +
                                 (normalized ? " normalized" : "");
        show<T, F>(what, t.object, coordinates(s, normalized, count, 5));
        if (F == Tex1D || F == Tex2D)
          show<T, F>(what + " corners", t.object, corners(s, normalized));
        release(t);
      }
}

void addressing() {
  const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  modes<float, Tex1D>("1D", real, {11, 0, 0, 0, 0}, 16);
  modes<float, Tex2D>("2D", real, {8, 5, 0, 0, 0}, 24);
  modes<float, Tex3D>("3D", real, {4, 5, 3, 0, 0}, 16);
  modes<float, Layered1D>("1DLayered", real, {11, 0, 3, cudaArrayLayered, 0}, 12);
  modes<float, Layered2D>("2DLayered", real, {7, 5, 3, cudaArrayLayered, 0}, 12);
  modes<uint4, Tex2D>("2D uint4", cudaCreateChannelDesc<uint4>(), {8, 5, 0, 0, 0}, 12);
  modes<uchar4, Tex2D>("2D uchar4", cudaCreateChannelDesc<uchar4>(), {8, 5, 0, 0, 0}, 12);
  cudaTextureDesc d = plain();
  d.addressMode[0] = cudaAddressModeWrap;
  d.addressMode[1] = cudaAddressModeBorder;
  d.addressMode[2] = cudaAddressModeMirror;
  d.normalizedCoords = 1;
  d.filterMode = cudaFilterModeLinear;
  run<float, Tex2D>("linear 2D wrap border", real, {8, 5, 0, 0, 0}, d, 24);
  run<float, Tex3D>("linear 3D wrap border mirror", real, {4, 5, 3, 0, 0}, d, 24);
}

void cubemaps() {
  const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  Random random(3);
  std::vector<Coordinates> c(40);
  for (Coordinates &one : c) {
    one.x = float(random.between(-1, 1));
    one.y = float(random.between(-1, 1));
    one.z = float(random.between(-1, 1));
    one.layer = random.below(4) - 1;
    one.level = float(random.between(-0.5, 3.5));
  }
  const float ends[][3] = {{1, 1, 1}, {-1, 1, 1},   {1, -1, 0},   {0, 1, 1},     {0, 0, -2},
                           {3, 0, 0}, {-1, -1, -1}, {1, 1, 0.5f}, {-1, 0.5f, -1}};
  for (auto &end : ends) {
    Coordinates one = {};
    one.x = end[0], one.y = end[1], one.z = end[2];
    c.push_back(one);
  }
  for (int linear = 0; linear < 2; ++linear)
    for (int seamless = 0; seamless < 2; ++seamless)
      for (int mode = 0; mode < 4; ++mode) {
        cudaTextureDesc d = {};
        for (auto &m : d.addressMode)
          m = cudaTextureAddressMode(mode);
        d.normalizedCoords = 1;
        d.seamlessCubemap = seamless;
        d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        if (mode != 1 && seamless)
          continue;
        const std::string how = std::string(linear ? "linear" : "exact") + " cubemap " +
                                modeNames[mode] + (seamless ? " seamless" : "");
        Texture cube = make(real, {6, 6, 6, cudaArrayCubemap, 0}, d);
        show<float, Cube>(how, cube.object, c);
        release(cube);
        if (mode != 1)
          continue;
        Texture layered = make(real, {6, 6, 12, cudaArrayCubemap | cudaArrayLayered, 0}, d);
        show<float, CubeLayered>(how + " layered", layered.object, c);
        release(layered);
        d.mipmapFilterMode = cudaFilterModeLinear;
        d.maxMipmapLevelClamp = 9;
        Texture mipmap = make(real, {8, 8, 6, cudaArrayCubemap, 4}, d);
        show<float, LodCube>("linear levels of " + how, mipmap.object, c);
        release(mipmap);
      }
}

// -- Levels ----------------------------------------------------------------------------------------------------------

void levels() {
  const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  const Shape s1 = {37, 0, 0, 0, 5}, s2 = {32, 13, 0, 0, 5}, s3 = {16, 9, 12, 0, 4};
  const Shape l1 = {37, 0, 3, cudaArrayLayered, 5}, l2 = {32, 13, 3, cudaArrayLayered, 5};
  for (int linear = 0; linear < 2; ++linear)
    for (int between = 0; between < 2; ++between)
      for (int bias = 0; bias < 3; ++bias) {
        cudaTextureDesc d = plain();
        d.normalizedCoords = 1;
        d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        d.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
        d.mipmapLevelBias = bias == 1 ? 0.6f : 0;
        d.minMipmapLevelClamp = bias == 2 ? 1.25f : 0;
        d.maxMipmapLevelClamp = bias == 2 ? 2.75f : 10;
        const std::string how = std::string(linear || between ? "linear" : "exact") + " levels " +
                                (linear ? "linear" : "point") + (between ? " between" : "") +
                                (bias == 1   ? " biased"
                                 : bias == 2 ? " clamped"
                                             : "");
        run<float, Lod2D>(how + " 2D", real, s2, d, 24);
        run<float, Tex2D>(how + " 2D without level", real, s2, d, 8);
        run<float, Grad2D>(how + " 2D grad", real, s2, d, 24);
        if (bias)
          continue;
        run<float, Lod1D>(how + " 1D", real, s1, d, 12);
        run<float, Lod3D>(how + " 3D", real, s3, d, 12);
        run<float, LodLayered1D>(how + " 1DLayered", real, l1, d, 12);
        run<float, LodLayered2D>(how + " 2DLayered", real, l2, d, 12);
        run<float, Grad1D>(how + " 1D grad", real, s1, d, 12);
        run<float, Grad3D>(how + " 3D grad", real, s3, d, 12);
        run<float, GradLayered1D>(how + " 1DLayered grad", real, l1, d, 12);
        run<float, GradLayered2D>(how + " 2DLayered grad", real, l2, d, 12);
      }
  cudaTextureDesc d = plain();
  d.normalizedCoords = 1;
  d.maxMipmapLevelClamp = 10;
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = 32, view.height = 13;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 3;
  run<float, Lod2D>("exact view of levels", real, s2, d, 16, &view);
  view.format = cudaResViewFormatUnsignedInt1;
  run<unsigned, Lod2D>("exact view of levels as uint", real, s2, d, 16, &view);
}

// -- Gathers, linear memory ------------------------------------------------------------------------------------------

void gathers() {
  const Shape s = {8, 5, 0, cudaArrayTextureGather, 0};
  for (int mode = 0; mode < 4; ++mode)
    for (int normalized = 0; normalized < 2; ++normalized) {
      cudaTextureDesc d = {};
      for (auto &m : d.addressMode)
        m = cudaTextureAddressMode(mode);
      d.normalizedCoords = normalized;
      d.borderColor[0] = 0.75f;
      d.filterMode = cudaFilterModeLinear;
      const std::string how =
          std::string("near gather ") + modeNames[mode] + (normalized ? " normalized" : "");
      run<float4, Gather0>(how, cudaCreateChannelDesc<float>(), s, d, 12);
    }
  cudaTextureDesc d = plain();
  run<float4, Gather0>("near gather float4 x", cudaCreateChannelDesc<float4>(), s, d, 8);
  run<float4, Gather1>("near gather float4 y", cudaCreateChannelDesc<float4>(), s, d, 8);
  run<float4, Gather2>("near gather float4 z", cudaCreateChannelDesc<float4>(), s, d, 8);
  run<float4, Gather3>("near gather float4 w", cudaCreateChannelDesc<float4>(), s, d, 8);
  run<float4, Gather2>("near gather float2 z", cudaCreateChannelDesc<float2>(), s, d, 8);
  run<uchar4, Gather1>("near gather uchar4 y", cudaCreateChannelDesc<uchar4>(), s, d, 8);
  run<int4, Gather1>("near gather int2 y", cudaCreateChannelDesc<int2>(), s, d, 8);
  d.readMode = cudaReadModeNormalizedFloat;
  run<float4, Gather1>("near gather normalized uchar4 y", cudaCreateChannelDesc<uchar4>(), s, d, 8);
}

template <class T, class Result = T>
void fetch(const std::string &name, const cudaChannelFormatDesc &format,
           cudaTextureReadMode read = cudaReadModeElementType) {
  const int n = 13;
  std::vector<char> data = texels(format, n, 21);
  Buffer<char> memory(data);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory.data;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = data.size();
  cudaTextureDesc d = {};
  d.readMode = read;
  cudaTextureObject_t object;
  CUDA_OK(cudaCreateTextureObject(&object, &resource, &d, nullptr));
  std::vector<Coordinates> c;
  for (int x : {0, 1, 5, 12, 13, -1, 1 << 20, -(1 << 28)}) {
    Coordinates one = {};
    one.x = float(x);
    c.push_back(one);
  }
  show<Result, Fetch1D>("exact fetch " + name, object, c);
  CUDA_OK(cudaDestroyTextureObject(object));
}

void linearMemory() {
  fetch<unsigned char>("uchar", cudaCreateChannelDesc<unsigned char>());
  fetch<short2>("short2", cudaCreateChannelDesc<short2>());
  fetch<int4>("int4", cudaCreateChannelDesc<int4>());
  fetch<float>("float", cudaCreateChannelDesc<float>());
  fetch<float4>("float4", cudaCreateChannelDesc<float4>());
  fetch<float2>("half2", halves(2));
  fetch<uchar4, float4>("normalized uchar4", cudaCreateChannelDesc<uchar4>(),
                        cudaReadModeNormalizedFloat);
  fetch<short, float>("normalized short", cudaCreateChannelDesc<short>(),
                      cudaReadModeNormalizedFloat);
}

void pitched() {
  const Shape s = {9, 6, 0, 0, 0};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  std::vector<char> data = texels(format, s.width * s.height, 4);
  void *memory;
  size_t pitch;
  CUDA_OK(cudaMallocPitch(&memory, &pitch, s.width * 8, s.height));
  CUDA_OK(cudaMemcpy2D(memory, pitch, data.data(), s.width * 8, s.width * 8, s.height,
                       cudaMemcpyHostToDevice));
  for (int mode = 0; mode < 4; ++mode)
    for (int linear = 0; linear < 2; ++linear) {
      cudaResourceDesc resource = {};
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D.devPtr = memory;
      resource.res.pitch2D.desc = format;
      resource.res.pitch2D.width = s.width;
      resource.res.pitch2D.height = s.height;
      resource.res.pitch2D.pitchInBytes = pitch;
      cudaTextureDesc d = {};
      d.addressMode[0] = d.addressMode[1] = cudaTextureAddressMode(mode);
      d.normalizedCoords = mode % 2 == 0;
      d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
      cudaTextureObject_t object;
      CUDA_OK(cudaCreateTextureObject(&object, &resource, &d, nullptr));
      show<float2, Tex2D>(std::string(linear ? "linear" : "exact") + " pitched " + modeNames[mode],
                          object, coordinates(s, d.normalizedCoords, 12, 8));
      CUDA_OK(cudaDestroyTextureObject(object));
    }
  CUDA_OK(cudaFree(memory));
}

} // namespace

#ifndef HEDDLE_EXPLORE
int main() {
  formats();
  addressing();
  cubemaps();
  levels();
  gathers();
  linearMemory();
  pitched();
}
#endif
