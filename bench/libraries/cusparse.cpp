// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSE's products of a sparse matrix against plain loops that OpenMP gives to all threads, on
// the same data in one run: for each product the ratio of the times. The loops are what a program
// without a library would have, for the compiler to make vectors of for this processor.
//
//   g++ -O3 -march=native -fopenmp -std=c++20 cusparse.cpp -I<toolkit>/include -L<toolkit>/lib64
//   -lcusparse -lcudart
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int Rounds = 21, Columns = 32;

void expect(bool right, const char *what) {
  if (right)
    return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CALL(call) expect((call) == 0, #call)

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename F> double timeOf(F &&work) {
  double begin = seconds();
  work();
  return seconds() - begin;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Square, in CSR.
template <typename T> struct Matrix {
  const char *name;
  int rows = 0;
  std::vector<int> offsets{0}, columns{};
  std::vector<T> values{};

  void add(int column) {
    columns.push_back(column);
    values.push_back(T(1 + column % 7) / 8);
  }
  void endRow() {
    ++rows;
    offsets.push_back(int(columns.size()));
  }
};

/// Five elements a row, next to each other but for two.
template <typename T> Matrix<T> grid(int side) {
  Matrix<T> m{"grid of five points"};
  for (int i = 0; i < side * side; ++i) {
    for (int column : {i - side, i - 1, i, i + 1, i + side})
      if (column >= 0 && column < side * side)
        m.add(column);
    m.endRow();
  }
  return m;
}

/// Rows of `least` to 2 `least` elements anywhere; one row of a thousand has a hundred times as
/// many.
template <typename T> Matrix<T> uneven(int rows, int least) {
  Matrix<T> m{"uneven rows"};
  std::mt19937 engine(1);
  for (int i = 0; i < rows; ++i) {
    int count = least + int(engine() % least);
    std::vector<int> row(i % 1000 ? count : 100 * count);
    for (int &column : row)
      column = int(engine() % rows);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (int column : row)
      m.add(column);
    m.endRow();
  }
  return m;
}

template <typename T> constexpr cudaDataType TypeOf = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

/// y = A x
template <typename T> void plainVector(const Matrix<T> &m, const T *x, T *y) {
#pragma omp parallel for
  for (int row = 0; row < m.rows; ++row) {
    T sum = 0;
    for (int k = m.offsets[row]; k < m.offsets[row + 1]; ++k)
      sum += m.values[k] * x[m.columns[k]];
    y[row] = sum;
  }
}

/// C = A B for B and C of Columns columns by rows.
template <typename T> void plainMatrix(const Matrix<T> &m, const T *b, T *c) {
#pragma omp parallel for
  for (int row = 0; row < m.rows; ++row) {
    T sums[Columns] = {};
    for (int k = m.offsets[row]; k < m.offsets[row + 1]; ++k)
      for (int j = 0; j < Columns; ++j)
        sums[j] += m.values[k] * b[size_t(m.columns[k]) * Columns + j];
    std::copy_n(sums, Columns, c + size_t(row) * Columns);
  }
}

/// Prints the ratio of `ours`, whose result is `mine`, to `plain`, whose result is `theirs`.
template <typename T, typename Ours, typename Plain>
void compare(const char *product, const Matrix<T> &m, const std::vector<T> &mine,
             const std::vector<T> &theirs, Ours &&ours, Plain &&plain) {
  std::vector<double> ratios;
  for (int round = -2; round < Rounds; ++round) {
    double time = timeOf(ours), reference = timeOf(plain);
    if (round >= 0)
      ratios.push_back(time / reference);
  }
  for (size_t i = 0; i < mine.size(); ++i)
    expect(std::abs(mine[i] - theirs[i]) <= 1e-4 * (1 + std::abs(theirs[i])), "the comparison");
  std::printf("%s, %zu bytes, %-20s %5.2f of the plain loop's time\n", product, sizeof(T), m.name,
              median(ratios));
}

template <typename T> struct Problem {
  const Matrix<T> &m;
  cusparseHandle_t handle;
  cusparseSpMatDescr_t matrix;
  T one = 1, zero = 0;

  explicit Problem(const Matrix<T> &m) : m(m) {
    CALL(cusparseCreate(&handle));
    CALL(cusparseCreateCsr(&matrix, m.rows, m.rows, int64_t(m.columns.size()),
                           const_cast<int *>(m.offsets.data()), const_cast<int *>(m.columns.data()),
                           const_cast<T *>(m.values.data()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, TypeOf<T>));
  }
  ~Problem() {
    CALL(cusparseDestroySpMat(matrix));
    CALL(cusparseDestroy(handle));
  }

  void compareVector() {
    std::vector<T> x(m.rows, T(0.5)), mine(m.rows), theirs(m.rows);
    cusparseDnVecDescr_t from, to;
    CALL(cusparseCreateDnVec(&from, m.rows, x.data(), TypeOf<T>));
    CALL(cusparseCreateDnVec(&to, m.rows, mine.data(), TypeOf<T>));
    auto ours = [&] {
      CALL(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to,
                        TypeOf<T>, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
      CALL(cudaDeviceSynchronize());
    };
    compare("SpMV", m, mine, theirs, ours, [&] { plainVector(m, x.data(), theirs.data()); });
    CALL(cusparseDestroyDnVec(from));
    CALL(cusparseDestroyDnVec(to));
  }

  void compareMatrix() {
    size_t size = size_t(m.rows) * Columns;
    std::vector<T> b(size, T(0.5)), mine(size), theirs(size);
    cusparseDnMatDescr_t from, to;
    auto create = [&](cusparseDnMatDescr_t *matrix, std::vector<T> &values) {
      CALL(cusparseCreateDnMat(matrix, m.rows, Columns, Columns, values.data(), TypeOf<T>,
                               CUSPARSE_ORDER_ROW));
    };
    create(&from, b), create(&to, mine);
    auto ours = [&] {
      CALL(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                        &one, matrix, from, &zero, to, TypeOf<T>, CUSPARSE_SPMM_ALG_DEFAULT,
                        nullptr));
      CALL(cudaDeviceSynchronize());
    };
    compare("SpMM", m, mine, theirs, ours, [&] { plainMatrix(m, b.data(), theirs.data()); });
    CALL(cusparseDestroyDnMat(from));
    CALL(cusparseDestroyDnMat(to));
  }
};

template <typename T> void compareAll() {
  for (const Matrix<T> &m : {grid<T>(512), uneven<T>(60000, 16)}) {
    Problem<T> problem(m);
    problem.compareVector();
    problem.compareMatrix();
  }
}

} // namespace

int main() {
  compareAll<float>();
  compareAll<double>();
}
