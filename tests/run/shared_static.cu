// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static shared memory of many types, arrays in one and two dimensions, of structs, in device functions and in
// templates, each block with its own; addresses of shared memory stored and followed.
#include "support.h"

struct Item {
  char tag;
  double value;
  int next[2];
};

__device__ int rotate(int v, int by) {
  __shared__ int ring[128]; // one per block, also in a device function
  ring[threadInBlock()] = v;
  __syncthreads();
  int n = blockDim.x * blockDim.y * blockDim.z;
  int r = ring[(threadInBlock() + by) % n];
  __syncthreads();
  return r;
}

template <class T> __device__ T reverse(T v) {
  __shared__ T all[128];
  int n = blockDim.x * blockDim.y * blockDim.z, t = threadInBlock();
  all[t] = v;
  __syncthreads();
  T r = all[n - 1 - t];
  __syncthreads();
  return r;
}

__global__ void types(long long *out) {
  __shared__ unsigned char bytes[131];
  __shared__ short shorts[128];
  __shared__ float2 pairs[128];
  __shared__ double scalar;
  __shared__ Item items[128];
  __shared__ bool flags[4][33];
  __shared__ int *where[128];
  __shared__ int count;
  int t = threadInBlock(), n = blockDim.x * blockDim.y * blockDim.z, b = blockIdx.x;
  if (t == 0)
    scalar = b * 0.5, count = 0;
  bytes[t + 3] = (unsigned char)(t * 3 + b);
  shorts[t] = short(t * -300);
  pairs[t] = make_float2(float(t), float(b));
  items[t] = {char(t), t * 1.5, {t + 1, t + 2}};
  flags[t & 3][t >> 2] = t % 3 == 0;
  where[t] = &items[(t * 5) % n].next[t & 1];
  __syncthreads();
  int o = (t + 1) % n;
  atomicAdd(&count, o);
  *where[o] += 0; // several threads may follow the same pointer
  __syncthreads();
  long long r = bytes[o + 3] + shorts[o] * 2ll + (long long)(pairs[o].x + pairs[o].y) * 3 + (long long)(scalar * 2);
  r += (long long)(items[o].value * 2) + items[o].tag + flags[o & 3][o >> 2] * 1000 + *where[o] * 5 + count;
  r = r * 3 + rotate(t, 2) + reverse(t) + (long long)(reverse(t * 0.5) * 2) + reverse(char(t)) + rotate(b, 1);
  out[b * n + t] = r;
}

int main() {
  for (dim3 shape : {dim3(128), dim3(100), dim3(5, 7), dim3(32)}) {
    int n = shape.x * shape.y * shape.z, blocks = 3;
    Buffer<long long> out(n * blocks);
    types<<<blocks, shape>>>(out);
    checkLaunch();
    std::vector<long long> want;
    for (int b = 0; b < blocks; b++)
      for (int t = 0; t < n; t++) {
        int o = (t + 1) % n, from = (o * 5) % n, count = n * (n - 1) / 2, last = n - 1 - t;
        long long r = (unsigned char)(o * 3 + b) + short(o * -300) * 2ll + (o + b) * 3 + b;
        r += o * 3 + char(o) + (o % 3 == 0) * 1000 + (from + 1 + (o & 1)) * 5 + count;
        want.push_back(r * 3 + (t + 2) % n + last + last + last + b);
      }
    expectAll("types", out.get(), want);
  }
  return finish();
}
