// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"

#include <algorithm>

using namespace rows;
using bench::Data;

static void sumRows(int m, int n, const float *a, float *sums) {
#pragma omp parallel for
  for (int i = 0; i < m; i++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < n; j++)
      sum += a[i * n + j];
    sums[i] = sum;
  }
}

static void sumRun(Data &data) { sumRows(Rows, Columns, data.get<float>(0), data.get<float>(1)); }
static void sumShortRun(Data &data) { sumRows(Short, Few, data.get<float>(0), data.get<float>(1)); }
static void sumConstantRun(Data &data) {
  sumRows(2048 * 5, Constant, data.get<float>(0), data.get<float>(1));
}

static void greatestRun(Data &data) {
  const int *a = data.get<int>(0);
  int *indices = data.get<int>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++)
    indices[i] = int(std::max_element(a + i * Columns, a + (i + 1) * Columns) - (a + i * Columns));
}

static void recurrenceRun(Data &data) {
  const float *x = data.get<float>(0);
  float *y = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    float last = 0;
    for (int j = 0; j < Columns; j++)
      y[i * Columns + j] = last = 0.3f * x[i * Columns + j] + 0.7f * last;
  }
}

static void prefixRun(Data &data) {
  const float *x = data.get<float>(0);
  float *y = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    float sum = 0;
    for (int j = 0; j < Columns; j++)
      y[i * Columns + j] = sum += x[i * Columns + j];
  }
}

static void columnPrefixRun(Data &data) {
  const float *x = data.get<float>(0);
  float *y = data.get<float>(1);
  std::memcpy(y, x, Columns * sizeof(float));
  for (int i = 1; i < Rows; i++)
#pragma omp simd
    for (int j = 0; j < Columns; j++)
      y[i * Columns + j] = y[(i - 1) * Columns + j] + x[i * Columns + j];
}

static void softmaxRun(Data &data) {
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const float *x = data.get<float>(0) + i * Columns;
    float *y = data.get<float>(1) + i * Columns, most = -1e30f, sum = 0;
#pragma omp simd reduction(max : most)
    for (int j = 0; j < Columns; j++)
      most = std::max(most, x[j]);
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < Columns; j++)
      sum += y[j] = std::exp(x[j] - most);
    for (int j = 0; j < Columns; j++)
      y[j] /= sum;
  }
}

static const float A1 = 0.12f, A2 = 0.05f, A3 = 0.14f, A4 = -0.08f, B1 = 0.9f, B2 = -0.2f;

static void dericheRows(const float *x, float *out, float *forward) {
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const float *in = x + i * Columns;
    float *y1 = forward + i * Columns, *sum = out + i * Columns;
    float ym1 = 0, ym2 = 0, xm1 = 0;
    for (int j = 0; j < Columns; j++) {
      y1[j] = A1 * in[j] + A2 * xm1 + B1 * ym1 + B2 * ym2;
      xm1 = in[j], ym2 = ym1, ym1 = y1[j];
    }
    float yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
    for (int j = Columns - 1; j >= 0; j--) {
      float y = A3 * xp1 + A4 * xp2 + B1 * yp1 + B2 * yp2;
      xp2 = xp1, xp1 = in[j], yp2 = yp1, yp1 = y;
      sum[j] = y1[j] + y;
    }
  }
}

/// Bands of columns, row by row; the state of a column lies in small arrays.
static void dericheColumns(const float *x, float *out, float *forward) {
  constexpr int Band = 64;
#pragma omp parallel for
  for (int first = 0; first < Columns; first += Band) {
    int width = std::min(Band, Columns - first);
    float y1[Band] = {}, y2[Band] = {}, x1[Band] = {}, x2[Band] = {};
    for (int i = 0; i < Rows; i++)
#pragma omp simd
      for (int j = 0; j < width; j++) {
        float in = x[i * Columns + first + j], y = A1 * in + A2 * x1[j] + B1 * y1[j] + B2 * y2[j];
        forward[i * Columns + first + j] = y;
        x1[j] = in, y2[j] = y1[j], y1[j] = y;
      }
    std::fill(y1, y1 + Band, 0.0f), std::fill(y2, y2 + Band, 0.0f), std::fill(x1, x1 + Band, 0.0f);
    for (int i = Rows - 1; i >= 0; i--)
#pragma omp simd
      for (int j = 0; j < width; j++) {
        int at = i * Columns + first + j;
        float in = x[at], y = A3 * x1[j] + A4 * x2[j] + B1 * y1[j] + B2 * y2[j];
        x2[j] = x1[j], x1[j] = in, y2[j] = y1[j], y1[j] = y;
        out[at] = forward[at] + y;
      }
  }
}

