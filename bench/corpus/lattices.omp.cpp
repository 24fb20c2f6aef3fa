// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lattices.h"

#include <algorithm>

using namespace lattices;
using bench::Data;

static void biasRun(Data &data) {
  const float *in = data.get<float>(0), *bias = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for
  for (int plane = 0; plane < Images * Channels; plane++) {
    float add = bias[plane % Channels];
#pragma omp simd
    for (int i = plane * Height * Width; i < (plane + 1) * Height * Width; i++)
      out[i] = std::max(in[i] + add, 0.0f);
  }
}

static void headsRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for collapse(2)
  for (int batch = 0; batch < Batch; batch++)
    for (int head = 0; head < Heads; head++)
      for (int place = 0; place < Places; place++)
#pragma omp simd
        for (int d = 0; d < Depth; d++)
          out[((batch * Heads + head) * Places + place) * Depth + d] =
              in[((batch * Places + place) * Heads + head) * Depth + d];
}

static void windowsRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int layer = 0; layer < Layers; layer++)
    for (int dy = 0; dy < Kernel; dy++)
      for (int dx = 0; dx < Kernel; dx++)
        for (int y = 0; y < ImageHeight; y++) {
          float *to = out + (((layer * Kernel + dy) * Kernel + dx) * ImageHeight + y) * ImageWidth;
          int yy = y + dy - Kernel / 2, shift = dx - Kernel / 2;
          const float *row = in + (layer * ImageHeight + yy) * ImageWidth;
          if (yy < 0 || yy >= ImageHeight) {
            std::memset(to, 0, ImageWidth * sizeof(float));
            continue;
          }
          for (int x = 0; x < ImageWidth; x++)
            to[x] = x + shift >= 0 && x + shift < ImageWidth ? row[x + shift] : 0.0f;
        }
}

static void heatRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < Side; y++) {
    const float *row = in + y * Side, *up = in + (y > 0 ? y - 1 : Side - 1) * Side;
    const float *down = in + (y < Side - 1 ? y + 1 : 0) * Side;
    auto cell = [&](int x, int left, int right) {
      out[y * Side + x] = row[x] + 0.2f * (row[left] + row[right] + up[x] + down[x] - 4 * row[x]);
    };
    cell(0, Side - 1, 1);
#pragma omp simd
    for (int x = 1; x < Side - 1; x++)
      cell(x, x - 1, x + 1);
    cell(Side - 1, Side - 2, 0);
  }
}

static void lifeRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for
  for (int y = 0; y < LifeSide; y++) {
    const Byte *row = in + y * LifeSide, *up = in + (y + LifeSide - 1) % LifeSide * LifeSide;
    const Byte *down = in + (y + 1) % LifeSide * LifeSide;
    Byte *to = out + y * LifeSide;
    auto cell = [&](int x, int left, int right) {
      Byte alive = Byte(up[left] + up[x] + up[right] + row[left] + row[right] + down[left] +
                        down[x] + down[right]);
      to[x] = Byte((alive == 3) | ((alive == 2) & row[x]));
    };
    cell(0, LifeSide - 1, 1);
#pragma omp simd
    for (int x = 1; x < LifeSide - 1; x++)
      cell(x, x - 1, x + 1);
    cell(LifeSide - 1, LifeSide - 2, 0);
  }
}

static void boltzmannRun(Data &data) {
  constexpr int X[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, Y[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr float Weights[] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                               1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
  constexpr int Area = Rows * Columns;
#pragma omp parallel for
  for (int y = 0; y < Rows; y++) {
    const float *rows[Directions];
    for (int k = 0; k < Directions; k++)
      rows[k] = in + k * Area + (y - Y[k] + Rows) % Rows * Columns;
    float *to = out + y * Columns;
    auto cell = [&](int x, int left, int right) {
      float f[Directions], rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < Directions; k++) {
        f[k] = rows[k][X[k] > 0 ? left : X[k] < 0 ? right : x];
        rho += f[k];
        ux += f[k] * X[k];
        uy += f[k] * Y[k];
      }
      ux /= rho;
      uy /= rho;
      float square = 1.5f * (ux * ux + uy * uy);
      for (int k = 0; k < Directions; k++) {
        float along = 3 * (ux * X[k] + uy * Y[k]);
        float equal = Weights[k] * rho * (1 + along + 0.5f * along * along - square);
        to[k * Area + x] = f[k] + 0.6f * (equal - f[k]);
      }
    };
    cell(0, Columns - 1, 1);
#pragma omp simd
    for (int x = 1; x < Columns - 1; x++)
      cell(x, x - 1, x + 1);
    cell(Columns - 1, Columns - 2, 0);
  }
}

static void planesRun(Data &data) {
  constexpr int W = PlaneWidth, Area = PlaneWidth * PlaneHeight;
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int z = 1; z < Planes - 1; z++)
    for (int y = 1; y < PlaneHeight - 1; y++)
#pragma omp simd
      for (int x = 1; x < W - 1; x++) {
        int at = z * Area + y * W + x;
        out[at] = 0.4f * in[at] + 0.1f * (in[at - Area] + in[at + Area] + in[at - 1] + in[at + 1] +
                                          in[at - W] + in[at + W]);
      }
}

static void walksRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int row = 0; row < Walkers; row++) {
    float sum = 0;
    for (int i = 0; i < Length; i++)
      out[row * Pitch + i] = sum += in[row * Pitch + i];
  }
}

BENCHMARK("flat_bias", bias, biasRun)
BENCHMARK("flat_heads", heads, headsRun)
BENCHMARK("flat_windows", windows, windowsRun)
BENCHMARK("torus_heat", heat, heatRun)
BENCHMARK("torus_life", life, lifeRun)
BENCHMARK("torus_boltzmann", boltzmann, boltzmannRun)
BENCHMARK("planes", planes, planesRun)
BENCHMARK("row_power_pitch", walks, walksRun)
