// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rows.h"

using namespace rows;
using bench::Data;

constexpr int Block = 128;

__global__ static void sumKernel(int m, int n, const float *a, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[i * n + j];
    sums[i] = sum;
  }
}

static void sumRun(Data &data) {
  sumKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<float>(0), data.get<float>(1));
}

static void sumShortRun(Data &data) {
  sumKernel<<<cover(Short, Block), Block>>>(Short, Few, data.get<float>(0), data.get<float>(1));
}

/// Pitch and length are a constant, and there are threads for all rows.
__global__ static void sumConstant(const float *a, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < Constant; j++)
    sum += a[i * Constant + j];
  sums[i] = sum;
}

static void sumConstantRun(Data &data) {
  sumConstant<<<40, 256>>>(data.get<float>(0), data.get<float>(1));
}

__global__ static void greatestKernel(int m, int n, const int *a, int *indices) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  int best = 0;
  for (int j = 1; j < n; j++)
    if (a[i * n + j] > a[i * n + best])
      best = j;
  indices[i] = best;
}

static void greatestRun(Data &data) {
  greatestKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<int>(0), data.get<int>(1));
}

/// y[j] = a x[j] + b y[j - 1], along each row.
__global__ static void recurrenceKernel(int m, int n, float a, float b, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  float last = 0;
  for (int j = 0; j < n; j++) {
    last = a * x[i * n + j] + b * last;
    y[i * n + j] = last;
  }
}

static void recurrenceRun(Data &data) {
  recurrenceKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, 0.3f, 0.7f, data.get<float>(0),
                                                  data.get<float>(1));
}

__global__ static void prefixKernel(int m, int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  y[i * n] = x[i * n];
  for (int j = 1; j < n; j++)
    y[i * n + j] = y[i * n + j - 1] + x[i * n + j];
}

static void prefixRun(Data &data) {
  prefixKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                              data.get<float>(1));
}

__global__ static void columnPrefixKernel(int m, int n, const float *x, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  y[j] = x[j];
  for (int i = 1; i < m; i++)
    y[i * n + j] = y[(i - 1) * n + j] + x[i * n + j];
}

static void columnPrefixRun(Data &data) {
  columnPrefixKernel<<<cover(Columns, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                                       data.get<float>(1));
}

__global__ static void softmaxKernel(int m, int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  float most = -1e30f, sum = 0;
  for (int j = 0; j < n; j++)
    most = fmaxf(most, x[i * n + j]);
  for (int j = 0; j < n; j++)
    sum += expf(x[i * n + j] - most);
  for (int j = 0; j < n; j++)
    y[i * n + j] = expf(x[i * n + j] - most) / sum;
}

static void softmaxRun(Data &data) {
  softmaxKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                               data.get<float>(1));
}

/// Deriche's recursive filter: along the rows both ways, then along the columns.
struct Filter {
  float a1, a2, a3, a4, b1, b2;
};
static const Filter Smooth = {0.12f, 0.05f, 0.14f, -0.08f, 0.9f, -0.2f};

__global__ static void dericheRows(int m, int n, Filter f, const float *x, float *y1, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  float ym1 = 0, ym2 = 0, xm1 = 0;
  for (int j = 0; j < n; j++) {
    y1[i * n + j] = f.a1 * x[i * n + j] + f.a2 * xm1 + f.b1 * ym1 + f.b2 * ym2;
    xm1 = x[i * n + j];
    ym2 = ym1;
    ym1 = y1[i * n + j];
  }
  float yp1 = 0, yp2 = 0, xp1 = 0, xp2 = 0;
  for (int j = n - 1; j >= 0; j--) {
    y2[i * n + j] = f.a3 * xp1 + f.a4 * xp2 + f.b1 * yp1 + f.b2 * yp2;
    xp2 = xp1;
    xp1 = x[i * n + j];
    yp2 = yp1;
    yp1 = y2[i * n + j];
  }
}

__global__ static void dericheColumns(int m, int n, Filter f, const float *x, float *y1,
                                      float *y2) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  float tm1 = 0, ym1 = 0, ym2 = 0;
  for (int i = 0; i < m; i++) {
    y1[i * n + j] = f.a1 * x[i * n + j] + f.a2 * tm1 + f.b1 * ym1 + f.b2 * ym2;
    tm1 = x[i * n + j];
    ym2 = ym1;
    ym1 = y1[i * n + j];
  }
  float tp1 = 0, tp2 = 0, yp1 = 0, yp2 = 0;
  for (int i = m - 1; i >= 0; i--) {
    y2[i * n + j] = f.a3 * tp1 + f.a4 * tp2 + f.b1 * yp1 + f.b2 * yp2;
    tp2 = tp1;
    tp1 = x[i * n + j];
    yp2 = yp1;
    yp1 = y2[i * n + j];
  }
}

__global__ static void dericheAdd(int count, const float *y1, const float *y2, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = y1[i] + y2[i];
}

