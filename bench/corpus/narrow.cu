// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "narrow.h"

using namespace narrow;
using bench::Data;

constexpr int Block = 256;

__device__ static Byte clamped(int value) { return Byte(min(max(value, 0), 255)); }

/// Five times the pixel less its four neighbours; the border stays.
__global__ static void sharpenKernel(int w, int h, const uchar4 *in, uchar4 *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  uchar4 p = in[y * w + x];
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    uchar4 l = in[y * w + x - 1], r = in[y * w + x + 1];
    uchar4 u = in[(y - 1) * w + x], d = in[(y + 1) * w + x];
    p.x = clamped(5 * p.x - l.x - r.x - u.x - d.x);
    p.y = clamped(5 * p.y - l.y - r.y - u.y - d.y);
    p.z = clamped(5 * p.z - l.z - r.z - u.z - d.z);
  }
  out[y * w + x] = p;
}

static void sharpenRun(Data &data) {
  sharpenKernel<<<dim3(cover(Width, 32), cover(Height, 8)), dim3(32, 8)>>>(
      Width, Height, data.get<uchar4>(0), data.get<uchar4>(1));
}

/// The mean of 3 x 3, from a tile with a halo that clamps.
__global__ static void tileKernel(int w, int h, const Byte *in, Byte *out) {
  __shared__ Byte tile[10][34];
  int left = blockIdx.x * 32 - 1, top = blockIdx.y * 8 - 1;
  for (int y = threadIdx.y; y < 10; y += 8)
    for (int x = threadIdx.x; x < 34; x += 32)
      tile[y][x] = in[min(max(top + y, 0), h - 1) * w + min(max(left + x, 0), w - 1)];
  __syncthreads();
  int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int sum = 0;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[y * w + x] = Byte(sum / 9);
}

static void tileRun(Data &data) {
  tileKernel<<<dim3(cover(Width, 32), cover(Height, 8)), dim3(32, 8)>>>(
      Width, Height, data.get<Byte>(0), data.get<Byte>(1));
}

__global__ static void maskKernel(int n, const Byte *a, const Byte *b, const Byte *mask,
                                  Byte *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (mask[i])
    out[i] = Byte((a[i] + b[i] + 1) / 2);
  else
    out[i] = a[i] > b[i] ? a[i] : b[i];
}

static void maskRun(Data &data) {
  maskKernel<<<cover(Letters, Block), Block>>>(Letters, data.get<Byte>(0), data.get<Byte>(1),
                                               data.get<Byte>(2), data.get<Byte>(3));
}

__global__ static void countKernel(int n, const Byte *text, int *counts) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[text[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

static void countRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, 256 * sizeof(int));
  countKernel<<<60, 256>>>(Letters, data.get<Byte>(0), data.get<int>(1));
}

__global__ static void mixKernel(int n, int left, int right, const short *a, const short *b,
                                 short *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = short(min(max((a[i] * left + b[i] * right) >> 8, -32768), 32767));
}

static void mixRun(Data &data) {
  mixKernel<<<cover(Samples, Block), Block>>>(Samples, 211, 180, data.get<short>(0),
                                              data.get<short>(1), data.get<short>(2));
}

__constant__ float table[Entries + 1];

__global__ static void constantKernel(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float at = x[i] * Entries;
  int entry = int(at);
  float part = at - entry;
  y[i] = table[entry] + part * (table[entry + 1] - table[entry]);
}

static void constantRun(Data &data) {
  cudaMemcpyToSymbolAsync(table, data.get<float>(0), sizeof(table), 0, cudaMemcpyDeviceToDevice);
  constantKernel<<<cover(Looked, Block), Block>>>(Looked, data.get<float>(1), data.get<float>(2));
}

__global__ static void sharedKernel(int n, const float *table, const float *x, float *y) {
  __shared__ float near[Entries + 1];
  for (int i = threadIdx.x; i <= Entries; i += blockDim.x)
    near[i] = table[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float at = x[i] * Entries;
    int entry = int(at);
    float part = at - entry;
    y[i] = near[entry] + part * (near[entry + 1] - near[entry]);
  }
}

static void sharedRun(Data &data) {
  sharedKernel<<<32, Block>>>(Looked, data.get<float>(0), data.get<float>(1), data.get<float>(2));
}

BENCHMARK("sharpen_pixels", pixels, sharpenRun)
BENCHMARK("tile_bytes", picture, tileRun)
BENCHMARK("mask_bytes", masked, maskRun)
BENCHMARK("count_letters", counts, countRun)
BENCHMARK("mix_shorts", sound, mixRun)
BENCHMARK("table_constant", lookup, constantRun)
BENCHMARK("table_shared", lookup, sharedRun)
