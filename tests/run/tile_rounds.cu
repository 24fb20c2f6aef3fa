// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that fill a tile, wait, read it and wait again: where the next round may begin before all have read, and where it
// must not, since the tile outlives its round or the second wait orders something else.
#include "support.h"

constexpr int Most = 10; ///< rounds

/// Everybody reads everybody's element of each tile. Padded, and filled by part of the threads' addresses only.
__global__ void sums(int rounds, const int *in, int *out) {
  __shared__ int tile[13][11];
  int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x, all = blockDim.x * blockDim.y, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[y][x] = in[round * all + t];
    __syncthreads();
    for (int j = 0; j < blockDim.y; ++j)
      for (int i = 0; i < blockDim.x; ++i)
        sum = 3 * sum + tile[j][i];
    __syncthreads();
  }
  out[t] = sum;
}

/// Threads that return first leave their elements unwritten; nobody reads them.
__global__ void someReturn(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0, live = blockDim.x - 5;
  if (t >= live)
    return;
  for (int round = 0; round < rounds; ++round) {
    tile[t] = in[round * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < live; ++i)
      sum = 3 * sum + tile[i];
    __syncthreads();
  }
  out[t] = sum;
}

/// Threads leave in different rounds; what they have left in the tile is read by the others.
__global__ void someLeave(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  tile[t] = 0;
  __syncthreads();
  for (int round = 0; round < 2 + (t / 32 + t / 64) % rounds; ++round) {
    tile[t] = in[round * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < blockDim.x; ++i)
      sum = 3 * sum + tile[i];
    __syncthreads();
  }
  out[t] = sum;
}

/// In odd rounds half of the tile is that of the round before.
__global__ void halfIsOld(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0 || t % 2 == 0)
      tile[t] = in[round * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < blockDim.x; ++i)
      sum = 3 * sum + tile[i];
    __syncthreads();
  }
  out[t] = sum;
}

/// Each round fills another place; all are read.
__global__ void placesMove(int rounds, const int *in, int *out) {
  __shared__ int tile[128 + Most];
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[t + round] = in[round * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < blockDim.x + round; ++i)
      sum = 3 * sum + tile[i];
    __syncthreads();
  }
  out[t] = sum;
}

/// The last tile is read behind the loop.
__global__ void readBehind(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[t] = in[round * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < blockDim.x; ++i)
      sum = 3 * sum + tile[i];
    __syncthreads();
  }
  out[t] = 3 * sum + tile[blockDim.x - 1 - t];
}

/// Rounds of rounds: an odd number of inner ones ends in the first copy, where the next one begins.
__global__ void nested(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, sum = 0;
  for (int outer = 0; outer < 3; ++outer)
    for (int round = 0; round < rounds; ++round) {
      tile[t] = in[round * blockDim.x + t] + outer;
      __syncthreads();
      for (int i = 0; i < blockDim.x; ++i)
        sum = 3 * sum + tile[i];
      __syncthreads();
    }
  out[t] = sum;
}

/// The second wait orders what is written to global memory and read in the next round.
__global__ void handsOn(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, n = blockDim.x;
  out[t] = in[t];
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    tile[t] = out[t];
    __syncthreads();
    int sum = in[round * n + t];
    for (int i = 0; i < n; ++i)
      sum = 3 * sum + tile[i];
    out[(t + 40) % n] = sum;
    __syncthreads();
  }
}

/// Global memory is read behind the first wait and written behind the loop.
__global__ void inPlace(int rounds, const int *in, int *out) {
  __shared__ int tile[128];
  int t = threadIdx.x, n = blockDim.x, sum = 0;
  out[t] = in[t];
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    tile[t] = in[round * n + t];
    __syncthreads();
    for (int i = 0; i < n; ++i)
      sum = 3 * sum + tile[i] + out[(t + i) % n];
    __syncthreads();
  }
  out[t] = sum;
}

using Kernel = void (*)(int, const int *, int *);

/// What the threads of a block compute, one after the other in each phase.
void check(const char *name, Kernel kernel, dim3 block, int rounds, int (*tileOf)(int, int, int, const int *, int),
           int (*endOf)(int, int, int, const int *, int), int repeats, int live) {
  Random random(rounds);
  int n = block.x * block.y;
  std::vector<int> in((Most + 2) * n), want(n);
  for (int &v : in)
    v = random.below(1000);
  for (int t = 0; t < live; ++t) {
    unsigned sum = 0;
    for (int outer = 0; outer < repeats; ++outer)
      for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < live; ++i)
          sum = 3 * sum + tileOf(round, i, n, in.data(), outer);
    want[t] = endOf(rounds, t, n, in.data(), int(sum));
  }
  Buffer<int> deviceIn(in), out(n);
  kernel<<<1, block>>>(rounds, deviceIn, out);
  checkLaunch();
  std::vector<int> got = out.get();
  for (int t = live; t < n; ++t)
    got[t] = 0;
  expectAll(name, got, want);
}

