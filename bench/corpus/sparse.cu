// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse.h"

using namespace sparse;
using bench::Data;

__global__ static void csrScalar(int n, const int *starts, const int *columns, const float *values,
                                 const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    float sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++)
      sum += values[e] * x[columns[e]];
    y[row] = sum;
  }
}

static void csrScalarRun(Data &data) {
  csrScalar<<<cover(Rows, 256), 256>>>(Rows, data.get<int>(0), data.get<int>(1), data.get<float>(2),
                                       data.get<float>(3), data.get<float>(4));
}

/// A warp a row; the lanes' sums are added by shuffles.
__global__ static void csrVector(int n, const int *starts, const int *columns, const float *values,
                                 const float *x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n)
    return;
  float sum = 0;
  for (int e = starts[row] + lane; e < starts[row + 1]; e += 32)
    sum += values[e] * x[columns[e]];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0)
    y[row] = sum;
}

static void csrVectorRun(Data &data) {
  csrVector<<<cover(Rows, 4), 128>>>(Rows, data.get<int>(0), data.get<int>(1), data.get<float>(2),
                                     data.get<float>(3), data.get<float>(4));
}

__global__ static void cooKernel(int count, const int *rows, const int *columns,
                                 const float *values, const float *x, float *y) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < count)
    atomicAdd(&y[rows[e]], values[e] * x[columns[e]]);
}

static void cooRun(Data &data) {
  cudaMemsetAsync(data.get<float>(4), 0, Rows * sizeof(float));
  cooKernel<<<cover(elements(), 256), 256>>>(elements(), data.get<int>(0), data.get<int>(1),
                                             data.get<float>(2), data.get<float>(3),
                                             data.get<float>(4));
}

__global__ static void ellKernel(int n, int longest, const int *columns, const float *values,
                                 const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float sum = 0;
  for (int i = 0; i < longest; i++) {
    int column = columns[i * n + row];
    if (column >= 0)
      sum += values[i * n + row] * x[column];
  }
  y[row] = sum;
}

static void ellRun(Data &data) {
  ellKernel<<<cover(Rows, 256), 256>>>(Rows, Longest, data.get<int>(0), data.get<float>(1),
                                       data.get<float>(2), data.get<float>(3));
}

/// A thread a row of numbers: its line of each block.
__global__ static void bsrKernel(int blockRows, const int *columns, const float *values,
                                 const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, blockRow = row / Side, line = row % Side;
  if (blockRow >= blockRows)
    return;
  float sum = 0;
  for (int b = blockRow * PerRow; b < (blockRow + 1) * PerRow; b++)
    for (int j = 0; j < Side; j++)
      sum += values[(b * Side + line) * Side + j] * x[columns[b] * Side + j];
  y[row] = sum;
}

static void bsrRun(Data &data) {
  bsrKernel<<<cover(BlockRows * Side, 128), 128>>>(BlockRows, data.get<int>(0), data.get<float>(1),
                                                   data.get<float>(2), data.get<float>(3));
}

__global__ static void diaKernel(int n, int diagonals, const int *offsets, const float *values,
                                 const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float sum = 0;
  for (int d = 0; d < diagonals; d++) {
    int column = row + offsets[d];
    if (column >= 0 && column < n)
      sum += values[d * n + row] * x[column];
  }
  y[row] = sum;
}

static void diaRun(Data &data) {
  diaKernel<<<cover(Rows, 256), 256>>>(Rows, Diagonals, data.get<int>(0), data.get<float>(1),
                                       data.get<float>(2), data.get<float>(3));
}

/// Threads along x have the vectors of a row.
__global__ static void spmmKernel(int n, int vectors, const int *starts, const int *columns,
                                  const float *values, const float *x, float *y) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, vector = threadIdx.x;
  if (row >= n || vector >= vectors)
    return;
  float sum = 0;
  for (int e = starts[row]; e < starts[row + 1]; e++)
    sum += values[e] * x[columns[e] * vectors + vector];
  y[row * vectors + vector] = sum;
}

static void spmmRun(Data &data) {
  spmmKernel<<<cover(Rows, 16), dim3(Vectors, 16)>>>(Rows, Vectors, data.get<int>(0),
                                                     data.get<int>(1), data.get<float>(2),
                                                     data.get<float>(3), data.get<float>(4));
}

/// The diagonal is the number of elements in a row plus 1, so that the iteration converges.
__global__ static void jacobiKernel(int n, const int *starts, const int *columns,
                                    const double *values, const double *b, const double *from,
                                    double *to) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  double sum = b[row];
  for (int e = starts[row]; e < starts[row + 1]; e++)
    sum -= values[e] * from[columns[e]];
  to[row] = sum / (starts[row + 1] - starts[row] + 1);
}

static void jacobiRun(Data &data) {
  double *x[] = {data.get<double>(4), data.get<double>(5)};
  cudaMemsetAsync(x[0], 0, Rows * sizeof(double));
  for (int step = 0; step < SolverSteps; step++)
    jacobiKernel<<<cover(Rows, 128), 128>>>(Rows, data.get<int>(0), data.get<int>(1),
                                            data.get<double>(2), data.get<double>(3), x[step % 2],
                                            x[(step + 1) % 2]);
}

BENCHMARK("spmv_csr", csr, csrScalarRun)
BENCHMARK("spmv_csr_warp", csr, csrVectorRun)
BENCHMARK("spmv_coo", coo, cooRun)
BENCHMARK("spmv_ell", ell, ellRun)
BENCHMARK("spmv_bsr", bsr, bsrRun)
BENCHMARK("spmv_dia", dia, diaRun)
BENCHMARK("spmm", spmm, spmmRun)
BENCHMARK("sparse_jacobi", jacobi, jacobiRun)