static void dericheRun(Data &data) {
  dericheRows(data.get<float>(0), data.get<float>(1), data.get<float>(2));
  dericheColumns(data.get<float>(1), data.get<float>(3), data.get<float>(2));
}

static void planeRun(Data &data) {
  const float *a = data.get<float>(0);
  float *sums = data.get<float>(1);
#pragma omp parallel for
  for (int row = 0; row < PlaneRows * PlaneColumns; row++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < Depth; k++)
      sum += a[row * Depth + k] * a[row * Depth + k];
    sums[row] = std::sqrt(sum);
  }
}

static void planeLastRun(Data &data) {
  const float *a = data.get<float>(0);
  float *last = data.get<float>(1);
#pragma omp parallel for
  for (int row = 0; row < PlaneRows * PlaneColumns; row++) {
    float value = 0;
    for (int k = 0; k < Depth; k++)
      value = 0.8f * value + a[row * Depth + k];
    last[row] = value;
  }
}

static void doubleRun(Data &data) {
  double *out = data.get<double>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const double *row = data.get<double>(0) + i * Columns;
    double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (int j = 0; j < Columns; j++) {
      sum += row[j];
      squares += row[j] * row[j];
    }
    out[i] = squares / Columns - (sum / Columns) * (sum / Columns);
  }
}

static void byteRun(Data &data) {
  int *sums = data.get<int>(1), *bright = data.get<int>(2);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const unsigned char *row = data.get<unsigned char>(0) + i * Columns;
    int sum = 0, count = 0;
    for (int j = 0; j < Columns; j++) {
      sum += row[j];
      count += row[j] > 200;
    }
    sums[i] = sum;
    bright[i] = count;
  }
}

static void columnRun(Data &data) {
  const float *a = data.get<float>(0);
  float *sums = data.get<float>(1);
  std::memset(sums, 0, Columns * sizeof(float));
#pragma omp parallel for reduction(+ : sums[ : Columns])
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      sums[j] += a[i * Columns + j];
}

static void transposeRun(Data &data) {
  constexpr int Tile = 16;
  const float *a = data.get<float>(0);
  float *b = data.get<float>(1);
#pragma omp parallel for
  for (int i0 = 0; i0 < Rows; i0 += Tile)
    for (int j0 = 0; j0 < Columns; j0 += Tile)
      for (int j = j0; j < std::min(j0 + Tile, Columns); j++)
        for (int i = i0; i < std::min(i0 + Tile, Rows); i++)
          b[j * Rows + i] = a[i * Columns + j];
}

static void hornerRun(Data &data) {
  const float *coefficients = data.get<float>(0), *xs = data.get<float>(1);
  float *values = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    float value = 0;
    for (int j = Columns - 1; j >= 0; j--)
      value = value * xs[i] + coefficients[i * Columns + j];
    values[i] = value;
  }
}

static void scaleRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      out[i * Columns + j] = 3 * in[i * Columns + j] + 1;
}

static void blurRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
  constexpr int M = Rows, N = Columns;
#pragma omp parallel for
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float sum = in[i * N + j];
      if (i > 0 && j > 0 && i < M - 1 && j < N - 1)
        sum += in[(i - 1) * N + j] + in[(i + 1) * N + j] + in[i * N + j - 1] + in[i * N + j + 1];
      out[i * N + j] = 0.2f * sum;
    }
}

BENCHMARK("row_sum", sums, sumRun)
BENCHMARK("row_sum_short", sumsShort, sumShortRun)
BENCHMARK("row_sum_constant", sumsConstant, sumConstantRun)
BENCHMARK("row_greatest", greatest, greatestRun)
BENCHMARK("rows_by_x_scale", scaled, scaleRun)
BENCHMARK("rows_by_x_blur", blurred, blurRun)
BENCHMARK("row_recurrence", recurrence, recurrenceRun)
BENCHMARK("row_prefix", prefix, prefixRun)
BENCHMARK("row_softmax", softmax, softmaxRun)
BENCHMARK("row_plane", planes, planeRun)
BENCHMARK("row_plane_last", planes, planeLastRun)
BENCHMARK("row_double", doubles, doubleRun)
BENCHMARK("row_bytes", bytes, byteRun)
BENCHMARK("row_horner", polynomials, hornerRun)
BENCHMARK("row_transpose", transposed, transposeRun)
BENCHMARK("column_sum", columns, columnRun)
BENCHMARK("column_prefix", prefix, columnPrefixRun)
BENCHMARK("deriche", deriche, dericheRun)
