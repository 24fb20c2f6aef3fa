// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 -w %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -std=c++17 -w -rdc=true %s -o %t && env HEDDLE_WIDTH=32 %t
//
// Texture and surface references, as CUDA had them up to version 11: bound to linear and pitched memory, arrays and
// mipmaps, bound anew between launches, with the host's settings; functions and templates of them.
#include "support.h"

texture<float, 1, cudaReadModeElementType> line;
texture<float> defaults;
static texture<int2, 1> pairs;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> picture;
texture<float4, cudaTextureType2D> colours(0, cudaFilterModePoint, cudaAddressModeClamp);
texture<float, 3, cudaReadModeElementType> volume;
texture<float, cudaTextureType2DLayered> layers;
texture<float, cudaTextureTypeCubemap> cube;
texture<float, 2> levels;
surface<void, 2> target;
surface<void, cudaSurfaceType2DLayered> layeredTarget;

namespace inner {
texture<unsigned, 1, cudaReadModeElementType> words;
}
struct Holder {
  static texture<short, 1> held;
};
texture<short, 1> Holder::held;

#define FETCH(reference, i) tex1Dfetch(reference, i)

/// A helper that takes a reference's value, and a template.
__device__ float fromLine(int i) { return FETCH(line, i); }
template <class T> __device__ T plusWord(T value, int i) {
  return value + T(tex1Dfetch(inner::words, i));
}

__global__ void fetchAll(const int *at, float *a, float *b, int2 *c, int *d, int *e, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  a[i] = fromLine(at[i]);
  b[i] = tex1Dfetch(defaults, at[i]);
  c[i] = tex1Dfetch(pairs, at[i]);
  d[i] = plusWord<int>(1000, at[i]);
  e[i] = tex1Dfetch(Holder::held, at[i]);
}

static void linearMemory() {
  const int n = 1237;
  Random random(1);
  std::vector<float> floats(n), others(n);
  std::vector<int2> twos(n);
  std::vector<unsigned> words(n);
  std::vector<short> shorts(n);
  std::vector<int> at(n);
  for (int i = 0; i < n; ++i) {
    floats[i] = float(random.unit());
    others[i] = float(random.unit());
    twos[i] = make_int2(int(random.bits()), int(random.bits()));
    words[i] = random.bits() >> 4;
    shorts[i] = short(random.bits());
    at[i] = random.below(n);
  }
  at[0] = -1, at[1] = n, at[2] = 1 << 30; // outside
  Buffer<float> f(floats), o(others), a(n), b(n);
  Buffer<int2> t(twos), c(n);
  Buffer<unsigned> w(words);
  Buffer<short> s(shorts);
  Buffer<int> in(at), d(n), e(n);
  size_t offset = 7;
  CUDA_OK(cudaBindTexture(&offset, line, f.data, n * sizeof(float)));
  expect("offset", 0, offset, size_t(0));
  CUDA_OK(cudaBindTexture(0, defaults, o.data)); // as far as the memory goes
  CUDA_OK(cudaBindTexture(nullptr, pairs, t.data, cudaCreateChannelDesc<int2>(), n * sizeof(int2)));
  CUDA_OK(cudaBindTexture(nullptr, inner::words, w.data, n * sizeof(unsigned)));
  const textureReference *held;
  CUDA_OK(cudaGetTextureReference(&held, &Holder::held));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  CUDA_OK(cudaBindTexture(nullptr, held, s.data, &format, n * sizeof(short)));
  fetchAll<<<(n + 95) / 96, 96>>>(in, a, b, c, d, e, n);
  checkLaunch();
  auto get = [&](auto &from, int i) {
    using T = std::decay_t<decltype(from[0])>;
    return at[i] >= 0 && at[i] < n ? from[at[i]] : T();
  };
  auto ga = a.get(), gb = b.get();
  auto gc = c.get();
  auto gd = d.get(), ge = e.get();
  for (int i = 0; i < n; ++i) {
    expect("line", i, ga[i], get(floats, i));
    if (at[i] < n) // the allocation may be longer
      expect("defaults", i, gb[i], get(others, i));
    expect("pairs", i, gc[i], get(twos, i));
    expect("words", i, gd[i], 1000 + int(get(words, i)));
    expect("held", i, ge[i], int(get(shorts, i)));
  }
  // A kernel that was launched before sees what was bound before.
  fetchAll<<<(n + 95) / 96, 96>>>(in, a, b, c, d, e, n);
  CUDA_OK(cudaBindTexture(nullptr, line, o.data, n * sizeof(float)));
  expectAll("before", a.get(), ga);
  fetchAll<<<(n + 95) / 96, 96>>>(in, a, b, c, d, e, n);
  ga = a.get();
  for (int i = 0; i < n; ++i)
    expect("rebound", i, ga[i], get(others, i));
  CUDA_OK(cudaUnbindTexture(line));
}

