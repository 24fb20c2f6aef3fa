// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencils.h"

#include <algorithm>

using namespace stencils;
using bench::Data;

static float *copied(Data &data, int to, int from, size_t count) {
  std::memcpy(data.get<float>(to), data.get<float>(from), count * sizeof(float));
  return data.get<float>(to);
}

static void jacobi1dRun(Data &data) {
  float *a = copied(data, 2, 0, Line), *b = copied(data, 1, 0, Line);
  for (int step = 0; step < LineSteps; step++) {
#pragma omp parallel for simd
    for (int i = 1; i < Line - 1; i++)
      b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
    std::swap(a, b);
  }
}

static void jacobi2dRun(Data &data) {
  constexpr int W = Width;
  float *a = copied(data, 2, 0, W * Height), *b = copied(data, 1, 0, W * Height);
  for (int step = 0; step < Steps; step++) {
#pragma omp parallel for
    for (int y = 1; y < Height - 1; y++)
#pragma omp simd
      for (int x = 1; x < W - 1; x++)
        b[y * W + x] = 0.2f * (a[y * W + x] + a[y * W + x - 1] + a[y * W + x + 1] +
                               a[(y + 1) * W + x] + a[(y - 1) * W + x]);
    std::swap(a, b);
  }
}

static void heat3dRun(Data &data) {
  constexpr int N = Side;
  float *a = copied(data, 1, 0, N * N * N), *b = copied(data, 2, 0, N * N * N);
  for (int step = 0; step < SpaceSteps; step++) {
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
#pragma omp simd
        for (int k = 1; k < N - 1; k++) {
          int at = (i * N + j) * N + k;
          b[at] = 0.125f * (a[at + N * N] - 2.0f * a[at] + a[at - N * N]) +
                  0.125f * (a[at + N] - 2.0f * a[at] + a[at - N]) +
                  0.125f * (a[at + 1] - 2.0f * a[at] + a[at - 1]) + a[at];
        }
    std::swap(a, b);
  }
}

static void fdtd2dRun(Data &data) {
  constexpr int W = Width, H = Height;
  float *ex = copied(data, 3, 0, W * H), *ey = copied(data, 4, 1, W * H),
        *hz = copied(data, 5, 2, W * H);
#pragma omp parallel
  for (int t = 0; t < Steps; t++) {
#pragma omp for
    for (int y = 0; y < H; y++) {
      if (y == 0) {
        for (int x = 0; x < W; x++)
          ey[x] = float(t);
      } else {
#pragma omp simd
        for (int x = 0; x < W; x++)
          ey[y * W + x] -= 0.5f * (hz[y * W + x] - hz[(y - 1) * W + x]);
      }
#pragma omp simd
      for (int x = 1; x < W; x++)
        ex[y * W + x] -= 0.5f * (hz[y * W + x] - hz[y * W + x - 1]);
    }
#pragma omp for
    for (int y = 0; y < H - 1; y++)
#pragma omp simd
      for (int x = 0; x < W - 1; x++)
        hz[y * W + x] -=
            0.7f * (ex[y * W + x + 1] - ex[y * W + x] + ey[(y + 1) * W + x] - ey[y * W + x]);
  }
}

static void adiColumns(float a, float b, float c, const float *u, float *v, float *p, float *q) {
  constexpr int N = Sweep;
#pragma omp parallel for
  for (int i = 1; i < N - 1; i++) {
    v[i] = 1;
    p[i * N] = 0;
    q[i * N] = 1;
    for (int j = 1; j < N - 1; j++) {
      float over = 1 / (a * p[i * N + j - 1] + b);
      p[i * N + j] = -c * over;
      q[i * N + j] = (-a * u[j * N + i - 1] + (1 + 2 * a) * u[j * N + i] - c * u[j * N + i + 1] -
                      a * q[i * N + j - 1]) *
                     over;
    }
    v[(N - 1) * N + i] = 1;
    for (int j = N - 2; j >= 1; j--)
      v[j * N + i] = p[i * N + j] * v[(j + 1) * N + i] + q[i * N + j];
  }
}

