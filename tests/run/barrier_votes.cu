// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 %heddle run %s
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