__global__ void alignedFetch(float *out, int offset, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = tex1Dfetch(line, i + offset);
}

/// Memory that does not begin where a texture may: the offset comes back.
static void offsets() {
  const int n = 100, skip = 3;
  std::vector<float> values(n + skip);
  for (int i = 0; i < n + skip; ++i)
    values[i] = float(i);
  Buffer<float> memory(values), out(n);
  size_t offset = 0, again = 0;
  CUDA_OK(cudaBindTexture(&offset, line, memory.data + skip, n * sizeof(float)));
  CUDA_OK(cudaGetTextureAlignmentOffset(&again, line));
  expect("offset again", 0, again, offset);
  alignedFetch<<<2, 64>>>(out, int(offset / sizeof(float)), n);
  checkLaunch();
  expectAll("offset", out.get(), std::vector<float>(values.begin() + skip, values.end()));
  expectError("no place for the offset", cudaBindTexture(nullptr, line, memory.data + skip, 64),
              cudaErrorInvalidValue);
  cudaGetLastError();
}

__global__ void samplePictures(float *p, float4 *q, float *v, float *l, float *c, float *m, int w,
                               int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w)
    return;
  const int i = y * w + x;
  p[i] = tex2D(picture, x + 0.5f, y + 0.5f);
  q[i] = tex2D(colours, x + 0.5f, y + 0.5f);
  v[i] = tex3D(volume, (x + 0.5f) / w, (y + 0.5f) / h, 0.5f);
  l[i] = tex2DLayered(layers, x, y, 1);
  c[i] = texCubemap(cube, 1, 0, 0);
  m[i] = tex2DLod(levels, (x + 0.5f) / w, (y + 0.5f) / h, 1.0f);
}

__global__ void halve(int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w)
    return;
  float value;
  surf2Dread(&value, target, x * sizeof(float), y);
  surf2Dwrite(value / 2, target, x * sizeof(float), y, cudaBoundaryModeTrap);
  surf2DLayeredwrite(value, layeredTarget, x * sizeof(float), y, 1);
}

template <class T>
static std::vector<T> fillArray(cudaArray_t array, int w, int h, int d, T (*next)(Random &)) {
  static Random random(5);
  std::vector<T> values(size_t(w) * h * d);
  for (T &value : values)
    value = next(random);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), w * sizeof(T), w, h);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, h, d);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMemcpy3D(&copy));
  return values;
}

static float nextFloat(Random &r) { return float(r.unit()); }
static float4 nextFloat4(Random &r) {
  return make_float4(float(r.unit()), float(r.unit()), float(r.unit()), float(r.unit()));
}