static void adiRows(float d, float e, float f, float *u, const float *v, float *p, float *q) {
  constexpr int N = Sweep;
#pragma omp parallel for
  for (int i = 1; i < N - 1; i++) {
    u[i * N] = 1;
    p[i * N] = 0;
    q[i * N] = 1;
    for (int j = 1; j < N - 1; j++) {
      float over = 1 / (d * p[i * N + j - 1] + e);
      p[i * N + j] = -f * over;
      q[i * N + j] = (-d * v[(i - 1) * N + j] + (1 + 2 * d) * v[i * N + j] -
                      f * v[(i + 1) * N + j] - d * q[i * N + j - 1]) *
                     over;
    }
    u[i * N + N - 1] = 1;
    for (int j = N - 2; j >= 1; j--)
      u[i * N + j] = p[i * N + j] * u[i * N + j + 1] + q[i * N + j];
  }
}

static void adiRun(Data &data) {
  float *v = data.get<float>(1), *p = data.get<float>(2), *q = data.get<float>(3),
        *u = copied(data, 4, 0, Sweep * Sweep);
  for (int step = 0; step < SweepSteps; step++) {
    adiColumns(-0.4f, 1.8f, -0.4f, u, v, p, q);
    adiRows(-0.3f, 1.6f, -0.3f, u, v, p, q);
  }
}

/// In the order of the definition: fronts are too short to be worth a team of threads.
static void seidelRun(Data &data) {
  constexpr int N = Sweep;
  float *a = copied(data, 1, 0, N * N);
  for (int step = 0; step < SweepSteps; step++)
    for (int y = 1; y < N - 1; y++)
      for (int x = 1; x < N - 1; x++) {
        float *p = a + y * N + x;
        p[0] = (p[-N - 1] + p[-N] + p[-N + 1] + p[-1] + p[0] + p[1] + p[N - 1] + p[N] + p[N + 1]) /
               9.0f;
      }
}

static void hotspotRun(Data &data) {
  constexpr int W = Width, H = Height;
  const float *power = data.get<float>(1);
  float *from = copied(data, 3, 0, W * H), *to = data.get<float>(2);
  for (int step = 0; step < Steps; step++) {
#pragma omp parallel for
    for (int y = 0; y < H; y++) {
      const float *row = from + y * W, *north = from + std::max(y - 1, 0) * W,
                  *south = from + std::min(y + 1, H - 1) * W;
      auto point = [&](int x, float west, float east) {
        float t = row[x], dy = south[x] + north[x] - 2.0f * t, dx = east + west - 2.0f * t;
        to[y * W + x] = t + Step * (power[y * W + x] + dy * 0.5f + dx * 0.7f + (80.0f - t) * 0.01f);
      };
      point(0, row[0], row[1]);
#pragma omp simd
      for (int x = 1; x < W - 1; x++)
        point(x, row[x - 1], row[x + 1]);
      point(W - 1, row[W - 2], row[W - 1]);
    }
    std::swap(from, to);
  }
}

static void hotspot3dRun(Data &data) {
  constexpr int N = Side;
  const float *power = data.get<float>(1);
  float *from = copied(data, 2, 0, N * N * N), *to = data.get<float>(3);
  for (int step = 0; step < SpaceSteps; step++) {
#pragma omp parallel for
    for (int z = 0; z < N; z++)
      for (int y = 0; y < N; y++) {
        const float *row = from + (z * N + y) * N, *above = z < N - 1 ? row + N * N : row,
                    *below = z > 0 ? row - N * N : row;
        const float *north = y > 0 ? row - N : row, *south = y < N - 1 ? row + N : row;
        const float *heat = power + (z * N + y) * N;
        float *out = to + (z * N + y) * N;
        auto point = [&](int x, float west, float east) {
          out[x] = row[x] +
                   Step * (heat[x] + 0.3f * (west + east - 2 * row[x]) +
                           0.3f * (south[x] + north[x] - 2 * row[x]) +
                           0.2f * (above[x] + below[x] - 2 * row[x]) + 0.01f * (80.0f - row[x]));
        };
        point(0, row[0], row[1]);
#pragma omp simd
        for (int x = 1; x < N - 1; x++)
          point(x, row[x - 1], row[x + 1]);
        point(N - 1, row[N - 2], row[N - 1]);
      }
    std::swap(from, to);
  }
}

