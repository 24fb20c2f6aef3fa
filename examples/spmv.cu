// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figures B.8.1 to B.8.5 (sparse
// matrix-vector product: serial, parallel, cached in shared memory).
//
// y = A x for a sparse matrix in compressed rows: `values` and `columns` hold the nonzeros row by
// row, and row i's lie between rowStart[i] and rowStart[i + 1]. The parallel kernel gives each
// thread a row. The cached kernel first loads the part of x that has the numbers of the block's
// rows into shared memory, where most reads find their element if the matrix is near its diagonal.
#include "common.h"

#include <algorithm>
#include <set>

constexpr unsigned BlockSize = 128;

struct Matrix {
  unsigned rows;
  std::vector<unsigned> rowStart, columns;
  std::vector<float> values;
};

/// One row times x; serial and parallel code share it.
__host__ __device__ float multiplyRow(unsigned size, const unsigned *columns, const float *values,
                                      const float *x) {
  float sum = 0;
  for (unsigned i = 0; i < size; ++i)
    sum += values[i] * x[columns[i]];
  return sum;
}

static void multiplySerial(const Matrix &a, const float *x, float *y) {
  for (unsigned row = 0; row < a.rows; ++row) {
    unsigned begin = a.rowStart[row], end = a.rowStart[row + 1];
    y[row] = multiplyRow(end - begin, a.columns.data() + begin, a.values.data() + begin, x);
  }
}

__global__ void multiplyParallel(const unsigned *rowStart, const unsigned *columns,
                                 const float *values, unsigned rows, const float *x, float *y) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    unsigned begin = rowStart[row], end = rowStart[row + 1];
    y[row] = multiplyRow(end - begin, columns + begin, values + begin, x);
  }
}

__global__ void multiplyCached(const unsigned *rowStart, const unsigned *columns,
                               const float *values, unsigned rows, const float *x, float *y) {
  __shared__ float cache[BlockSize];
  unsigned blockBegin = blockIdx.x * blockDim.x, blockEnd = blockBegin + blockDim.x;
  unsigned row = blockBegin + threadIdx.x;
  if (row < rows)
    cache[threadIdx.x] = x[row];
  __syncthreads();

  if (row < rows) {
    float sum = 0;
    for (unsigned i = rowStart[row]; i < rowStart[row + 1]; ++i) {
      unsigned column = columns[i];
      bool cached = column >= blockBegin && column < blockEnd;
      sum += values[i] * (cached ? cache[column - blockBegin] : x[column]);
    }
    y[row] = sum;
  }
}

/// Up to `perRow` nonzeros per row, most within `band` columns of the diagonal; some rows are
/// empty.
static Matrix randomMatrix(unsigned rows, int perRow, int band, uint32_t seed) {
  Random random(seed);
  Matrix a{rows, {0}, {}, {}};
  for (unsigned row = 0; row < rows; ++row) {
    std::set<unsigned> columns;
    for (int i = random.integer(0, perRow); i > 0; --i) {
      long column = random.integer(0, 9) ? long(row) + random.integer(-band, band)
                                         : random.integer(0, int(rows) - 1);
      columns.insert(unsigned(std::clamp(column, 0L, long(rows) - 1)));
    }
    for (unsigned column : columns) {
      a.columns.push_back(column);
      a.values.push_back(float(random.integer(-9, 9)));
    }
    a.rowStart.push_back(unsigned(a.columns.size()));
  }
  a.columns.push_back(0); // so that no array is empty
  a.values.push_back(0);
  return a;
}

static void run(const char *name, const Matrix &a) {
  std::vector<float> x = wholeNumbers<float>(a.rows, 100, 35), want(a.rows);
  multiplySerial(a, x.data(), want.data());
  unsigned *rowStart = toDevice(a.rowStart), *columns = toDevice(a.columns);
  float *values = toDevice(a.values), *dx = toDevice(x);
  float *y = zerosOnDevice<float>(a.rows), *z = zerosOnDevice<float>(a.rows);
  unsigned blocks = (a.rows + BlockSize - 1) / BlockSize;
  multiplyParallel<<<blocks, BlockSize>>>(rowStart, columns, values, a.rows, dx, y);
  multiplyCached<<<blocks, BlockSize>>>(rowStart, columns, values, a.rows, dx, z);
  check(same(toHost(y, a.rows), want), "parallel, %s, %u rows, %u nonzeros", name, a.rows,
        a.rowStart.back());
  check(same(toHost(z, a.rows), want), "cached, %s, %u rows, %u nonzeros", name, a.rows,
        a.rowStart.back());
  for (void *array :
       {(void *)rowStart, (void *)columns, (void *)values, (void *)dx, (void *)y, (void *)z})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  // 3 0 1 0 / 0 0 0 0 / 0 2 4 1 / 1 0 0 1: small enough to see the three arrays
  run("by hand", {4, {0, 2, 2, 5, 7}, {0, 2, 1, 2, 3, 0, 3}, {3, 1, 2, 4, 1, 1, 1}});
  run("random", randomMatrix(1, 3, 1, 36));
  run("random", randomMatrix(127, 10, 20, 37));
  run("random", randomMatrix(1000, 30, 40, 38));
  run("random", randomMatrix(20001, 15, 200, 39));
  return exitCode();
}
