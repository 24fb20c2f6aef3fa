// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sust.p and sured.p, whose words a surface's format turns into its elements, and whose x counts these.
// NVCC: -std=c++17
#include "ptx.h"

#include <vector>

/// Four words into element x, in the last row too; then outside, where nothing is to happen.
__global__ void put(cudaSurfaceObject_t s, uint4 v) {
  int x = int(threadIdx.x);
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, 1}], {%2, %3, %4, %5};" ::"l"(s), "r"(x), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
  asm volatile("sust.p.2d.v2.b32.zero [%0, {%1, 1}], {%2, %3};" ::"l"(s), "r"(x + 8), "r"(v.x), "r"(v.y) : "memory");
  asm volatile("sust.p.2d.b32.zero [%0, {%1, 1}], %2;" ::"l"(s), "r"(0x40000000 + x), "r"(v.x) : "memory");
  if (x == 0)
    asm volatile("sust.p.2d.v4.b32.clamp [%0, {-5, -1}], {%1, %2, %3, %4};" ::"l"(s), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

__global__ void reduce(cudaSurfaceObject_t s) {
  int x = int(threadIdx.x);
  asm volatile("sured.p.add.2d.b32.trap [%0, {%1, 1}], %2;" ::"l"(s), "r"(x / 2), "r"(x) : "memory");
  asm volatile("sured.p.min.2d.b32.zero [%0, {%1, 0}], %2;" ::"l"(s), "r"(x), "r"(-x) : "memory");
}

template <class T> cudaSurfaceObject_t make(cudaArray_t &array, const cudaChannelFormatDesc &format) {
  CUDA_OK(cudaMallocArray(&array, &format, 8, 2, cudaArraySurfaceLoadStore));
  std::vector<T> none(16);
  CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, none.data(), 8 * sizeof(T), 8 * sizeof(T), 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

template <class T, int N> void check(const char *name, const cudaChannelFormatDesc &format, uint4 words, std::vector<T> element) {
  struct Texel {
    T of[N];
  };
  cudaArray_t array;
  cudaSurfaceObject_t surface = make<Texel>(array, format);
  put<<<1, 8>>>(surface, words);
  checkLaunch();
  std::vector<Texel> got(16);
  CUDA_OK(cudaMemcpy2DFromArray(got.data(), 8 * sizeof(Texel), array, 0, 0, 8 * sizeof(Texel), 2, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i)
    for (int c = 0; c < N; ++c)
      expect(name, i * N + c, double(got[i].of[c]), i == 0 || i >= 8 ? double(element[c]) : 0.0);
}

static unsigned bits(float f) {
  unsigned word;
  memcpy(&word, &f, 4);
  return word;
}

template <class T> void checkReduction(const char *name, std::vector<T> least) {
  cudaArray_t array;
  cudaSurfaceObject_t surface = make<T>(array, cudaCreateChannelDesc<T>());
  reduce<<<1, 8>>>(surface);
  checkLaunch();
  std::vector<T> got(16);
  CUDA_OK(cudaMemcpy2DFromArray(got.data(), 8 * sizeof(T), array, 0, 0, 8 * sizeof(T), 2, cudaMemcpyDeviceToHost));
  least.insert(least.end(), {1, 5, 9, 13, 0, 0, 0, 0});
  expectAll(name, got, least);
}

int main() {
  check<unsigned char, 4>("uchar4", cudaCreateChannelDesc<uchar4>(), make_uint4(1, 255, 256, ~0u), {1, 255, 255, 255});
  check<signed char, 2>("char2", cudaCreateChannelDesc<char2>(), make_uint4(unsigned(-200), 100, 1, 2), {-128, 100});
  check<short, 1>("short", cudaCreateChannelDesc<short>(), make_uint4(40000, 0, 0, 0), {32767});
  check<unsigned short, 4>("ushort4", cudaCreateChannelDesc<ushort4>(), make_uint4(5, 65536, 65535, 6), {5, 65535, 65535, 6});
  check<int, 2>("int2", cudaCreateChannelDesc<int2>(), make_uint4(7, unsigned(-7), 1, 1), {7, -7});
  check<float, 4>("float4", cudaCreateChannelDesc<float4>(), make_uint4(bits(1.5f), bits(-2), bits(0.25f), bits(9)), {1.5f, -2, 0.25f, 9});
  // 1.5 and -2 as halves
  check<unsigned short, 2>("half2", cudaCreateChannelDescHalf2(), make_uint4(bits(1.5f), bits(-2), 0, 0), {0x3e00, 0xc000});
  checkReduction<int>("of signed numbers", {0, -1, -2, -3, -4, -5, -6, -7});
  checkReduction<unsigned>("of unsigned numbers", {0, 0, 0, 0, 0, 0, 0, 0});
  return finish();
}