static void sradRun(Data &data) {
  constexpr int W = Width, H = Height;
  const float q0 = 0.3f, lambda = 0.5f;
  const float *j = data.get<float>(0);
  float *dn = data.get<float>(1), *ds = data.get<float>(2), *dw = data.get<float>(3),
        *de = data.get<float>(4);
  float *c = data.get<float>(5), *out = data.get<float>(6);
#pragma omp parallel
  {
#pragma omp for
    for (int row = 0; row < H; row++)
#pragma omp simd
      for (int column = 0; column < W; column++) {
        int at = row * W + column;
        float here = j[at];
        float n = j[row > 0 ? at - W : at] - here, s = j[row < H - 1 ? at + W : at] - here;
        float west = j[column > 0 ? at - 1 : at] - here, e = j[column < W - 1 ? at + 1 : at] - here;
        float g2 = (n * n + s * s + west * west + e * e) / (here * here),
              l = (n + s + west + e) / here;
        float num = 0.5f * g2 - 0.0625f * l * l, den = 1 + 0.25f * l, q = num / (den * den);
        float value = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
        dn[at] = n, ds[at] = s, dw[at] = west, de[at] = e;
        c[at] = value < 0 ? 0 : value > 1 ? 1 : value;
      }
#pragma omp for
    for (int row = 0; row < H; row++)
#pragma omp simd
      for (int column = 0; column < W; column++) {
        int at = row * W + column;
        float south = c[row < H - 1 ? at + W : at], east = c[column < W - 1 ? at + 1 : at];
        out[at] = j[at] + 0.25f * lambda *
                              (c[at] * dn[at] + south * ds[at] + c[at] * dw[at] + east * de[at]);
      }
  }
}

static void starRun(Data &data) {
  const float *in = data.get<float>(0), *factors = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for
  for (int y = 0; y < Height; y++)
#pragma omp simd
    for (int x = 0; x < Width; x++) {
      const float *centre = in + (y + Radius) * Pitch + x + Radius;
      float sum = factors[0] * centre[0];
      for (int r = 1; r <= Radius; r++) {
        sum += factors[r] * (centre[-r] + centre[r]);
        sum += factors[Radius + r] * (centre[-r * Pitch] + centre[r * Pitch]);
      }
      out[y * Width + x] = sum;
    }
}

/// Sums of columns first, then of three of those.
static void tiledRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < Height; y++) {
    float columns[Width + 2] = {};
    for (int i = std::max(y - 1, 0); i <= std::min(y + 1, Height - 1); i++)
      for (int x = 0; x < Width; x++)
        columns[x + 1] += in[i * Width + x];
    for (int x = 0; x < Width; x++)
      out[y * Width + x] = (columns[x] + columns[x + 1] + columns[x + 2]) / 9;
  }
}

BENCHMARK("jacobi1d", jacobi1d, jacobi1dRun)
BENCHMARK("jacobi2d", jacobi2d, jacobi2dRun)
BENCHMARK("heat3d", heat3d, heat3dRun)
BENCHMARK("fdtd2d", fdtd2d, fdtd2dRun)
BENCHMARK("adi", adi, adiRun)
BENCHMARK("seidel", seidel, seidelRun)
BENCHMARK("hotspot", hotspot, hotspotRun)
BENCHMARK("hotspot3d", hotspot3d, hotspot3dRun)
BENCHMARK("srad", srad, sradRun)
BENCHMARK("stencil_star", star, starRun)
BENCHMARK("stencil_tiled", tiled, tiledRun)
