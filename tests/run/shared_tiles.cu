// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two-dimensional shared arrays: transposes with and without padding, a tiled matrix product, a stencil with a
// halo, for tiles at the matrix's edge too.
#include "support.h"

template <int T, int Padding> __global__ void transpose(const float *in, float *out, int width, int height) {
  __shared__ float tile[T][T + Padding];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  for (int j = 0; j < T; j += blockDim.y)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
  for (int j = 0; j < T; j += blockDim.y)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int T> __global__ void multiply(const int *a, const int *b, int *c, int n) {
  __shared__ int tileA[T][T], tileB[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x, sum = 0;
  for (int k = 0; k < n; k += T) {
    int ka = k + threadIdx.x, kb = k + threadIdx.y;
    tileA[threadIdx.y][threadIdx.x] = row < n && ka < n ? a[row * n + ka] : 0;
    tileB[threadIdx.y][threadIdx.x] = kb < n && column < n ? b[kb * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < T; i++)
      sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}

__global__ void stencil(const int *in, int *out, int n) {
  const int radius = 3;
  __shared__ int line[64 + 2 * radius];
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + radius;
  line[at] = i < n ? in[i] : 0;
  if (threadIdx.x < radius) {
    line[at - radius] = i >= radius ? in[i - radius] : 0;
    line[at + 64] = i + 64 < n ? in[i + 64] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = -radius; k <= radius; k++)
    sum += line[at + k] * (k + 10);
  if (i < n)
    out[i] = sum;
}

int main() {
  Random random(40);
  for (auto [w, h] : {std::pair(70, 45), std::pair(32, 32), std::pair(5, 100)}) {
    std::vector<float> in(w * h), want(w * h);
    for (float &v : in)
      v = float(random.below(1000));
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        want[x * h + y] = in[y * w + x];
    Buffer<float> deviceIn(in), out(w * h);
    transpose<32, 1><<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(deviceIn, out, w, h);
    checkLaunch();
    expectAll("transpose 32", out.get(), want);
    transpose<16, 0><<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(deviceIn, out, w, h);
    checkLaunch();
    expectAll("transpose 16", out.get(), want);
  }
  for (int n : {16, 37}) {
    std::vector<int> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++)
      a[i] = random.below(100), b[i] = random.below(100);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
    Buffer<int> deviceA(a), deviceB(b), out(n * n);
    multiply<16><<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(deviceA, deviceB, out, n);
    checkLaunch();
    expectAll("multiply 16", out.get(), c);
    multiply<5><<<dim3((n + 4) / 5, (n + 4) / 5), dim3(5, 5)>>>(deviceA, deviceB, out, n);
    checkLaunch();
    expectAll("multiply 5", out.get(), c);
  }
  const int n = 205;
  std::vector<int> in(n), want(n);
  for (int &v : in)
    v = random.below(100);
  for (int i = 0; i < n; i++)
    for (int k = -3; k <= 3; k++)
      if (i + k >= 0 && i + k < n)
        want[i] += in[i + k] * (k + 10);
  Buffer<int> deviceIn(in), out(n);
  stencil<<<4, 64>>>(deviceIn, out, n);
  checkLaunch();
  expectAll("stencil", out.get(), want);
  return finish();
}
