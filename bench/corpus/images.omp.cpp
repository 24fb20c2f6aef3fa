// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.h"

#include <algorithm>

using namespace images;
using bench::Data;

constexpr int W = Width, H = Height;

static void grayRun(Data &data) {
  const Byte *rgb = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
// Private copies of the pointers: bytes that are stored might else change them.
#pragma omp parallel for firstprivate(rgb, out)
  for (int i = 0; i < Count; i++)
    out[i] = Byte((77 * rgb[3 * i] + 151 * rgb[3 * i + 1] + 28 * rgb[3 * i + 2]) / 256);
}

/// Sums of columns first, then a window that slides over them.
static void boxRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for
  for (int y = 0; y < H; y++) {
    int top = std::max(y - Radius, 0), bottom = std::min(y + Radius, H - 1), columns[W] = {};
    for (int yy = top; yy <= bottom; yy++)
      for (int x = 0; x < W; x++)
        columns[x] += in[yy * W + x];
    for (int x = 0; x < W; x++) {
      int left = std::max(x - Radius, 0), right = std::min(x + Radius, W - 1), sum = 0;
      for (int xx = left; xx <= right; xx++)
        sum += columns[xx];
      out[y * W + x] = Byte(sum / ((bottom - top + 1) * (right - left + 1)));
    }
  }
}

static void gaussRun(Data &data) {
  const float *in = data.get<float>(0), *taps = data.get<float>(1);
  float *rows = data.get<float>(2), *out = data.get<float>(3);
#pragma omp parallel
  {
#pragma omp for
    for (int y = 0; y < H; y++) {
      float padded[W + 4];
      std::memcpy(padded + 2, in + y * W, W * sizeof(float));
      padded[0] = padded[1] = in[y * W];
      padded[W + 2] = padded[W + 3] = in[y * W + W - 1];
#pragma omp simd
      for (int x = 0; x < W; x++) {
        float sum = 0;
        for (int i = 0; i < 5; i++)
          sum += taps[i] * padded[x + i];
        rows[y * W + x] = sum;
      }
    }
#pragma omp for
    for (int y = 0; y < H; y++) {
      const float *near[5];
      for (int i = 0; i < 5; i++)
        near[i] = rows + std::min(std::max(y + i - 2, 0), H - 1) * W;
#pragma omp simd
      for (int x = 0; x < W; x++) {
        float sum = 0;
        for (int i = 0; i < 5; i++)
          sum += taps[i] * near[i][x];
        out[y * W + x] = sum;
      }
    }
  }
}

static void sobelRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
  std::memset(out, 0, W);
  std::memset(out + (H - 1) * W, 0, W);
#pragma omp parallel for
  for (int y = 1; y < H - 1; y++) {
    out[y * W] = out[y * W + W - 1] = 0;
#pragma omp simd
    for (int x = 1; x < W - 1; x++) {
      const Byte *p = in + y * W + x;
      int gx = p[-W + 1] + 2 * p[1] + p[W + 1] - p[-W - 1] - 2 * p[-1] - p[W - 1];
      int gy = p[W - 1] + 2 * p[W] + p[W + 1] - p[-W - 1] - 2 * p[-W] - p[-W + 1];
      out[y * W + x] = Byte(std::min(std::abs(gx) + std::abs(gy), 255));
    }
  }
}

/// A network of exchanges, which has no branches.
static void medianRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for
  for (int y = 1; y < H - 1; y++)
#pragma omp simd
    for (int x = 1; x < W - 1; x++) {
      const Byte *p = in + y * W + x;
      Byte a[9] = {p[-W - 1], p[-W], p[-W + 1], p[-1], p[0], p[1], p[W - 1], p[W], p[W + 1]};
      auto order = [&](int i, int j) {
        Byte low = std::min(a[i], a[j]), high = std::max(a[i], a[j]);
        a[i] = low, a[j] = high;
      };
      order(1, 2), order(4, 5), order(7, 8), order(0, 1), order(3, 4), order(6, 7), order(1, 2),
          order(4, 5);
      order(7, 8), order(0, 3), order(5, 8), order(4, 7), order(3, 6), order(1, 4), order(2, 5),
          order(4, 7);
      order(4, 2), order(6, 4), order(4, 2);
      out[y * W + x] = a[4];
    }
}

