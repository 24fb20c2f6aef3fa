// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "everyday.h"
#include <algorithm>
using namespace everyday;
using bench::Data;

static void columnsRun(Data &d) {
  const float *in = d.get<float>(0);
  float *out = d.get<float>(1);
#pragma omp parallel for
  for (int r = 0; r < Tall; r++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < Long; i++)
      sum += in[r * Long + i] * in[r * Long + i];
    out[r] = sum;
  }
}
static void permuteRun(Data &d) {
  const float *in = d.get<float>(0);
  float *out = d.get<float>(1);
#pragma omp parallel for collapse(2)
  for (int a = 0; a < D0; a++)
    for (int c = 0; c < D2; c++)
      for (int e = 0; e < D3; e++)
        for (int b = 0; b < D1; b++)
          out[((a * D2 + c) * D3 + e) * D1 + b] = in[((a * D1 + b) * D2 + c) * D3 + e];
}
struct Mat4 {
  float m[4][4];
};
static void mat4Run(Data &d) {
  const Mat4 *a = d.get<Mat4>(0), *b = d.get<Mat4>(1);
  Mat4 *c = d.get<Mat4>(2);
#pragma omp parallel for
  for (int i = 0; i < Matrices; i++)
    for (int r = 0; r < 4; r++)
      for (int s = 0; s < 4; s++) {
        float sum = 0;
        for (int k = 0; k < 4; k++)
          sum += a[i].m[r][k] * b[i].m[k][s];
        c[i].m[r][s] = sum;
      }
}
static void rmsRun(Data &d) {
  const float *in = d.get<float>(0), *w = d.get<float>(1);
  float *out = d.get<float>(2);
#pragma omp parallel for
  for (int t = 0; t < Tokens; t++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < Width; i++)
      sum += in[t * Width + i] * in[t * Width + i];
    float scale = 1 / sqrtf(sum / Width + 1e-6f);
#pragma omp simd
    for (int i = 0; i < Width; i++)
      out[t * Width + i] = in[t * Width + i] * scale * w[i];
  }
}
static void swigluRun(Data &d) {
  const float *g = d.get<float>(0), *u = g + Gates;
  float *out = d.get<float>(1);
#pragma omp parallel for simd
  for (int i = 0; i < Gates; i++)
    out[i] = g[i] / (1.0f + expf(-g[i])) * u[i];
}
static void sobelRun(Data &d) {
  const Byte *in = d.get<Byte>(0);
  Byte *out = d.get<Byte>(1);
#pragma omp parallel for
  for (int y = 0; y < SobelH; y++) {
    float rows[3][SobelW + 2];
    for (int k = 0; k < 3; k++) {
      int yy = std::clamp(y + k - 1, 0, SobelH - 1);
#pragma omp simd
      for (int x = 0; x < SobelW; x++) {
        const Byte *p = in + (yy * SobelW + x) * 4;
        rows[k][x + 1] = 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2];
      }
      rows[k][0] = rows[k][1];
      rows[k][SobelW + 1] = rows[k][SobelW];
    }
#pragma omp simd
    for (int x = 0; x < SobelW; x++) {
      float dx = rows[0][x + 2] + 2 * rows[1][x + 2] + rows[2][x + 2] - rows[0][x] -
                 2 * rows[1][x] - rows[2][x];
      float dy = rows[2][x] + 2 * rows[2][x + 1] + rows[2][x + 2] - rows[0][x] -
                 2 * rows[0][x + 1] - rows[0][x + 2];
      Byte v = Byte(std::min(sqrtf(dx * dx + dy * dy), 255.0f));
      Byte *q = out + (y * SobelW + x) * 4;
      q[0] = q[1] = q[2] = v;
      q[3] = in[(y * SobelW + x) * 4 + 3];
    }
  }
}
static void waveRun(Data &d) {
  const float *now = d.get<float>(0), *before = d.get<float>(1);
  float *next = d.get<float>(2);
  constexpr int nx = WaveX, ny = WaveY;
#pragma omp parallel for
  for (int z = 1; z < WaveZ - 1; z++)
    for (int y = 1; y < WaveY - 1; y++)
#pragma omp simd
      for (int x = 1; x < WaveX - 1; x++) {
        int i = (z * ny + y) * nx + x;
        float lap = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] + now[i - nx * ny] +
                    now[i + nx * ny] - 6 * now[i];
        next[i] = 2 * now[i] - before[i] + 0.1f * lap;
      }
}
static void kmeansRun(Data &d) {
  const float *p = d.get<float>(0), *c = d.get<float>(1);
  int *nearest = d.get<int>(2);
#pragma omp parallel for simd
  for (int i = 0; i < Points; i++) {
    float best = 1e30f;
    int at = 0;
    for (int k = 0; k < Centres; k++) {
      float sum = 0;
      for (int j = 0; j < Dims; j++) {
        float diff = p[i * Dims + j] - c[k * Dims + j];
        sum += diff * diff;
      }
      if (sum < best)
        best = sum, at = k;
    }
    nearest[i] = at;
  }
}
static void scanRun(Data &d) {
  const int *in = d.get<int>(0);
  int *out = d.get<int>(1);
#pragma omp parallel for
  for (int b = 0; b < Summed / 512; b++) {
    int sum = 0;
    for (int i = b * 512; i < (b + 1) * 512; i++)
      out[i] = sum += in[i];
  }
}
static void upsampleRun(Data &d) {
  const float *in = d.get<float>(0);
  float *out = d.get<float>(1);
#pragma omp parallel for collapse(2)
  for (int c = 0; c < UpC; c++)
    for (int y = 0; y < 2 * UpH; y++) {
      const float *row = in + (c * UpH + y / 2) * UpW;
      float *to = out + (c * 2 * UpH + y) * 2 * UpW;
#pragma omp simd
      for (int x = 0; x < UpW; x++)
        to[2 * x] = to[2 * x + 1] = row[x];
    }
}
static void affineRun(Data &d) {
  const float *in = d.get<float>(0), *mean = d.get<float>(1), *weight = d.get<float>(2);
  float *out = d.get<float>(3);
#pragma omp parallel for
  for (int plane = 0; plane < GroupN * GroupC; plane++) {
    int c = plane % GroupC, n = plane / GroupC;
    float m = mean[n * (GroupC / 4) + c / 4], w = weight[c];
#pragma omp simd
    for (int i = plane * GroupHW; i < (plane + 1) * GroupHW; i++)
      out[i] = (in[i] - m) * w;
  }
}

BENCHMARK("row_squares", columns, columnsRun)
BENCHMARK("flat_permute", permute, permuteRun)
BENCHMARK("mat4_products", mat4, mat4Run)
BENCHMARK("rmsnorm", rmsnorm, rmsRun)
BENCHMARK("swiglu", swiglu, swigluRun)
BENCHMARK("sobel_uchar4", sobel4, sobelRun)
BENCHMARK("wave3d", wave, waveRun)
BENCHMARK("kmeans_assign", kmeans, kmeansRun)
BENCHMARK("scan_block", scan, scanRun)
BENCHMARK("flat_upsample", upsample, upsampleRun)
BENCHMARK("flat_affine", groupAffine, affineRun)
