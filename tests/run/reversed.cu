// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours in falling order: stored, loaded, under a mask, in rows of a few threads, with unsigned indices that would
// wrap around in idle lanes, and in shared memory.
#include "support.h"

template <class T> __global__ void storeBack(int n, const T *in, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[n - 1 - i] = in[i];
}

template <class T> __global__ void loadBack(unsigned n, const T *in, T *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 5 != 2)
    out[i] = in[n - 1 - i];
}

/// Each row of the block's height is turned round by itself.
template <class T> __global__ void turnRows(int width, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  if (x < width)
    out[y * width + (width - 1 - x)] = in[y * width + x];
}

template <class T> __global__ void turnShared(const T *in, T *out) {
  __shared__ T tile[256];
  int t = threadIdx.x, n = blockDim.x;
  tile[t] = in[blockIdx.x * n + t];
  __syncthreads();
  out[blockIdx.x * n + t] = tile[n - t - 1];
}

template <class T> static void check(const std::string &what, Random &random) {
  for (int n : {1, 31, 256, 1000, 2571}) {
    std::vector<T> values(n + 1), stored(n + 1, T(0)), loaded(n + 1, T(0));
    for (T &value : values)
      value = T(random.bits() % 97);
    for (int i = 0; i < n; ++i) {
      stored[n - 1 - i] = values[i];
      loaded[i] = i % 5 != 2 ? values[n - 1 - i] : T(0);
    }
    Buffer<T> in(values);
    for (int block : {256, 100, 32}) {
      Buffer<T> out(n + 1), other(n + 1);
      storeBack<<<(n + block - 1) / block, block>>>(n, in.data, out.data);
      loadBack<<<(n + block - 1) / block, block>>>(unsigned(n), in.data, other.data);
      checkLaunch();
      expectAll(what + " stored", out.get(), stored);
      expectAll(what + " loaded", other.get(), loaded);
    }
  }
  constexpr int Width = 203, Height = 7;
  std::vector<T> values(Width * Height), rows(Width * Height), parts(5 * 200);
  for (T &value : values)
    value = T(random.bits() % 97);
  for (int i = 0; i < Width * Height; ++i)
    rows[i / Width * Width + Width - 1 - i % Width] = values[i];
  for (int i = 0; i < 5 * 200; ++i)
    parts[i] = values[i / 200 * 200 + 199 - i % 200];
  Buffer<T> in(values), out(Width * Height), other(5 * 200);
  turnRows<<<(Width + 15) / 16, dim3(16, Height)>>>(Width, in.data, out.data);
  turnShared<<<5, 200>>>(in.data, other.data);
  checkLaunch();
  expectAll(what + " rows", out.get(), rows);
  expectAll(what + " shared", other.get(), parts);
}

int main() {
  Random random(17);
  check<unsigned char>("bytes", random);
  check<short>("halves", random);
  check<int>("words", random);
  check<float>("floats", random);
  check<double>("doubles", random);
  return finish();
}