static void bilinearRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < ScaledHeight; y++) {
    float fy = std::min(std::max((y + 0.5f) * H / ScaledHeight - 0.5f, 0.0f), float(H - 1));
    int y0 = int(fy), y1 = std::min(y0 + 1, H - 1);
    float dy = fy - y0;
#pragma omp simd
    for (int x = 0; x < ScaledWidth; x++) {
      float fx = (x + 0.5f) * W / ScaledWidth - 0.5f;
      fx = fx < 0 ? 0 : fx > W - 1 ? W - 1 : fx;
      int x0 = int(fx), x1 = x0 + 1 < W ? x0 + 1 : W - 1;
      float dx = fx - x0;
      float top = in[y0 * W + x0] * (1 - dx) + in[y0 * W + x1] * dx;
      float bottom = in[y1 * W + x0] * (1 - dx) + in[y1 * W + x1] * dx;
      out[y * ScaledWidth + x] = top * (1 - dy) + bottom * dy;
    }
  }
}

static void erodeRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for
  for (int y = 0; y < H; y++) {
    const Byte *row = in + y * W, *north = y > 0 ? row - W : row,
               *south = y < H - 1 ? row + W : row;
    Byte *to = out + y * W;
    for (int x = 0; x < W; x++)
      to[x] = std::min(row[x], std::min(north[x], south[x]));
    for (int x = 1; x < W; x++)
      to[x] = std::min(to[x], row[x - 1]);
    for (int x = 0; x < W - 1; x++)
      to[x] = std::min(to[x], row[x + 1]);
  }
}

static void dwtRun(Data &data) {
  constexpr int N = Wavelet, Half = N / 2;
  const float *in = data.get<float>(0);
  float *rows = data.get<float>(1), *out = data.get<float>(2);
#pragma omp parallel
  {
#pragma omp for
    for (int y = 0; y < N; y++) {
      const float *row = in + y * N;
      float *low = rows + y * N, *high = low + Half;
      for (int x = 0; x < Half - 1; x++)
        high[x] = row[2 * x + 1] - 0.5f * (row[2 * x] + row[2 * x + 2]);
      high[Half - 1] = row[N - 1] - row[N - 2];
      low[0] = row[0] + 0.5f * high[0];
      for (int x = 1; x < Half; x++)
        low[x] = row[2 * x] + 0.25f * (high[x - 1] + high[x]);
    }
#pragma omp for
    for (int y = 0; y < Half; y++) {
      const float *even = rows + 2 * y * N, *odd = even + N,
                  *next = y + 1 < Half ? even + 2 * N : even;
#pragma omp simd
      for (int x = 0; x < N; x++)
        out[(Half + y) * N + x] = odd[x] - 0.5f * (even[x] + next[x]);
    }
#pragma omp for
    for (int y = 0; y < Half; y++) {
      const float *high = out + (Half + y) * N, *before = y > 0 ? high - N : high;
#pragma omp simd
      for (int x = 0; x < N; x++)
        out[y * N + x] = rows[2 * y * N + x] + 0.25f * (before[x] + high[x]);
    }
  }
}

static void equaliseRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(3), table[256];
  int bins[256] = {};
#pragma omp parallel for reduction(+ : bins)
  for (int i = 0; i < Count; i++)
    bins[in[i]]++;
  for (int64_t i = 0, sum = 0; i < 256; i++)
    table[i] = Byte(255 * (sum += bins[i]) / Count);
#pragma omp parallel for firstprivate(in, out)
  for (int i = 0; i < Count; i++)
    out[i] = table[in[i]];
}

static void lumaRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *luma = data.get<Byte>(1), *blue = data.get<Byte>(2), *red = data.get<Byte>(3);
  auto clamped = [](float value) { return Byte(value < 0 ? 0 : value > 255 ? 255 : value); };
#pragma omp parallel for simd firstprivate(in, luma, blue, red)
  for (int i = 0; i < Count; i++) {
    float r = in[4 * i], g = in[4 * i + 1], b = in[4 * i + 2];
    luma[i] = clamped(0.25f * r + 0.5f * g + 0.125f * b + 16.0f);
    blue[i] = clamped(-0.125f * r - 0.25f * g + 0.4375f * b + 128.0f);
    red[i] = clamped(0.4375f * r - 0.375f * g - 0.0625f * b + 128.0f);
  }
}

