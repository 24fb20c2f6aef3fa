// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: %widths %t
//
// Surface objects of all dimensions: what is read and written lies where copies put it; the boundary modes zero and clamp.
// A write through a surface is what the next kernel's texture reads.
#include "support.h"

struct Place {
  int x, y, z; ///< x in elements
};

enum Shape { S1D, S2D, S3D, S1DLayered, S2DLayered, SCubemap, SCubemapLayered };

template <class T, int shape>
__device__ T readAt(cudaSurfaceObject_t s, Place p, cudaSurfaceBoundaryMode mode) {
  const int x = p.x * int(sizeof(T));
  if constexpr (shape == S1D)
    return surf1Dread<T>(s, x, mode);
  else if constexpr (shape == S2D)
    return surf2Dread<T>(s, x, p.y, mode);
  else if constexpr (shape == S3D)
    return surf3Dread<T>(s, x, p.y, p.z, mode);
  else if constexpr (shape == S1DLayered)
    return surf1DLayeredread<T>(s, x, p.z, mode);
  else if constexpr (shape == S2DLayered)
    return surf2DLayeredread<T>(s, x, p.y, p.z, mode);
  else if constexpr (shape == SCubemap)
    return surfCubemapread<T>(s, x, p.y, p.z, mode);
  else
    return surfCubemapLayeredread<T>(s, x, p.y, p.z, mode);
}

template <class T, int shape>
__device__ void writeAt(T value, cudaSurfaceObject_t s, Place p, cudaSurfaceBoundaryMode mode) {
  const int x = p.x * int(sizeof(T));
  if constexpr (shape == S1D)
    surf1Dwrite(value, s, x, mode);
  else if constexpr (shape == S2D)
    surf2Dwrite(value, s, x, p.y, mode);
  else if constexpr (shape == S3D)
    surf3Dwrite(value, s, x, p.y, p.z, mode);
  else if constexpr (shape == S1DLayered)
    surf1DLayeredwrite(value, s, x, p.z, mode);
  else if constexpr (shape == S2DLayered)
    surf2DLayeredwrite(value, s, x, p.y, p.z, mode);
  else if constexpr (shape == SCubemap)
    surfCubemapwrite(value, s, x, p.y, p.z, mode);
  else
    surfCubemapLayeredwrite(value, s, x, p.y, p.z, mode);
}

template <class T, int shape>
__global__ void readAll(cudaSurfaceObject_t s, const Place *places, T *out, int n,
                        cudaSurfaceBoundaryMode mode) {
  const int i = threadInGrid();
  if (i < n)
    out[i] = readAt<T, shape>(s, places[i], mode);
}

template <class T, int shape>
__global__ void writeAll(cudaSurfaceObject_t s, const Place *places, const T *values, int n,
                         cudaSurfaceBoundaryMode mode) {
  const int i = threadInGrid();
  if (i < n)
    writeAt<T, shape>(values[i], s, places[i], mode);
}

struct Extent {
  int w, h, d; ///< from 1
  size_t index(Place p) const { return (size_t(p.z) * h + p.y) * w + p.x; }
  bool holds(Place p) const {
    return p.x >= 0 && p.x < w && p.y >= 0 && p.y < h && p.z >= 0 && p.z < d;
  }
  /// A layer below 0 is the last one, as on an H200.
  Place clamped(Place p, bool hasLayers) const {
    auto clamp = [](int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; };
    return {clamp(p.x, w), clamp(p.y, h), hasLayers && p.z < 0 ? d - 1 : clamp(p.z, d)};
  }
};

template <class T> void copyArray(cudaArray_t array, Extent e, std::vector<T> &values, bool to) {
  cudaMemcpy3DParms copy = {};
  const cudaPitchedPtr host = make_cudaPitchedPtr(values.data(), e.w * sizeof(T), e.w, e.h);
  (to ? copy.srcPtr : copy.dstPtr) = host;
  (to ? copy.dstArray : copy.srcArray) = array;
  copy.extent = make_cudaExtent(e.w, e.h, e.d);
  copy.kind = to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  CUDA_OK(cudaMemcpy3D(&copy));
}

template <class T> T randomValue(Random &random) {
  T value;
  for (size_t i = 0; i < sizeof(T); ++i)
    reinterpret_cast<unsigned char *>(&value)[i] = (unsigned char)random.bits();
  return value;
}