static void dericheRun(Data &data) {
  float *y1 = data.get<float>(1), *y2 = data.get<float>(2), *out = data.get<float>(3);
  dericheRows<<<cover(Rows, 64), 64>>>(Rows, Columns, Smooth, data.get<float>(0), y1, y2);
  dericheAdd<<<cover(Count, 256), 256>>>(Count, y1, y2, out);
  dericheColumns<<<cover(Columns, 64), 64>>>(Rows, Columns, Smooth, out, y1, y2);
  dericheAdd<<<cover(Count, 256), 256>>>(Count, y1, y2, out);
}

/// A block of two dimensions; each thread has a row along the third.
__global__ static void planeKernel(int m, int n, int depth, const float *a, float *sums) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float sum = 0;
    for (int k = 0; k < depth; k++)
      sum += a[(i * n + j) * depth + k] * a[(i * n + j) * depth + k];
    sums[i * n + j] = sqrtf(sum);
  }
}

static void planeRun(Data &data) {
  planeKernel<<<dim3(cover(PlaneColumns, 16), cover(PlaneRows, 16)), dim3(16, 16)>>>(
      PlaneRows, PlaneColumns, Depth, data.get<float>(0), data.get<float>(1));
}

/// The same with the recurrence, and threads whose y goes along the rows.
__global__ static void planeLastKernel(int m, int n, int depth, const float *a, float *last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  float value = 0;
  for (int k = 0; k < depth; k++)
    value = 0.8f * value + a[(i * n + j) * depth + k];
  last[i * n + j] = value;
}

static void planeLastRun(Data &data) {
  planeLastKernel<<<dim3(cover(PlaneRows, 32), cover(PlaneColumns, 4)), dim3(32, 4)>>>(
      PlaneRows, PlaneColumns, Depth, data.get<float>(0), data.get<float>(1));
}

__global__ static void doubleKernel(int m, int n, const double *a, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    const double *row = a + i * n;
    double sum = 0, squares = 0;
    for (int j = 0; j < n; j++) {
      sum += row[j];
      squares += row[j] * row[j];
    }
    out[i] = squares / n - (sum / n) * (sum / n);
  }
}

static void doubleRun(Data &data) {
  doubleKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<double>(0),
                                              data.get<double>(1));
}

__global__ static void byteKernel(int m, int n, const unsigned char *a, int *sums, int *bright) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  int sum = 0, count = 0;
  for (int j = 0; j < n; j++) {
    unsigned char value = a[i * n + j];
    sum += value;
    if (value > 200)
      count++;
  }
  sums[i] = sum;
  bright[i] = count;
}

static void byteRun(Data &data) {
  byteKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<unsigned char>(0),
                                            data.get<int>(1), data.get<int>(2));
}

__global__ static void columnKernel(int m, int n, const float *a, float *sums) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    float sum = 0;
    for (int i = 0; i < m; i++)
      sum += a[i * n + j];
    sums[j] = sum;
  }
}

static void columnRun(Data &data) {
  columnKernel<<<cover(Columns, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                                 data.get<float>(1));
}

/// A thread copies its row into a column.
__global__ static void transposeKernel(int m, int n, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m)
    for (int j = 0; j < n; j++)
      b[j * m + i] = a[i * n + j];
}

static void transposeRun(Data &data) {
  transposeKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<float>(0),
                                                 data.get<float>(1));
}

__global__ static void hornerKernel(int m, int n, const float *coefficients, const float *xs,
                                    float *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m)
    return;
  float value = 0;
  for (int j = n - 1; j >= 0; j--)
    value = value * xs[i] + coefficients[i * n + j];
  values[i] = value;
}

static void hornerRun(Data &data) {
  hornerKernel<<<cover(Rows, Block), Block>>>(Rows, Columns, data.get<float>(0), data.get<float>(1),
                                              data.get<float>(2));
}

/// Threads along x have the rows, threads along y the columns.
__global__ static void scaleByRows(int m, int n, float factor, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    out[i * n + j] = factor * in[i * n + j] + 1;
}

static void scaleRun(Data &data) {
  scaleByRows<<<dim3(cover(Rows, 16), cover(Columns, 16)), dim3(16, 16)>>>(
      Rows, Columns, 3, data.get<float>(0), data.get<float>(1));
}

__global__ static void blurByRows(int m, int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  float sum = in[i * n + j];
  if (i > 0 && j > 0 && i < m - 1 && j < n - 1)
    sum += in[(i - 1) * n + j] + in[(i + 1) * n + j] + in[i * n + j - 1] + in[i * n + j + 1];
  out[i * n + j] = 0.2f * sum;
}

static void blurRun(Data &data) {
  blurByRows<<<dim3(cover(Rows, 32), cover(Columns, 32)), dim3(32, 32)>>>(
      Rows, Columns, data.get<float>(0), data.get<float>(1));
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
