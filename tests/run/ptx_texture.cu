// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tex and tld4 of inline PTX against the texture functions of CUDA C++, which texture_samples.cu compares with a GPU, and
// texels that are not filtered against the array.
#include "ptx.h"

#include <cuda_fp16.h>

struct Texel {
  float x, y, z, w;
  __host__ __device__ bool operator==(const Texel &o) const { return x == o.x && y == o.y && z == o.z && w == o.w; }
};

#define OUT "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)
__device__ void put(unsigned *out, const Texel &r, const float4 &s) { *out = r == Texel{s.x, s.y, s.z, s.w}; }

__global__ void samples(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t volume,
                        cudaTextureObject_t layers, cudaTextureObject_t lines, cudaTextureObject_t normal, unsigned *out,
                        unsigned n) {
  unsigned i = threadInGrid();
  if (i >= n)
    return;
  float x = float(i % 61) * 0.3f - 2, y = float(i % 17) * 0.41f - 1, z = float(i % 7) * 0.7f;
  int layer = int(i % 3);
  unsigned *to = out + 16 * i;
  Texel r;
  asm volatile("tex.1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5}];" : OUT : "l"(line), "f"(x));
  put(to + 0, r, tex1D<float4>(line, x));
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : OUT : "l"(plane), "f"(x), "f"(y));
  put(to + 1, r, tex2D<float4>(plane, x, y));
  asm volatile("tex.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : OUT : "l"(volume), "f"(x), "f"(y), "f"(z));
  put(to + 2, r, tex3D<float4>(volume, x, y, z));
  asm volatile("tex.a2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : OUT : "l"(layers), "r"(layer), "f"(x), "f"(y));
  put(to + 3, r, tex2DLayered<float4>(layers, x, y, layer));
  asm volatile("tex.a1d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : OUT : "l"(lines), "r"(layer), "f"(x));
  put(to + 4, r, tex1DLayered<float4>(lines, x, layer));
  asm volatile("tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;" : OUT : "l"(plane), "f"(x), "f"(y), "f"(0.0f));
  put(to + 5, r, tex2DLod<float4>(plane, x, y, 0));
  asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : OUT : "l"(plane), "f"(x), "f"(y));
  put(to + 6, r, tex2Dgather<float4>(plane, x, y, 0));
  asm volatile("tld4.b.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : OUT : "l"(plane), "f"(x), "f"(y));
  put(to + 7, r, tex2Dgather<float4>(plane, x, y, 2));
  asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : OUT : "l"(plane), "r"(int(i % 13)), "r"(int(i % 9)));
  put(to + 8, r, tex2D<float4>(plane, float(i % 13) + 0.5f, float(i % 9) + 0.5f));
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %7, 2; @p tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}]; }"
               : "+f"(r.x), "+f"(r.y), "+f"(r.z), "+f"(r.w) : "l"(plane), "f"(x), "f"(y), "r"(layer));
  float4 again = layer < 2 ? tex2D<float4>(plane, x, y) : tex2D<float4>(plane, float(i % 13) + 0.5f, float(i % 9) + 0.5f);
  put(to + 9, r, again);
  asm volatile("tex.grad.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %7}, {%8, %7};" : OUT
               : "l"(plane), "f"(x), "f"(y), "f"(0.25f), "f"(z));
  put(to + 10, r, tex2DGrad<float4>(plane, x, y, make_float2(0.25f, 0.25f), make_float2(z, 0.25f)));
  // Offsets in texels; of normalized coordinates, too. The predicate says that there is memory.
  unsigned there = 0;
  asm volatile("{ .reg .pred p; tex.base.2d.v4.f32.f32 {%0, %1, %2, %3}|p, [%5, {%6, %7}], {%8, -1}; selp.u32 %4, 1, 0, p; }"
               : OUT, "=r"(there) : "l"(plane), "f"(x), "f"(y), "r"(layer));
  put(to + 11, r, tex2D<float4>(plane, x + float(layer), y - 1));
  to[11] &= there;
  asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {2, %7};" : OUT
               : "l"(normal), "f"((float(i % 8) + 0.5f) / 13), "f"((float(i % 6) + 0.5f) / 9), "r"(layer));
  put(to + 12, r, tex2D<float4>(plane, float(i % 8) + 2.5f, float(i % 6) + 0.5f + float(layer)));
  asm volatile("tld4.g.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {1, %7};" : OUT : "l"(plane), "f"(x), "f"(y), "r"(layer));
  put(to + 13, r, tex2Dgather<float4>(plane, x + 1, y + float(layer), 1));
  unsigned low, high;
  asm volatile("tex.2d.v2.f16x2.f32 {%0, %1}, [%2, {%3, %4}];" : "=r"(low), "=r"(high) : "l"(plane), "f"(x), "f"(y));
  float4 whole = tex2D<float4>(plane, x, y);
  __half2 pair = __floats2half2_rn(whole.x, whole.y), other = __floats2half2_rn(whole.z, whole.w);
  to[14] = low == *(unsigned *)&pair && high == *(unsigned *)&other;
  unsigned short third;
  asm volatile("{ .reg .b16 h; tex.2d.v4.f16.f32 {h, h, %0, h}, [%1, {%2, %3}]; }" : "=h"(third) : "l"(plane), "f"(x), "f"(y));
  to[15] = third == (unsigned short)high;
}

