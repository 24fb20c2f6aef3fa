// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of different types to the same place, in the order of the program: nvcc takes no types of C++ for different
// places in device code, and programs count on it, as CUB does where it moves values between lanes in words.
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -rdc=true -O3 -use_fast_math %s -o %t.rdc && %t.rdc
#include "support.h"

struct Best {
  long long place;
  double value;
  short tag;
};

template <class T> __device__ T fromLane(const T &value, int lane) {
  T result;
  const int *in = reinterpret_cast<const int *>(&value);
  int *out = reinterpret_cast<int *>(&result);
  for (int word = 0; word < sizeof(T) / sizeof(int); ++word)
    out[word] = __shfl_sync(0xffffffffu, in[word], lane);
  return result;
}

/// The last of the largest values of a warp, found by words of its lanes.
__global__ void largest(const double *values, Best *bests) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  Best best = {i, values[i], static_cast<short>(i % 100)};
  for (int distance = 16; distance > 0; distance /= 2) {
    Best other = fromLane(best, lane ^ distance);
    if (other.value > best.value || (other.value == best.value && other.place > best.place))
      best = other;
  }
  bests[i] = best;
}

/// Stores and loads of global memory by several types, which lead to the same place.
__global__ void inTurns(float *f, int *n, unsigned short *h, long long *wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  f[i] = static_cast<float>(i);
  n[i] += 1 << 23;                                 // twice as much, but for 0
  float twice = f[i];
  h[2 * i + 1] ^= 0x8000;                          // its sign
  f[i] = f[i] + twice + twice;
  wide[i] = n[i];
}

/// The bits of floats in a local array and in shared memory.
__global__ void bits(const float *in, unsigned *out) {
  __shared__ float tile[64];
  unsigned own[4];
  tile[threadIdx.x] = in[threadIdx.x];
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<float *>(own)[k] = tile[threadIdx.x] * k;
  *reinterpret_cast<unsigned *>(&tile[threadIdx.x]) += own[1] - own[3];
  out[threadIdx.x] = own[2] + __float_as_uint(tile[threadIdx.x]);
}

static unsigned bitsOf(float value) {
  unsigned result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

static void testLargest(Random &random) {
  constexpr int Blocks = 3, Threads = 64, N = Blocks * Threads;
  std::vector<double> values(N);
  for (double &value : values)
    value = random.below(20);
  Buffer<double> in(values);
  Buffer<Best> out(N);
  largest<<<Blocks, Threads>>>(in, out);
  std::vector<Best> bests = out.get();
  for (int i = 0; i < N; ++i) {
    int first = i / 32 * 32, want = first;
    for (int k = first + 1; k < first + 32; ++k)
      if (values[k] >= values[want])
        want = k;
    expect("place", i, bests[i].place, want);
    expect("value", i, bests[i].value, values[want]);
    expect("tag", i, bests[i].tag, want % 100);
  }
}

static void testInTurns() {
  constexpr int N = 3 * 64;
  Buffer<float> f(N);
  Buffer<long long> wide(N);
  void *place = f.data;
  inTurns<<<3, 64>>>(f, static_cast<int *>(place), static_cast<unsigned short *>(place), wide);
  std::vector<float> got = f.get();
  std::vector<long long> gotBits = wide.get();
  for (int i = 1; i < N; ++i) {
    float want = 2.0f * i; // -2i + 2i + 2i
    expect("in turns", i, got[i], want);
    expect("its bits", i, gotBits[i], bitsOf(want));
  }
}

static void testBits(Random &random) {
  constexpr int N = 64;
  std::vector<float> values(N);
  for (float &value : values)
    value = static_cast<float>(random.below(1000) - 500);
  Buffer<float> in(values);
  Buffer<unsigned> out(N);
  bits<<<1, N>>>(in, out);
  std::vector<unsigned> got = out.get();
  for (int i = 0; i < N; ++i)
    expect("bits", i, got[i],
           bitsOf(values[i] * 2) + 2 * bitsOf(values[i]) - bitsOf(values[i] * 3));
}

int main() {
  Random random(99);
  testLargest(random);
  testInTurns();
  testBits(random);
  return finish();
}
