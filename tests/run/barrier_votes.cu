// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __syncthreads_count, __syncthreads_and, __syncthreads_or: in loops, one after another, with a partial warp,
// with threads that have returned.
#include "support.h"

__global__ void votes(const int *in, int *out, int rounds) {
  int t = threadInBlock(), n = blockDim.x * blockDim.y * blockDim.z, v = in[blockIdx.x * n + t], r = 0;
  for (int i = 0; i < rounds; i++) {
    int count = __syncthreads_count(v >> i & 1);
    int all = __syncthreads_and(v & (3 << i)); // any non-zero value is true
    int any = __syncthreads_or(v >> i & 256);
    int direct = __syncthreads_count(v % (i + 2) == 0);
    r = r * 7 + count * 16 + (all ? 1 : 0) + (any ? 2 : 0) + direct;
    if (__syncthreads_or(count == n)) // uniform: the whole block takes the branch
      r += __syncthreads_count(1);
  }
  out[blockIdx.x * n + t] = r;
}

// Warp operations between the barriers: below width 32 the parts of a warp come to a barrier one after another.
__global__ void betweenWarps(const int *in, int *out) {
  int t = threadInBlock(), n = blockDim.x * blockDim.y * blockDim.z, lane = t & 31, r = 0;
  unsigned live = min(32, n - (t & ~31)), mask = live == 32 ? 0xffffffffu : (1u << live) - 1;
  for (int i = 0; i < 5; i++) {
    int next = __shfl_sync(mask, in[blockIdx.x * n + t], (lane + i) % int(live));
    r = r * 3 + __syncthreads_count(next >> i & 1);
    if (__any_sync(mask, r == 7))
      r++;
    r += __syncthreads_or(__all_sync(mask, next > 5)) != 0;
  }
  out[blockIdx.x * n + t] = r;
}

static std::vector<int> betweenReference(const int *in, int n) {
  std::vector<int> r(n);
  for (int i = 0; i < 5; i++) {
    int count = 0, any = 0;
    for (int w = 0; w < n; w += 32) {
      int live = std::min(32, n - w), all = 1;
      for (int k = 0; k < live; k++)
        count += in[w + k] >> i & 1, all &= in[w + k] > 5;
      any |= all;
    }
    for (int w = 0; w < n; w += 32) {
      int live = std::min(32, n - w);
      bool seven = false;
      for (int k = 0; k < live; k++)
        seven |= (r[w + k] = r[w + k] * 3 + count) == 7;
      for (int k = 0; k < live; k++)
        r[w + k] += seven + any;
    }
  }
  return r;
}

__global__ void afterReturn(int *out, int live) {
  int t = threadInBlock();
  if (t >= live)
    return;
  int count = __syncthreads_count(t & 1), all = __syncthreads_and(t < live);
  out[t] = count * 2 + (all != 0);
}

int main() {
  Random random(42);
  for (dim3 shape : {dim3(256), dim3(32), dim3(45), dim3(1), dim3(16, 16)}) {
    int n = shape.x * shape.y * shape.z, blocks = 4, rounds = 6;
    std::vector<int> in(n * blocks), want;
    for (int i = 0; i < n * blocks; i++)
      in[i] = i / n == 1 ? 0xff : i / n == 2 ? 0 : int(random.bits() & 0xfff);
    for (int b = 0; b < blocks; b++) {
      unsigned r = 0;
      for (int i = 0; i < rounds; i++) {
        int count = 0, all = 1, any = 0, direct = 0;
        for (int t = 0; t < n; t++) {
          int v = in[b * n + t];
          count += v >> i & 1, all &= (v & (3 << i)) != 0, any |= (v >> i & 256) != 0, direct += v % (i + 2) == 0;
        }
        r = r * 7 + count * 16 + all + 2 * any + direct;
        if (count == n)
          r += n;
      }
      want.insert(want.end(), n, int(r));
    }
    Buffer<int> deviceIn(in), out(in.size());
    votes<<<blocks, shape>>>(deviceIn, out, rounds);
    checkLaunch();
    expectAll("votes", out.get(), want);

    betweenWarps<<<blocks, shape>>>(deviceIn, out);
    checkLaunch();
    want.clear();
    for (int b = 0; b < blocks; b++) {
      std::vector<int> part = betweenReference(&in[b * n], n);
      want.insert(want.end(), part.begin(), part.end());
    }
    expectAll("between warp operations", out.get(), want);
  }
  for (int live : {100, 64, 33, 1}) {
    Buffer<int> out(128);
    afterReturn<<<1, 128>>>(out, live);
    checkLaunch();
    std::vector<int> want(128);
    for (int t = 0; t < live; t++)
      want[t] = live / 2 * 2 + 1;
    expectAll("after return", out.get(), want);
  }
  return finish();
}