static void heartwallRun(Data &data) {
  constexpr int Side = 2 * Reach + 1;
  const float *in = data.get<float>(0), *templates = data.get<float>(2);
  const int *corners = data.get<int>(1);
  float *scores = data.get<float>(3);
#pragma omp parallel for
  for (int point = 0; point < Points; point++)
    for (int dy = 0; dy < Side; dy++) {
      float sums[Side] = {};
      const float *patch = templates + point * Patch * Patch;
      for (int y = 0; y < Patch; y++) {
        const float *row =
            in + (corners[2 * point + 1] + dy - Reach + y) * W + corners[2 * point] - Reach;
        for (int x = 0; x < Patch; x++)
#pragma omp simd
          for (int dx = 0; dx < Side; dx++) {
            float difference = row[dx + x] - patch[y * Patch + x];
            sums[dx] += difference * difference;
          }
      }
      std::memcpy(scores + (point * Side + dy) * Side, sums, sizeof(sums));
    }
}

/// Row by row: a whole row for each point of the circle.
static void leukocyteRun(Data &data) {
  constexpr int Rim = Circles + 4, Inner = CellWidth - 2 * Rim;
  const float *gx = data.get<float>(0), *gy = data.get<float>(1), *sines = data.get<float>(2);
  const float *cosines = data.get<float>(3);
  const int *xs = data.get<int>(4), *ys = data.get<int>(5);
  float *scores = data.get<float>(6);
  std::memset(scores, 0, CellWidth * CellHeight * sizeof(float));
#pragma omp parallel for
  for (int y = Rim; y < CellHeight - Rim; y++) {
    float *best = scores + y * CellWidth + Rim;
    for (int circle = 0; circle < Circles; circle++) {
      float sums[Inner] = {}, squares[Inner] = {};
      for (int angle = 0; angle < Angles; angle++) {
        int at = (y + ys[circle * Angles + angle]) * CellWidth + Rim + xs[circle * Angles + angle];
#pragma omp simd
        for (int x = 0; x < Inner; x++) {
          float along = gx[at + x] * cosines[angle] + gy[at + x] * sines[angle];
          sums[x] += along;
          squares[x] += along * along;
        }
      }
      for (int x = 0; x < Inner; x++) {
        float mean = sums[x] / Angles, variance = squares[x] / Angles - mean * mean;
        best[x] = std::max(best[x], mean * mean / variance);
      }
    }
  }
}

static void juliaRun(Data &data) {
  int *steps = data.get<int>(0);
#pragma omp parallel for schedule(dynamic, 4)
  for (int py = 0; py < JuliaHeight; py++)
    for (int px = 0; px < JuliaWidth; px++) {
      float x = 3.0f * px / JuliaWidth - 1.5f, y = 2.4f * py / JuliaHeight - 1.2f;
      int step = 0;
      while (step < JuliaSteps && x * x + y * y < 4) {
        float next = x * x - y * y - 0.8f;
        y = 2 * x * y + 0.156f;
        x = next;
        step++;
      }
      steps[py * JuliaWidth + px] = step;
    }
}

static void integralRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  int *out = data.get<int>(1);
#pragma omp parallel for
  for (int y = 0; y < H; y++)
    for (int x = 0, sum = 0; x < W; x++)
      out[y * W + x] = sum += in[y * W + x];
  for (int y = 1; y < H; y++)
    for (int x = 0; x < W; x++)
      out[y * W + x] += out[(y - 1) * W + x];
}

BENCHMARK("gray", gray, grayRun)
BENCHMARK("box_blur", filter, boxRun)
BENCHMARK("gauss_separable", gauss, gaussRun)
BENCHMARK("sobel", filter, sobelRun)
BENCHMARK("median", filter, medianRun)
BENCHMARK("bilinear", scaled, bilinearRun)
BENCHMARK("erosion", filter, erodeRun)
BENCHMARK("dwt2d", dwt, dwtRun)
BENCHMARK("equalise", equalised, equaliseRun)
BENCHMARK("luma", luma, lumaRun)
BENCHMARK("heartwall", heartwall, heartwallRun)
BENCHMARK("leukocyte", leukocyte, leukocyteRun)
BENCHMARK("julia", julia, juliaRun)
BENCHMARK("integral", integral, integralRun)
