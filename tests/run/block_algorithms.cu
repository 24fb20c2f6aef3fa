// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans over a block: the tree in shared memory, warp shuffles, Hillis-Steele, Blelloch; odd sizes.
#include "support.h"

__global__ void treeReduce(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned part[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// The textbook's first version: interleaved addresses and a divergent branch.
__global__ void interleavedReduce(const unsigned *in, unsigned *out, int n) {
  extern __shared__ unsigned part2[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part2[t] = i < unsigned(n) ? in[i] : 0;
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0)
      part2[t] += part2[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = part2[0];
}

__global__ void shuffleReduce(const unsigned *in, unsigned *out, int n) {
  __shared__ unsigned warps[32];
  unsigned sum = 0, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0)
    warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? warps[lane] : 0;
    for (int d = 16; d; d /= 2)
      sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
      atomicAdd(out, sum);
  }
}

__global__ void hillisSteele(const unsigned *in, unsigned *out) {
  __shared__ unsigned buffer[2][300];
  int t = threadIdx.x, n = blockDim.x, now = 0;
  buffer[0][t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    buffer[1 - now][t] = buffer[now][t] + (t >= d ? buffer[now][t - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = buffer[now][t];
}

// In place: two barriers a step.
__global__ void inPlace(const unsigned *in, unsigned *out) {
  __shared__ unsigned x[300];
  int t = threadIdx.x, n = blockDim.x;
  x[t] = in[blockIdx.x * n + t];
  for (int d = 1; d < n; d *= 2) {
    __syncthreads();
    unsigned v = t >= d ? x[t - d] : 0;
    __syncthreads();
    x[t] += v;
  }
  out[blockIdx.x * n + t] = x[t];
}

// Work-efficient exclusive scan of 2 * blockDim.x elements.
__global__ void blelloch(const unsigned *in, unsigned *out) {
  __shared__ unsigned x[512];
  int t = threadIdx.x, n = 2 * blockDim.x, offset = 1;
  x[2 * t] = in[blockIdx.x * n + 2 * t];
  x[2 * t + 1] = in[blockIdx.x * n + 2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d)
      x[offset * (2 * t + 2) - 1] += x[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0)
    x[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      unsigned v = x[a];
      x[a] = x[b];
      x[b] += v;
    }
  }
  __syncthreads();
  out[blockIdx.x * n + 2 * t] = x[2 * t];
  out[blockIdx.x * n + 2 * t + 1] = x[2 * t + 1];
}

int main() {
  Random random(43);
  const int n = 3001;
  std::vector<unsigned> in(n);
  unsigned total = 0;
  for (unsigned &v : in)
    total += v = random.bits() >> 8;
  Buffer<unsigned> deviceIn(in);
  auto checkSum = [&](const char *name, const Buffer<unsigned> &parts) {
    unsigned sum = 0;
    for (unsigned v : parts.get())
      sum += v;
    expect(name, 0, sum, total);
  };
  Buffer<unsigned> parts(n);
  treeReduce<<<(n + 255) / 256, 256>>>(deviceIn, parts, n);
  checkLaunch();
  checkSum("tree", parts);
  Buffer<unsigned> parts2(n);
  interleavedReduce<<<(n + 15) / 16, 16, 64>>>(deviceIn, parts2, n);
  checkLaunch();
  checkSum("interleaved", parts2);
  Buffer<unsigned> parts3(1);
  shuffleReduce<<<5, 96>>>(deviceIn, parts3, n);
  checkLaunch();
  checkSum("shuffle", parts3);

  for (int block : {256, 77}) {
    std::vector<unsigned> want(4 * block);
    for (int b = 0; b < 4; b++) {
      unsigned sum = 0;
      for (int t = 0; t < block; t++)
        want[b * block + t] = sum += in[b * block + t];
    }
    Buffer<unsigned> out(4 * block);
    hillisSteele<<<4, block>>>(deviceIn, out);
    checkLaunch();
    expectAll("hillis-steele", out.get(), want);
    inPlace<<<4, block>>>(deviceIn, out);
    checkLaunch();
    expectAll("in place", out.get(), want);
  }
  Buffer<unsigned> out(4 * 256);
  blelloch<<<4, 128>>>(deviceIn, out);
  checkLaunch();
  std::vector<unsigned> want(4 * 256);
  for (int b = 0; b < 4; b++) {
    unsigned sum = 0;
    for (int t = 0; t < 256; t++) {
      want[b * 256 + t] = sum;
      sum += in[b * 256 + t];
    }
  }
  expectAll("blelloch", out.get(), want);
  return finish();
}
