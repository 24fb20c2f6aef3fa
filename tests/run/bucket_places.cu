// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts by a digit that count the places in memory, a thread of each block or all threads in turn: the lines behind those
// that are written to are fetched, also beyond the array's end, which never faults.
#include "support.h"

#include <algorithm>

constexpr int Digits = 64, Tile = 1531, Tiles = 5;

template <class T> __global__ void sortTile(int n, int shift, const T *keys, T *out) {
  __shared__ int places[Digits];
  int first = blockIdx.x * Tile, last = min(n, first + Tile);
  places[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = first; i < last; ++i)
      ++places[keys[i] >> shift & (Digits - 1)];
    int running = first;
    for (int d = 0; d < Digits; ++d) {
      int count = places[d];
      places[d] = running;
      running += count;
    }
    for (int i = first; i < last; ++i)
      out[places[keys[i] >> shift & (Digits - 1)]++] = keys[i];
  }
}

/// Each thread its own segment; the places are in global memory.
template <class T> __global__ void sortSegments(int n, int shift, const T *keys, T *out, unsigned *places) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x, first = thread * Tile, last = min(n, first + Tile);
  unsigned *mine = places + thread * Digits;
  for (int i = first; i < last; ++i)
    ++mine[keys[i] >> shift & (Digits - 1)];
  unsigned running = first;
  for (int d = 0; d < Digits && first < n; ++d) {
    unsigned count = mine[d];
    mine[d] = running;
    running += count;
  }
  for (int i = first; i < last; ++i)
    out[mine[keys[i] >> shift & (Digits - 1)]++] = keys[i];
}

template <class T> static void check(const char *what, int n, int shift, Random &random) {
  std::vector<T> keys(n);
  for (T &key : keys)
    key = T(random.bits());
  std::vector<T> want = keys;
  for (int first = 0; first < n; first += Tile)
    std::stable_sort(want.begin() + first, want.begin() + std::min(n, first + Tile), [&](T a, T b) {
      return (a >> shift & (Digits - 1)) < (b >> shift & (Digits - 1));
    });
  Buffer<T> in(keys), out(n);
  Buffer<unsigned> places(std::vector<unsigned>(Tiles * Digits, 0));
  auto compare = [&](const char *how) {
    checkLaunch();
    std::vector<T> got = out.get();
    for (int i = 0; i < n; ++i)
      if (got[i] != want[i])
        report((std::string(what) + how).c_str(), i, show(got[i]), show(want[i]));
    CUDA_OK(cudaMemset(out, 0, n * sizeof(T)));
  };
  int tiles = (n + Tile - 1) / Tile;
  sortTile<T><<<tiles, Digits>>>(n, shift, in, out);
  compare(", a thread of each block");
  sortSegments<T><<<1, Tiles>>>(n, shift, in, out, places);
  compare(", all threads");
}

int main() {
  Random random(5);
  for (int n : {1, 63, 1531, 3333, Tiles * Tile}) {
    check<unsigned short>("16 bits", n, 3, random);
    check<unsigned>("32 bits", n, 8, random);
    check<unsigned long long>("64 bits", n, 0, random);
  }
  return finish();
}