template <class T, int shape>
void check(const std::string &name, cudaExtent extent, unsigned flags) {
  auto atLeast1 = [](size_t n) { return int(n ? n : 1); };
  const Extent e = {int(extent.width), atLeast1(extent.height), atLeast1(extent.depth)};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array;
  CUDA_OK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
  Random random(e.w * 100 + e.h * 10 + e.d);
  std::vector<T> texels(size_t(e.w) * e.h * e.d);
  for (T &texel : texels)
    texel = randomValue<T>(random);
  copyArray(array, e, texels, true);
  cudaResourceDesc resource = {}, again = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s;
  CUDA_OK(cudaCreateSurfaceObject(&s, &resource));
  CUDA_OK(cudaGetSurfaceObjectResourceDesc(&again, s));
  expectTrue(name + " resource", again.res.array.array == array);

  const int n = 301;
  std::vector<Place> inside(n), around(n);
  for (int i = 0; i < n; ++i) {
    inside[i] = {random.below(e.w), random.below(e.h), random.below(e.d)};
    around[i] = {random.below(e.w + 4) - 2, e.h > 1 ? random.below(e.h + 4) - 2 : 0,
                 e.d > 1 ? random.below(e.d + 4) - 2 : 0};
  }
  Buffer<Place> in(inside), near(around);
  Buffer<T> out(n);
  auto expectSame = [&](const std::string &what, int i, const T &got, const T &want) {
    if (std::memcmp(&got, &want, sizeof(T)) != 0)
      report(name + " " + what, i, "other bits", "those of the texel");
  };
  readAll<T, shape><<<(n + 95) / 96, 96>>>(s, in, out, n, cudaBoundaryModeTrap);
  checkLaunch();
  auto got = out.get();
  for (int i = 0; i < n; ++i)
    expectSame("trap", i, got[i], texels[e.index(inside[i])]);
  readAll<T, shape><<<(n + 95) / 96, 96>>>(s, near, out, n, cudaBoundaryModeZero);
  checkLaunch();
  got = out.get();
  for (int i = 0; i < n; ++i)
    expectSame("zero", i, got[i], e.holds(around[i]) ? texels[e.index(around[i])] : T());
  readAll<T, shape><<<(n + 95) / 96, 96>>>(s, near, out, n, cudaBoundaryModeClamp);
  checkLaunch();
  got = out.get();
  for (int i = 0; i < n; ++i)
    expectSame("clamp", i, got[i], texels[e.index(e.clamped(around[i], flags != 0))]);

  // Each texel once, in another order, and places outside, which zero leaves out.
  std::vector<Place> all;
  for (int z = 0; z < e.d; ++z)
    for (int y = 0; y < e.h; ++y)
      for (int x = 0; x < e.w; ++x)
        all.push_back({x, y, z});
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[random.below(int(i))]);
  all.resize(all.size() - all.size() / 4); // the others keep what they are
  all.push_back({-1, 0, 0});
  all.push_back({e.w, 0, 0});
  std::vector<T> values;
  for (const Place &p : all) {
    values.push_back(randomValue<T>(random));
    if (e.holds(p))
      texels[e.index(p)] = values.back();
  }
  Buffer<Place> to(all);
  Buffer<T> from(values);
  const int count = int(all.size());
  writeAll<T, shape><<<(count + 95) / 96, 96>>>(s, to, from, count, cudaBoundaryModeZero);
  checkLaunch();
  std::vector<T> after(texels.size());
  copyArray(array, e, after, false);
  for (size_t i = 0; i < after.size(); ++i)
    expectSame("written", int(i), after[i], texels[i]);
  CUDA_OK(cudaDestroySurfaceObject(s));
  CUDA_OK(cudaFreeArray(array));
}

template <class T> void shapes(const std::string &name) {
  check<T, S1D>(name + " 1D", make_cudaExtent(37, 0, 0), 0);
  check<T, S2D>(name + " 2D", make_cudaExtent(19, 11, 0), 0);
  check<T, S3D>(name + " 3D", make_cudaExtent(7, 5, 6), 0);
  check<T, S1DLayered>(name + " 1DLayered", make_cudaExtent(23, 0, 5), cudaArrayLayered);
  check<T, S2DLayered>(name + " 2DLayered", make_cudaExtent(9, 7, 3), cudaArrayLayered);
  check<T, SCubemap>(name + " Cubemap", make_cudaExtent(5, 5, 6), cudaArrayCubemap);
  check<T, SCubemapLayered>(name + " CubemapLayered", make_cudaExtent(5, 5, 12),
                            cudaArrayCubemap | cudaArrayLayered);
}

__global__ void brighten(cudaSurfaceObject_t s, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w || y >= h)
    return;
  uchar4 value;
  surf2Dread(&value, s, x * 4, y);
  value.x += 1, value.w = (unsigned char)x;
  surf2Dwrite<uchar4>(value, s, x * 4, y);
}

__global__ void look(cudaTextureObject_t t, uchar4 *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < w && y < h)
    tex2D(&out[y * w + x], t, x, y);
}

void surfaceThenTexture() {
  const Extent e = {45, 13, 1};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CUDA_OK(cudaMallocArray(&resource.res.array.array, &format, e.w, e.h, cudaArraySurfaceLoadStore));
  Random random(8);
  std::vector<uchar4> texels(e.w * e.h);
  for (uchar4 &texel : texels)
    texel = randomValue<uchar4>(random);
  copyArray(resource.res.array.array, e, texels, true);
  cudaSurfaceObject_t s;
  cudaTextureObject_t t;
  cudaTextureDesc settings = {};
  CUDA_OK(cudaCreateSurfaceObject(&s, &resource));
  CUDA_OK(cudaCreateTextureObject(&t, &resource, &settings, nullptr));
  Buffer<uchar4> out(texels.size());
  brighten<<<dim3(2, e.h), 32>>>(s, e.w, e.h);
  look<<<dim3(2, e.h), 32>>>(t, out, e.w, e.h);
  checkLaunch();
  auto got = out.get();
  for (size_t i = 0; i < texels.size(); ++i) {
    texels[i].x += 1, texels[i].w = (unsigned char)(i % e.w);
    expect("surface then texture", (long long)i, got[i], texels[i]);
  }
}

int main() {
  shapes<unsigned char>("uchar");
  shapes<short2>("short2");
  shapes<float>("float");
  shapes<int2>("int2");
  shapes<float4>("float4");
  surfaceThenTexture();
  return finish();
}