/// A texel of linear memory by its number, as words.
__global__ void fetches(cudaTextureObject_t words, unsigned *out, unsigned n) {
  unsigned i = threadInGrid(), a, b, c, d;
  if (i >= n)
    return;
  asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(words), "r"(int(i) - 3));
  out[i] = a + 3 * b;
}

template <class T>
cudaTextureObject_t make(std::vector<T> &texels, cudaExtent extent, cudaExtent sizes, unsigned flags, bool isLinear,
                         bool isNormalized = false) {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CUDA_OK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), sizes.width * sizeof(T), sizes.width, sizes.height);
  copy.dstArray = array;
  copy.extent = sizes;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.normalizedCoords = isNormalized;
  how.filterMode = isLinear ? cudaFilterModeLinear : cudaFilterModePoint;
  for (cudaTextureAddressMode &mode : how.addressMode)
    mode = cudaAddressModeClamp;
  cudaTextureObject_t object;
  CUDA_OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}

int main() {
  Random random(53);
  const int width = 13, height = 9, depth = 4;
  std::vector<float4> texels(width * height * depth);
  for (float4 &t : texels)
    t = make_float4(float(random.below(100)), float(random.below(100)), float(random.below(100)), float(random.below(100)));
  auto extent = [](int w, int h, int d) { return make_cudaExtent(w, h, d); };
  cudaTextureObject_t line = make(texels, extent(width, 0, 0), extent(width, 1, 1), 0, true);
  cudaTextureObject_t plane = make(texels, extent(width, height, 0), extent(width, height, 1), cudaArrayTextureGather, true);
  cudaTextureObject_t volume = make(texels, extent(width, height, depth), extent(width, height, depth), 0, true);
  cudaTextureObject_t layers = make(texels, extent(width, height, depth), extent(width, height, depth), cudaArrayLayered, false);
  cudaTextureObject_t lines = make(texels, extent(width, 0, depth), extent(width, 1, depth), cudaArrayLayered, true);
  cudaTextureObject_t normal = make(texels, extent(width, height, 0), extent(width, height, 1), 0, false, true);
  const unsigned n = 150;
  Buffer<unsigned> out(16 * n);
  samples<<<3, 64>>>(line, plane, volume, layers, lines, normal, out, n);
  checkLaunch();
  std::vector<unsigned> got = out.get();
  for (unsigned i = 0; i < 16 * n; ++i)
    expect("samples", i, got[i], 1u);

  std::vector<uint2> words(40);
  for (uint2 &w : words)
    w = make_uint2(random.bits(), random.bits());
  Buffer<uint2> memory(words);
  Buffer<unsigned> sums(46);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = (uint2 *)memory;
  resource.res.linear.desc = cudaCreateChannelDesc<uint2>();
  resource.res.linear.sizeInBytes = words.size() * sizeof(uint2);
  cudaTextureDesc how = {};
  cudaTextureObject_t object;
  CUDA_OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  fetches<<<1, 64>>>(object, sums, 46);
  checkLaunch();
  got = sums.get();
  for (int i = 0; i < 46; ++i)
    expect("fetches", i, got[i], i < 3 || i >= 43 ? 0u : words[i - 3].x + 3 * words[i - 3].y);
  return finish();
}
