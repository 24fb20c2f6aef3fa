// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices made of thread numbers by shifts, masks, quotients and exclusive or, also where they wrap
// around: each is a form that the compiler knows more of than its values.
#include "support.h"

constexpr int Forms = 33;

// The states of a linear congruential generator, eight bits of each: the factors multiply to more than 64 bits.
template <typename T> __host__ __device__ static unsigned states(T x, T factor, int count, int shift) {
  unsigned sum = 0;
  for (int i = 0; i < count; i++) {
    x = x * factor + 59;
    sum = sum * 2 + unsigned(x >> shift & 255);
  }
  return sum;
}

__host__ __device__ static unsigned form(int which, unsigned x, unsigned n) {
  switch (which) {
  case 0: return x & 15;
  case 1: return x >> 4;
  case 2: return (x << 2) & 60;
  case 3: return (x >> 2) & 60;
  case 4: return (x - 4) >> 2;
  case 5: return (x - 8) & 31;
  case 6: return (x + 3) & 12;
  case 7: return (x * 8) >> 5;
  case 8: return (x >> 3 << 3) & 48;
  case 9: return x ^ 32;
  case 10: return x ^ 5;
  case 11: return (x ^ 64) - (x & 64);
  case 12: return 2 * x - (x & 3);
  case 13: return 2 * x - (x & 15) + 16;
  case 14: return (x >> 1) * n + (x & 1);
  case 15: return x / 48 * 100 + x % 48;
  case 16: return (x & ~7u) >> 1;
  case 17: return ((x + n) & 0xf0) >> 2;
  case 18: return (0u - x) & 31;
  case 19: return (x * 3) & 63;
  case 20: return ((x & 63) + (x >> 6)) & 255;
  case 21: return (x << 30) >> 28;
  case 22: return (x - 100) >> 1 & 0xff;
  case 23: return states(x + n, 241u, 8, 0);
  case 24: return states(x, 241u, 9, 3);
  case 25: return states(x + n, 69069u, 6, 24);
  case 26: return states<unsigned long long>(x, 6364136223846793005ull, 5, 40);
  case 27: return (x * 0x80000001u) >> 30;
  case 28: return (x * 0xc0000000u) >> 28;
  case 29: return ((x >> 2) | 3) & 255;
  case 30: return (x | 15) * 2;
  case 31: return ((x - 100) | 7) >> 1;
  default: return (x & 8) ? x + n : x - n;
  }
}

template <int Which> __device__ void store(unsigned x, unsigned n, unsigned total, const unsigned *table, unsigned *out) {
  unsigned i = threadInGrid();
  unsigned value = form(Which, x, n);
  out[Which * total + i] = value + table[value & 1023];
  if constexpr (Which + 1 < Forms)
    store<Which + 1>(x, n, total, table, out);
}

__global__ void byX(unsigned n, unsigned total, const unsigned *table, unsigned *out) {
  store<0>(threadIdx.x, n, total, table, out);
}
__global__ void byY(unsigned n, unsigned total, const unsigned *table, unsigned *out) {
  store<0>(threadIdx.y * 4 + threadIdx.x, n, total, table, out);
}
__global__ void byGrid(unsigned n, unsigned total, const unsigned *table, unsigned *out) {
  store<0>(threadInGrid(), n, total, table, out);
}

static void compare(dim3 grid, dim3 block, unsigned n) {
  unsigned threads = block.x * block.y * block.z, total = threads * grid.x;
  std::vector<unsigned> table(1024);
  for (unsigned i = 0; i < 1024; ++i)
    table[i] = i * i * 7919u;
  Buffer<unsigned> values(table), out(size_t(total) * Forms);
  for (int which = 0; which < 3; ++which) {
    if (which == 1 && block.y == 1)
      continue; // as the first
    (which == 0 ? byX : which == 1 ? byY : byGrid)<<<grid, block>>>(n, total, values, out);
    CUDA_OK(cudaDeviceSynchronize());
    std::vector<unsigned> got = out.get();
    for (unsigned i = 0; i < total; ++i) {
      unsigned t = i % threads, tx = t % block.x, ty = t / block.x % block.y;
      unsigned x = which == 0 ? tx : which == 1 ? ty * 4 + tx : i;
      for (int f = 0; f < Forms; ++f) {
        unsigned value = form(f, x, n);
        expect("form " + std::to_string(f) + " kernel " + std::to_string(which), i, got[size_t(f) * total + i],
               value + table[value & 1023]);
      }
    }
  }
}

int main() {
  compare(3, 256, 1000);
  compare(2, dim3(16, 16), 17);
  compare(2, dim3(32, 8), 3);
  compare(3, dim3(8, 4, 4), 5);
  compare(2, 200, 77);
  compare(2, dim3(48, 5), 9);
  return finish();
}
