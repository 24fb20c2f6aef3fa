// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lattices.h"

using namespace lattices;
using bench::Data;

constexpr int Block = 256;

__global__ static void biasKernel(int n, int channels, int area, const float *in, const float *bias,
                                  float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = fmaxf(in[i] + bias[i / area % channels], 0.0f);
}

static void biasRun(Data &data) {
  constexpr int Count = Images * Channels * Height * Width;
  biasKernel<<<cover(Count, Block), Block>>>(Count, Channels, Height * Width, data.get<float>(0),
                                             data.get<float>(1), data.get<float>(2));
}

__global__ static void headsKernel(int n, int heads, int places, int depth, const float *in,
                                   float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int d = i % depth, place = i / depth % places;
  int head = i / (depth * places) % heads, batch = i / (depth * places * heads);
  out[i] = in[((batch * places + place) * heads + head) * depth + d];
}

static void headsRun(Data &data) {
  constexpr int Count = Batch * Heads * Places * Depth;
  headsKernel<<<cover(Count, Block), Block>>>(Count, Heads, Places, Depth, data.get<float>(0),
                                              data.get<float>(1));
}

/// A thread for each element of the columns: layer x row and column in the window x place.
__global__ static void windowsKernel(int n, int h, int w, int size, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = i % w, y = i / w % h, dx = i / (w * h) % size, dy = i / (w * h * size) % size;
  int layer = i / (w * h * size * size);
  int xx = x + dx - size / 2, yy = y + dy - size / 2;
  bool inside = xx >= 0 && xx < w && yy >= 0 && yy < h;
  out[i] = inside ? in[(layer * h + yy) * w + xx] : 0.0f;
}

static void windowsRun(Data &data) {
  constexpr int Count = Layers * ImageHeight * ImageWidth * Kernel * Kernel;
  windowsKernel<<<cover(Count, Block), Block>>>(Count, ImageHeight, ImageWidth, Kernel,
                                                data.get<float>(0), data.get<float>(1));
}

__global__ static void heatKernel(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int left = (x - 1 + n) % n, right = (x + 1) % n, up = (y - 1 + n) % n, down = (y + 1) % n;
  float here = in[y * n + x];
  out[y * n + x] = here + 0.2f * (in[y * n + left] + in[y * n + right] + in[up * n + x] +
                                  in[down * n + x] - 4 * here);
}

static void heatRun(Data &data) {
  heatKernel<<<dim3(cover(Side, 16), cover(Side, 16)), dim3(16, 16)>>>(Side, data.get<float>(0),
                                                                       data.get<float>(1));
}

__global__ static void lifeKernel(int w, int h, const Byte *in, Byte *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h)
    return;
  int x = i % w, y = i / w, alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0)
        alive += in[(y + dy + h) % h * w + (x + dx + w) % w];
  out[i] = alive == 3 || (alive == 2 && in[i]);
}

static void lifeRun(Data &data) {
  lifeKernel<<<cover(LifeSide * LifeSide, Block), Block>>>(LifeSide, LifeSide, data.get<Byte>(0),
                                                           data.get<Byte>(1));
}

__constant__ int stepsX[Directions] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int stepsY[Directions] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weights[Directions] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                                          1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

/// Fetches each density from where it came from, and lets the cell collide.
__global__ static void boltzmannKernel(int w, int h, const float *in, float *out) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= w * h)
    return;
  int x = cell % w, y = cell / w;
  float f[Directions], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < Directions; k++) {
    int fromX = (x - stepsX[k] + w) % w, fromY = (y - stepsY[k] + h) % h;
    f[k] = in[(k * h + fromY) * w + fromX];
    rho += f[k];
    ux += f[k] * stepsX[k];
    uy += f[k] * stepsY[k];
  }
  ux /= rho;
  uy /= rho;
  float square = 1.5f * (ux * ux + uy * uy);
  for (int k = 0; k < Directions; k++) {
    float along = 3 * (ux * stepsX[k] + uy * stepsY[k]);
    float equal = weights[k] * rho * (1 + along + 0.5f * along * along - square);
    out[(k * h + y) * w + x] = f[k] + 0.6f * (equal - f[k]);
  }
}

static void boltzmannRun(Data &data) {
  boltzmannKernel<<<cover(Rows * Columns, 128), 128>>>(Columns, Rows, data.get<float>(0),
                                                       data.get<float>(1));
}

/// A thread a column of the planes, with the planes before and after in registers.
__global__ static void planesKernel(int w, int h, int depth, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1)
    return;
  int area = w * h, at = y * w + x;
  float before = in[at], here = in[at + area];
  for (int z = 1; z < depth - 1; z++) {
    at += area;
    float after = in[at + area];
    out[at] =
        0.4f * here + 0.1f * (before + after + in[at - 1] + in[at + 1] + in[at - w] + in[at + w]);
    before = here;
    here = after;
  }
}

static void planesRun(Data &data) {
  planesKernel<<<dim3(cover(PlaneWidth, 32), cover(PlaneHeight, 8)), dim3(32, 8)>>>(
      PlaneWidth, PlaneHeight, Planes, data.get<float>(0), data.get<float>(1));
}

__global__ static void walksKernel(int rows, int pitch, int length, const float *in, float *out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = 0; i < length; i++) {
    sum += in[row * pitch + i];
    out[row * pitch + i] = sum;
  }
}

static void walksRun(Data &data) {
  walksKernel<<<cover(Walkers, 128), 128>>>(Walkers, Pitch, Length, data.get<float>(0),
                                            data.get<float>(1));
}

BENCHMARK("flat_bias", bias, biasRun)
BENCHMARK("flat_heads", heads, headsRun)
BENCHMARK("flat_windows", windows, windowsRun)
BENCHMARK("torus_heat", heat, heatRun)
BENCHMARK("torus_life", life, lifeRun)
BENCHMARK("torus_boltzmann", boltzmann, boltzmannRun)
BENCHMARK("planes", planes, planesRun)
BENCHMARK("row_power_pitch", walks, walksRun)
