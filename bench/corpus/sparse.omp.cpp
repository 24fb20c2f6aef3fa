// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse.h"

using namespace sparse;
using bench::Data;

static void csrRun(Data &data) {
  const int *starts = data.get<int>(0), *columns = data.get<int>(1);
  const float *values = data.get<float>(2), *x = data.get<float>(3);
  float *y = data.get<float>(4);
#pragma omp parallel for schedule(static, 256)
  for (int row = 0; row < Rows; row++) {
    float sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++)
      sum += values[e] * x[columns[e]];
    y[row] = sum;
  }
}

/// In one thread elements are in the order of rows; with several each adds to the common result.
static void cooRun(Data &data) {
  const int *rows = data.get<int>(0), *columns = data.get<int>(1);
  const float *values = data.get<float>(2), *x = data.get<float>(3);
  float *y = data.get<float>(4);
  std::memset(y, 0, Rows * sizeof(float));
  int count = elements();
#pragma omp parallel for
  for (int e = 0; e < count; e++) {
    float term = values[e] * x[columns[e]];
#pragma omp atomic
    y[rows[e]] += term;
  }
}

/// Some rows at a time, for all their elements.
static void ellRun(Data &data) {
  constexpr int Band = 512;
  const int *columns = data.get<int>(0);
  const float *values = data.get<float>(1), *x = data.get<float>(2);
  float *y = data.get<float>(3);
#pragma omp parallel for
  for (int first = 0; first < Rows; first += Band) {
    int last = std::min(first + Band, Rows);
    std::fill(y + first, y + last, 0.0f);
    for (int i = 0; i < Longest; i++)
#pragma omp simd
      for (int row = first; row < last; row++) {
        int column = columns[i * Rows + row];
        y[row] += column >= 0 ? values[i * Rows + row] * x[column] : 0;
      }
  }
}

static void bsrRun(Data &data) {
  const int *columns = data.get<int>(0);
  const float *values = data.get<float>(1), *x = data.get<float>(2);
  float *y = data.get<float>(3);
#pragma omp parallel for
  for (int row = 0; row < BlockRows; row++) {
    float sums[Side] = {};
    for (int b = row * PerRow; b < (row + 1) * PerRow; b++)
      for (int i = 0; i < Side; i++)
        for (int j = 0; j < Side; j++)
          sums[i] += values[(b * Side + i) * Side + j] * x[columns[b] * Side + j];
    for (int i = 0; i < Side; i++)
      y[row * Side + i] = sums[i];
  }
}

static void diaRun(Data &data) {
  constexpr int Band = 1024;
  const int *offsets = data.get<int>(0);
  const float *values = data.get<float>(1), *x = data.get<float>(2);
  float *y = data.get<float>(3);
#pragma omp parallel for
  for (int first = 0; first < Rows; first += Band) {
    int last = std::min(first + Band, Rows);
    std::fill(y + first, y + last, 0.0f);
    for (int d = 0; d < Diagonals; d++) {
      int begin = std::max(first, -offsets[d]), end = std::min(last, Rows - offsets[d]);
#pragma omp simd
      for (int row = begin; row < end; row++)
        y[row] += values[d * Rows + row] * x[row + offsets[d]];
    }
  }
}

static void spmmRun(Data &data) {
  const int *starts = data.get<int>(0), *columns = data.get<int>(1);
  const float *values = data.get<float>(2), *x = data.get<float>(3);
  float *y = data.get<float>(4);
#pragma omp parallel for schedule(static, 256)
  for (int row = 0; row < Rows; row++) {
    float sums[Vectors] = {};
    for (int e = starts[row]; e < starts[row + 1]; e++)
#pragma omp simd
      for (int v = 0; v < Vectors; v++)
        sums[v] += values[e] * x[columns[e] * Vectors + v];
    for (int v = 0; v < Vectors; v++)
      y[row * Vectors + v] = sums[v];
  }
}

static void jacobiRun(Data &data) {
  const int *starts = data.get<int>(0), *columns = data.get<int>(1);
  const double *values = data.get<double>(2), *b = data.get<double>(3);
  double *x[] = {data.get<double>(4), data.get<double>(5)};
  std::memset(x[0], 0, Rows * sizeof(double));
  for (int step = 0; step < SolverSteps; step++) {
    const double *from = x[step % 2];
    double *to = x[(step + 1) % 2];
#pragma omp parallel for schedule(static, 256)
    for (int row = 0; row < Rows; row++) {
      double sum = b[row];
      for (int e = starts[row]; e < starts[row + 1]; e++)
        sum -= values[e] * from[columns[e]];
      to[row] = sum / (starts[row + 1] - starts[row] + 1);
    }
  }
}

BENCHMARK("spmv_csr", csr, csrRun)
BENCHMARK("spmv_csr_warp", csr, csrRun)
BENCHMARK("spmv_coo", coo, cooRun)
BENCHMARK("spmv_ell", ell, ellRun)
BENCHMARK("spmv_bsr", bsr, bsrRun)
BENCHMARK("spmv_dia", dia, diaRun)
BENCHMARK("spmm", spmm, spmmRun)
BENCHMARK("sparse_jacobi", jacobi, jacobiRun)