int fresh(int round, int i, int n, const int *in, int outer) { return in[round * n + i] + outer; }
int old(int round, int i, int n, const int *in, int) { return in[(i % 2 ? round / 2 * 2 : round) * n + i]; }
int sumOnly(int, int, int, const int *, int sum) { return sum; }
int lastTile(int rounds, int t, int n, const int *in, int sum) {
  return int(3u * sum + in[(rounds - 1) * n + n - 1 - t]);
}

void checkLeaving(int n, int rounds) {
  Random random(5);
  std::vector<int> in((Most + 2) * n), want(n), tile(n);
  std::vector<unsigned> sum(n);
  for (int &v : in)
    v = random.below(1000);
  auto length = [&](int t) { return 2 + (t / 32 + t / 64) % rounds; };
  for (int round = 0; round < Most + 2; ++round) {
    for (int t = 0; t < n; ++t)
      if (round < length(t))
        tile[t] = in[round * n + t];
    for (int t = 0; t < n; ++t)
      for (int i = 0; round < length(t) && i < n; ++i)
        sum[t] = 3 * sum[t] + tile[i];
  }
  for (int t = 0; t < n; ++t)
    want[t] = sum[t];
  Buffer<int> deviceIn(in), out(n);
  someLeave<<<1, n>>>(rounds, deviceIn, out);
  checkLaunch();
  expectAll("threads leave", out.get(), want);
}

void checkMoving(int n, int rounds) {
  Random random(6);
  std::vector<int> in(Most * n), want(n), tile(n + Most);
  unsigned sum = 0;
  for (int &v : in)
    v = random.below(1000);
  for (int round = 0; round < rounds; ++round) {
    for (int t = 0; t < n; ++t)
      tile[t + round] = in[round * n + t];
    for (int i = 0; i < n + round; ++i)
      sum = 3 * sum + tile[i];
  }
  std::fill(want.begin(), want.end(), int(sum));
  Buffer<int> deviceIn(in), out(n);
  placesMove<<<1, n>>>(rounds, deviceIn, out);
  checkLaunch();
  expectAll("places move", out.get(), want);
}

void checkHandedOn(int n, int rounds) {
  Random random(7);
  std::vector<int> in(Most * n), want(n), next(n);
  for (int &v : in)
    v = random.below(1000);
  for (int t = 0; t < n; ++t)
    want[t] = in[t];
  for (int round = 0; round < rounds; ++round) {
    for (int t = 0; t < n; ++t) {
      unsigned sum = in[round * n + t];
      for (int i = 0; i < n; ++i)
        sum = 3 * sum + want[i];
      next[(t + 40) % n] = int(sum);
    }
    want = next;
  }
  Buffer<int> deviceIn(in), out(n);
  handsOn<<<1, n>>>(rounds, deviceIn, out);
  checkLaunch();
  expectAll("handed on", out.get(), want);

  for (int t = 0; t < n; ++t) {
    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round)
      for (int i = 0; i < n; ++i)
        sum = 3 * sum + in[round * n + i] + in[(t + i) % n];
    want[t] = int(sum);
  }
  inPlace<<<1, n>>>(rounds, deviceIn, out);
  checkLaunch();
  expectAll("in place", out.get(), want);
}

int main() {
  for (int rounds : {1, 2, 7, Most}) {
    for (dim3 block : {dim3(11, 13), dim3(8, 8), dim3(5, 7)})
      check("sums", sums, block, rounds, fresh, sumOnly, 1, block.x * block.y);
    for (int n : {128, 100, 37}) {
      check("some return", someReturn, n, rounds, fresh, sumOnly, 1, n - 5);
      check("half is old", halfIsOld, n, rounds, old, sumOnly, 1, n);
      check("read behind", readBehind, n, rounds, fresh, lastTile, 1, n);
      check("nested", nested, n, rounds, fresh, sumOnly, 3, n);
      checkMoving(n, rounds);
      checkHandedOn(n, rounds);
    }
  }
  for (int n : {128, 100})
    checkLeaving(n, 3);
  return finish();
}
