// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores at indices that are neighbours for some values of a parameter only: i & (m - 1), i ^ m, i % m, with
// elements of 4 and 8 bytes and pairs, all threads or some, and beside the ends of an allocation.
#include "support.h"

#include <algorithm>

constexpr int Count = 512;

template <class T> __host__ __device__ T make(int i) { return T(i * 3 + 1); }
template <> __host__ __device__ float2 make<float2>(int i) { return make_float2(i + 0.5f, -2.0f * i); }
template <> __host__ __device__ int2 make<int2>(int i) { return make_int2(7 * i, i - 100000); }

/// Kind 0: and; 1: xor; 2: remainder; 3: unsigned, below the first lanes' reach.
__host__ __device__ inline int indexOf(int kind, int i, int m) {
  switch (kind) {
  case 0:
    return (i - (i & (m - 1))) / 2 * 2 + (i & (m - 1));
  case 1:
    return (i ^ m) & (Count - 1);
  case 2:
    return i % m;
  default:
    return int((unsigned(i) - 5u) & unsigned(m - 1));
  }
}

template <int Kind, class T>
__global__ void gather(const T *in, T *out, int m, int n, int skip) {
  int i = threadInGrid();
  if (i >= n || i % 7 == skip)
    return;
  out[i] = in[indexOf(Kind, i, m)];
}

/// A permutation for kind 0 and 1; elsewhere several threads write the same value.
template <int Kind, class T> __global__ void scatter(T *out, int m, int n, int skip) {
  int i = threadInGrid();
  if (i >= n || i % 7 == skip)
    return;
  int to = indexOf(Kind, i, m);
  out[to] = make<T>(to);
}

template <int Kind, class T> static void test(const char *name, int m, int n, int skip, dim3 block) {
  unsigned blocks = (n + block.x * block.y - 1) / (block.x * block.y);
  std::vector<T> values(Count), empty(Count);
  std::memset(static_cast<void *>(empty.data()), 0, Count * sizeof(T));
  for (int i = 0; i < Count; i++)
    values[i] = make<T>(i);
  Buffer<T> in(values), gathered(empty), scattered(empty);
  gather<Kind, T><<<blocks, block>>>(in.data, gathered.data, m, n, skip);
  scatter<Kind, T><<<blocks, block>>>(scattered.data, m, n, skip);
  checkLaunch();
  std::vector<T> wantGathered(empty), wantScattered(empty), got = gathered.get(), put = scattered.get();
  for (int i = 0; i < n; i++)
    if (i % 7 != skip) {
      wantGathered[i] = values[indexOf(Kind, i, m)];
      wantScattered[indexOf(Kind, i, m)] = make<T>(indexOf(Kind, i, m));
    }
  std::string what = std::string(name) + " kind " + std::to_string(Kind) + " m " + std::to_string(m) + " n " +
                     std::to_string(n) + " skip " + std::to_string(skip);
  expectTrue(what + " gather", std::memcmp(got.data(), wantGathered.data(), Count * sizeof(T)) == 0);
  expectTrue(what + " scatter", std::memcmp(put.data(), wantScattered.data(), Count * sizeof(T)) == 0);
}

template <int Kind, class T> static void sizes(const char *name) {
  for (int m : {1, 8, 16, 64, 512})
    for (int skip : {-1, 0, 3}) {
      test<Kind, T>(name, m, Count, skip, dim3(128));
      test<Kind, T>(name, m, 333, skip, dim3(16, 4));
    }
}
template <class T> static void kinds(const char *name) {
  sizes<0, T>(name);
  sizes<1, T>(name);
  sizes<2, T>(name);
  sizes<3, T>(name);
}

/// Compare and exchange in shared memory, as sorting networks do.
__global__ void sortPieces(unsigned *keys) {
  __shared__ unsigned piece[256];
  unsigned *mine = keys + 256 * blockIdx.x;
  int t = threadIdx.x;
  piece[t] = mine[t];
  for (int size = 2; size <= 256; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int other = t ^ stride;
      if (other > t) {
        unsigned a = piece[t], b = piece[other];
        if ((a > b) == ((t & size) == 0)) {
          piece[t] = b;
          piece[other] = a;
        }
      }
    }
  __syncthreads();
  mine[t] = piece[t];
}

int main() {
  kinds<int>("int");
  kinds<double>("double");
  kinds<float2>("float2");
  kinds<short>("short");

  Random random(11);
  std::vector<unsigned> keys(256 * 20);
  for (unsigned &key : keys)
    key = random.bits();
  Buffer<unsigned> sorted(keys);
  sortPieces<<<20, 256>>>(sorted.data);
  checkLaunch();
  for (int piece = 0; piece < 20; piece++)
    std::sort(keys.begin() + 256 * piece, keys.begin() + 256 * (piece + 1));
  expectAll("sorted", sorted.get(), keys);
  return finish();
}