static void pictures() {
  const int w = 37, h = 21;
  std::vector<unsigned char> bytes(w * h);
  Random random(2);
  for (unsigned char &byte : bytes)
    byte = (unsigned char)random.bits();
  unsigned char *pitched;
  size_t pitch;
  CUDA_OK(cudaMallocPitch((void **)&pitched, &pitch, w, h));
  CUDA_OK(cudaMemcpy2D(pitched, pitch, bytes.data(), w, w, h, cudaMemcpyHostToDevice));
  picture.filterMode = cudaFilterModeLinear;
  CUDA_OK(cudaBindTexture2D(0, picture, pitched, w, h, pitch));

  cudaArray_t colourArray, volumeArray, layerArray, cubeArray, level, surfaceArray;
  cudaMipmappedArray_t mipmap;
  const cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  CUDA_OK(cudaMallocArray(&colourArray, &colours.channelDesc, w, h));
  auto colourTexels = fillArray<float4>(colourArray, w, h, 1, nextFloat4);
  CUDA_OK(cudaBindTextureToArray(colours, colourArray));
  CUDA_OK(cudaMalloc3DArray(&volumeArray, &real, make_cudaExtent(w, h, 2)));
  auto volumeTexels = fillArray<float>(volumeArray, w, h, 2, nextFloat);
  volume.normalized = true;
  volume.filterMode = cudaFilterModeLinear;
  for (auto &mode : volume.addressMode)
    mode = cudaAddressModeWrap;
  CUDA_OK(cudaBindTextureToArray(volume, volumeArray, real));
  CUDA_OK(cudaMalloc3DArray(&layerArray, &real, make_cudaExtent(w, h, 3), cudaArrayLayered));
  auto layerTexels = fillArray<float>(layerArray, w, h, 3, nextFloat);
  CUDA_OK(cudaBindTextureToArray(layers, layerArray));
  CUDA_OK(cudaMalloc3DArray(&cubeArray, &real, make_cudaExtent(5, 5, 6), cudaArrayCubemap));
  auto cubeTexels = fillArray<float>(cubeArray, 5, 5, 6, nextFloat);
  cube.normalized = true;
  CUDA_OK(cudaBindTextureToArray(cube, cubeArray));
  CUDA_OK(cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(w, h, 0), 2));
  CUDA_OK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
  auto levelTexels = fillArray<float>(level, w / 2, h / 2, 1, nextFloat);
  levels.normalized = true;
  levels.maxMipmapLevelClamp = 1;
  CUDA_OK(cudaBindTextureToMipmappedArray(levels, mipmap));

  Buffer<float> p(w * h), v(w * h), l(w * h), c(w * h), m(w * h);
  Buffer<float4> q(w * h);
  samplePictures<<<dim3(2, h), 32>>>(p, q, v, l, c, m, w, h);
  checkLaunch();
  auto gp = p.get(), gv = v.get(), gl = l.get(), gc = c.get(), gm = m.get();
  auto gq = q.get();
  for (int i = 0; i < w * h; ++i) {
    const int x = i % w, y = i / w;
    expect("picture", i, gp[i], bytes[i] / 255.0f);
    expectTrue("colours", std::memcmp(&gq[i], &colourTexels[i], sizeof(float4)) == 0);
    // Between the two slices, by equal parts.
    expectTrue("volume", std::abs(gv[i] - (volumeTexels[i] + volumeTexels[w * h + i]) / 2) < 1e-6f);
    expect("layers", i, gl[i], layerTexels[w * h + i]);
    expect("cube", i, gc[i], cubeTexels[2 * 5 + 2]);
    const int column = std::min(int((x + 0.5f) / w * (w / 2)), w / 2 - 1);
    const int row = std::min(int((y + 0.5f) / h * (h / 2)), h / 2 - 1);
    expect("levels", i, gm[i], levelTexels[row * (w / 2) + column]);
  }

  CUDA_OK(cudaMallocArray(&surfaceArray, &real, w, h, cudaArraySurfaceLoadStore));
  auto before = fillArray<float>(surfaceArray, w, h, 1, nextFloat);
  CUDA_OK(cudaBindSurfaceToArray(target, surfaceArray));
  const surfaceReference *found;
  CUDA_OK(cudaGetSurfaceReference(&found, &layeredTarget));
  CUDA_OK(cudaBindSurfaceToArray(found, layerArray, &real));
  halve<<<dim3(2, h), 32>>>(w, h);
  checkLaunch();
  std::vector<float> after(w * h), layered(w * h * 3);
  CUDA_OK(cudaMemcpy2DFromArray(after.data(), w * 4, surfaceArray, 0, 0, w * 4, h,
                                cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = layerArray;
  copy.dstPtr = make_cudaPitchedPtr(layered.data(), w * 4, w, h);
  copy.extent = make_cudaExtent(w, h, 3);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA_OK(cudaMemcpy3D(&copy));
  for (int i = 0; i < w * h; ++i) {
    expect("surface", i, after[i], before[i] / 2);
    expect("layered surface", i, layered[w * h + i], before[i]);
    expect("other layer", i, layered[i], layerTexels[i]);
  }
}

static void errors() {
  size_t offset;
  static textureReference stranger;
  cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
  Buffer<float> memory(4);
  const textureReference *found;
  const surfaceReference *foundSurface;
  expectError("no reference", cudaBindTexture(0, &stranger, memory.data, &real, 16),
              cudaErrorInvalidTexture);
  expectError("null", cudaBindTexture(0, (const textureReference *)0, memory.data, &real, 16),
              cudaErrorInvalidValue);
  expectError("unbind stranger", cudaUnbindTexture(&stranger), cudaErrorInvalidTexture);
  expectError("find stranger", cudaGetTextureReference(&found, &stranger), cudaErrorInvalidTexture);
  expectError("find surface", cudaGetSurfaceReference(&foundSurface, &stranger),
              cudaErrorInvalidSurface);
  CUDA_OK(cudaUnbindTexture(line));
  expectError("not bound", cudaGetTextureAlignmentOffset(&offset, line),
              cudaErrorInvalidTextureBinding);
  expectError("null array", cudaBindTextureToArray(colours, nullptr, real),
              cudaErrorInvalidResourceHandle);
  expectError("filter of integers",
              (pairs.filterMode = cudaFilterModeLinear, cudaBindTexture(0, pairs, memory.data, 16)),
              cudaErrorInvalidFilterSetting);
  cudaGetLastError();
}

int main() {
  linearMemory();
  offsets();
  pictures();
  errors();
  return finish();
}
