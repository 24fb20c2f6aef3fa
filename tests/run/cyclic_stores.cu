// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that go around a cycle, `g[base + (t + 1) % 32]`, with counters and indices of several
// widths: in host code, which LLVM 22 vectorizes wrongly by itself
// (src/plugin/hide_narrow_steps.cpp), and as loops of a kernel.
//
// NVCC: -std=c++17
// RUN: %nvcc %s -o %t
// RUN: %widths %t
// RUN: %nvcc -O3 -Xcompiler -march=native %s -o %t.native
// RUN: %t.native
#include "support.h"

#include <cstring>

constexpr int Size = 4096;

// Each loop as a function of the place to write, a source, a base and a bound, for host and device.
#define LOOP(name, T, ...)                                                                         \
  struct name {                                                                                    \
    using Element = T;                                                                             \
    __host__ __device__ __noinline__ static void run(T *g, const T *s, int base, long n) {         \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };

LOOP(SignedCounter, int, for (int t = 0; t < n; t++) g[base + (t + 1) % 32] = t;)
LOOP(Constant, int, for (unsigned t = 0; t < 32; t++) g[base * 32 + (t + 1) % 32] = t;)
LOOP(ConstantTwice, int, for (unsigned t = 0; t < 64; t++) g[base * 32 + (t + 1) % 32] = s[t] + t;)
LOOP(LongCounter, short, for (long t = 0; t < n; t++) g[base * 32 + ((unsigned)(t + 1)) % 32u] = t;)
LOOP(Folded, unsigned char, for (unsigned t = 0; t < n; t++) g[t % 16] ^= s[t];)
LOOP(Floats, float, for (unsigned t = 1; t < (unsigned)n; t++) g[base + (t & 3)] += s[t];)
LOOP(Bytes, int,
     for (unsigned t = 0; t < (unsigned)n; t++) g[base + (unsigned char)(t + 250)] = s[t];)
LOOP(Halves, int,
     for (unsigned t = 0; t < (unsigned)n; t++)
         g[base + (unsigned short)(t * 64 + 65000) / 64] = t;)
LOOP(ByteCounter, int,
     for (unsigned t = 0; t < (unsigned)n; t++) for (unsigned char i = 250; i != 4; i++)
         g[base + t % 8 + i] += s[i];)
LOOP(Signed, int, for (unsigned t = 0; t < (unsigned)n; t++) g[base + 128 + (signed char)t] = t;)

template <class Loop>
__global__ void onDevice(typename Loop::Element *g, const typename Loop::Element *s, int base,
                         long n) {
  Loop::run(g + threadIdx.x * Size, s, base, n);
}

// What the loop means, without any optimization.
template <class Loop> struct Meaning;
#define PLAIN(name, ...)                                                                           \
  template <> struct Meaning<name> {                                                               \
    using T = name::Element;                                                                       \
    static void run(volatile T *g, const T *s, int base, long n) { __VA_ARGS__ }                   \
  };
PLAIN(SignedCounter, for (int t = 0; t < n; t++) g[base + (t + 1) % 32] = t;)
PLAIN(Constant, for (int t = 0; t < 32; t++) g[base * 32 + (t + 1) % 32] = t;)
PLAIN(ConstantTwice, for (int t = 0; t < 64; t++) g[base * 32 + (t + 1) % 32] = s[t] + t;)
PLAIN(LongCounter, for (int t = 0; t < n; t++) g[base * 32 + (t + 1) % 32] = t;)
PLAIN(Folded, for (int t = 0; t < n; t++) g[t % 16] = g[t % 16] ^ s[t];)
PLAIN(Floats, for (int t = 1; t < n; t++) g[base + t % 4] = g[base + t % 4] + s[t];)
PLAIN(Bytes, for (int t = 0; t < n; t++) g[base + (t + 250) % 256] = s[t];)
PLAIN(Halves, for (int t = 0; t < n; t++) g[base + (t * 64 + 65000) % 65536 / 64] = t;)
PLAIN(ByteCounter, for (int t = 0; t < n; t++) for (int i = 250; i < 260; i++)
                       g[base + t % 8 + i % 256] = g[base + t % 8 + i % 256] + s[i % 256];)
PLAIN(Signed, for (int t = 0; t < n; t++) g[base + (t + 128) % 256] = t;)

template <class Loop> void check(const char *name) {
  using T = typename Loop::Element;
  constexpr int Threads = 32;
  static T wanted[Size], host[Size], source[Size], device[Size * Threads];
  for (int i = 0; i < Size; i++)
    source[i] = (T)(i * 7 + 1);
  T *g, *s;
  CUDA_OK(cudaMalloc(&g, sizeof(device)));
  CUDA_OK(cudaMalloc(&s, sizeof(source)));
  CUDA_OK(cudaMemcpy(s, source, sizeof(source), cudaMemcpyHostToDevice));
  for (long n : {7L, 32L, 33L, 64L, 100L, 1000L}) {
    memset(wanted, 0, sizeof(wanted));
    memset(host, 0, sizeof(host));
    Meaning<Loop>::run(wanted, source, 2, n);
    Loop::run(host, source, 2, n);
    expectTrue(std::string(name) + " in host code", !memcmp(wanted, host, sizeof(host)));
    CUDA_OK(cudaMemset(g, 0, sizeof(device)));
    onDevice<Loop><<<1, Threads>>>(g, s, 2, n);
    CUDA_OK(cudaMemcpy(device, g, sizeof(device), cudaMemcpyDeviceToHost));
    bool same = true;
    for (int thread = 0; thread < Threads; thread++)
      same = same && !memcmp(wanted, device + thread * Size, sizeof(host));
    expectTrue(std::string(name) + " in a kernel", same);
  }
  CUDA_OK(cudaFree(g));
  CUDA_OK(cudaFree(s));
}

int main() {
  check<SignedCounter>("SignedCounter");
  check<Constant>("Constant");
  check<ConstantTwice>("ConstantTwice");
  check<LongCounter>("LongCounter");
  check<Folded>("Folded");
  check<Floats>("Floats");
  check<Bytes>("Bytes");
  check<Halves>("Halves");
  check<ByteCounter>("ByteCounter");
  check<Signed>("Signed");
  return finish();
}
