// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's multi-GPU part on three devices, in the four types, on a part of a matrix.
#include "solver/test_support.h"

#include <cusolverMg.h>

#include <cstdlib>

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

constexpr int Devices = 3;

/// Before the first call of CUDA.
const int DevicesAreSet = setenv("HEDDLE_DEVICE", "cpu,cpu,cpu", 1);

template <typename T> constexpr cudaDataType TypeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType TypeOf<ComplexFloat> = CUDA_C_32F;
template <> inline constexpr cudaDataType TypeOf<ComplexDouble> = CUDA_C_64F;

/// A matrix whose blocks of columns go around the devices, and as many columns of `int` for pivots.
template <typename T> struct Spread {
  Spread(const Matrix<T> &m, int block, cudaLibMgGrid_t grid) : m(m), block(block) {
    EXPECT_EQ(
        cusolverMgCreateMatrixDesc(&description, m.rows, m.cols, m.rows, block, TypeOf<T>, grid),
        CUSOLVER_STATUS_SUCCESS);
    int local = (m.cols / (block * Devices) + 1) * block; // columns that a device has room for
    for (int d = 0; d < Devices; ++d) {
      cudaSetDevice(d);
      EXPECT_EQ(cudaMalloc(&arrays[d], size_t(m.rows) * size_t(local) * sizeof(T) + 1),
                cudaSuccess);
      EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&pivots[d]), size_t(local) * sizeof(int)),
                cudaSuccess);
    }
    for (int j = 0; j < m.cols; ++j)
      cudaMemcpy(columnOf(j), &this->m(0, j), size_t(m.rows) * sizeof(T), cudaMemcpyHostToDevice);
  }
  Spread(const Spread &) = delete;
  ~Spread() {
    EXPECT_EQ(cusolverMgDestroyMatrixDesc(description), CUSOLVER_STATUS_SUCCESS);
    for (int d = 0; d < Devices; ++d)
      cudaFree(arrays[d]), cudaFree(pivots[d]);
  }
  T *columnOf(int j) {
    int number = j / block;
    return static_cast<T *>(arrays[number % Devices]) +
           size_t(number / Devices * block + j % block) * size_t(m.rows);
  }
  Matrix<T> now() {
    Matrix<T> result(m.rows, m.cols);
    for (int j = 0; j < m.cols; ++j)
      cudaMemcpy(&result(0, j), columnOf(j), size_t(m.rows) * sizeof(T), cudaMemcpyDeviceToHost);
    return result;
  }

  Matrix<T> m;
  int block;
  cudaLibMgMatrixDesc_t description = nullptr;
  void *arrays[Devices];
  int *pivots[Devices];
};

template <typename T> struct Mg : testing::Test {
  cusolverMgHandle_t handle = nullptr;
  cudaLibMgGrid_t grid = nullptr;
  void SetUp() override {
    int devices[Devices] = {0, 1, 2};
    SOLVER_OK(cusolverMgCreate(&handle));
    SOLVER_OK(cusolverMgDeviceSelect(handle, Devices, devices));
    SOLVER_OK(
        cusolverMgCreateDeviceGrid(&grid, 1, Devices, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
  }
  void TearDown() override {
    SOLVER_OK(cusolverMgDestroyGrid(grid));
    SOLVER_OK(cusolverMgDestroy(handle));
  }
};
TYPED_TEST_SUITE(Mg, FourTypes);

/// A matrix with `inner` at row i and column j, from 1 on.
template <typename T> Matrix<T> around(Random &random, const Matrix<T> &inner, int i, int j) {
  Matrix<T> m = random.matrix<T>(inner.rows + i, inner.cols + j);
  for (int c = 0; c < inner.cols; ++c)
    for (int r = 0; r < inner.rows; ++r)
      m(i - 1 + r, j - 1 + c) = inner(r, c);
  return m;
}
template <typename T> Matrix<T> within(const Matrix<T> &m, int i, int j, int rows, int cols) {
  Matrix<T> part(rows, cols);
  for (int c = 0; c < cols; ++c)
    for (int r = 0; r < rows; ++r)
      part(r, c) = m(i - 1 + r, j - 1 + c);
  return part;
}

TYPED_TEST(Mg, Systems) {
  using T = TypeParam;
  Random random(1);
  for (int n : {1, 5, 23}) {
    int i = random.between(1, 3), j = random.between(1, 3), nrhs = 4, info = 7;
    Matrix<T> inner = random.matrix<T>(n, n), right = random.matrix<T>(n, nrhs);
    Spread<T> a(around(random, inner, i, j), 3, this->grid),
        b(around(random, right, 1, 2), 2, this->grid);
    int64_t work = 0;
    SOLVER_OK(cusolverMgGetrf_bufferSize(this->handle, n, n, a.arrays, i, j, a.description,
                                         a.pivots, TypeOf<T>, &work));
    SOLVER_OK(cusolverMgGetrf(this->handle, n, n, a.arrays, i, j, a.description, a.pivots,
                              TypeOf<T>, nullptr, work, &info));
    EXPECT_EQ(info, 0);
    SOLVER_OK(cusolverMgGetrs_bufferSize(this->handle, CUBLAS_OP_N, n, nrhs, a.arrays, i, j,
                                         a.description, a.pivots, b.arrays, 1, 2, b.description,
                                         TypeOf<T>, &work));
    SOLVER_OK(cusolverMgGetrs(this->handle, CUBLAS_OP_N, n, nrhs, a.arrays, i, j, a.description,
                              a.pivots, b.arrays, 1, 2, b.description, TypeOf<T>, nullptr, work,
                              &info));
    EXPECT_EQ(info, 0);
    expectNear(inner * within(b.now(), 1, 2, n, nrhs), right, 1e5);
    // What is around stays as it was.
    Matrix<T> now = a.now();
    for (int row = 0; row < now.rows; ++row)
      EXPECT_EQ(now(row, now.cols - 1), a.m(row, now.cols - 1));
  }
}

TYPED_TEST(Mg, Cholesky) {
  using T = TypeParam;
  Random random(2);
  for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const int n = 19, nrhs = 3;
    int info = 7;
    Matrix<T> inner = random.positive<T>(n), right = random.matrix<T>(n, nrhs);
    Spread<T> a(inner, 4, this->grid), b(right, 1, this->grid);
    int64_t work = 0;
    SOLVER_OK(cusolverMgPotrf_bufferSize(this->handle, uplo, n, a.arrays, 1, 1, a.description,
                                         TypeOf<T>, &work));
    SOLVER_OK(cusolverMgPotrf(this->handle, uplo, n, a.arrays, 1, 1, a.description, TypeOf<T>,
                              nullptr, work, &info));
    EXPECT_EQ(info, 0);
    SOLVER_OK(cusolverMgPotrs_bufferSize(this->handle, uplo, n, nrhs, a.arrays, 1, 1, a.description,
                                         b.arrays, 1, 1, b.description, TypeOf<T>, &work));
    SOLVER_OK(cusolverMgPotrs(this->handle, uplo, n, nrhs, a.arrays, 1, 1, a.description, b.arrays,
                              1, 1, b.description, TypeOf<T>, nullptr, work, &info));
    EXPECT_EQ(info, 0);
    expectNear(inner * b.now(), right, 5000);
    SOLVER_OK(cusolverMgPotri_bufferSize(this->handle, uplo, n, a.arrays, 1, 1, a.description,
                                         TypeOf<T>, &work));
    SOLVER_OK(cusolverMgPotri(this->handle, uplo, n, a.arrays, 1, 1, a.description, TypeOf<T>,
                              nullptr, work, &info));
    EXPECT_EQ(info, 0);
    Matrix<T> inverse = a.now();
    for (int j = 0; j < n; ++j)
      for (int i = j + 1; i < n; ++i)
        if (uplo == CUBLAS_FILL_MODE_LOWER)
          inverse(j, i) = conjugate(inverse(i, j));
        else
          inverse(i, j) = conjugate(inverse(j, i));
    expectNear(inner * inverse, identity<T>(n), 5000);
  }
}

TYPED_TEST(Mg, Eigenvalues) {
  using T = TypeParam;
  Random random(3);
  const int n = 17;
  int info = 7;
  Matrix<T> inner = random.positive<T>(n);
  Spread<T> a(inner, 5, this->grid);
  std::vector<Real<T>> values(n);
  cudaDataType real = sizeof(Real<T>) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;
  int64_t work = 0;
  SOLVER_OK(cusolverMgSyevd_bufferSize(this->handle, CUSOLVER_EIG_MODE_VECTOR,
                                       CUBLAS_FILL_MODE_LOWER, n, a.arrays, 1, 1, a.description,
                                       values.data(), real, TypeOf<T>, &work));
  SOLVER_OK(cusolverMgSyevd(this->handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                            a.arrays, 1, 1, a.description, values.data(), real, TypeOf<T>, nullptr,
                            work, &info));
  EXPECT_EQ(info, 0);
  Matrix<T> vectors = a.now(), scaled = vectors;
  for (int j = 0; j < n; ++j) {
    EXPECT_TRUE(j == 0 || values[j - 1] <= values[j]);
    for (int i = 0; i < n; ++i)
      scaled(i, j) *= values[j];
  }
  expectNear(inner * vectors, scaled, 500);
}

TYPED_TEST(Mg, Errors) {
  using T = TypeParam;
  int info = 0, devices[2] = {0, 99}, same[2] = {1, 1};
  EXPECT_EQ(cusolverMgDeviceSelect(this->handle, 2, devices), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverMgDeviceSelect(this->handle, 2, same), CUSOLVER_STATUS_INVALID_VALUE);
  cudaLibMgGrid_t other = nullptr;
  EXPECT_EQ(cusolverMgCreateDeviceGrid(&other, 2, 1, same, CUDALIBMG_GRID_MAPPING_COL_MAJOR),
            CUSOLVER_STATUS_INVALID_VALUE);
  Spread<T> a(Matrix<T>(4, 4), 2, this->grid);
  auto factor = [&](int n, int i, cudaDataType type) {
    return cusolverMgPotrf(this->handle, CUBLAS_FILL_MODE_LOWER, n, a.arrays, i, 1, a.description,
                           type, nullptr, 1, &info);
  };
  EXPECT_EQ(factor(5, 1, TypeOf<T>), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(factor(4, 2, TypeOf<T>), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(factor(4, 1, CUDA_R_16F), CUSOLVER_STATUS_NOT_SUPPORTED);
  SOLVER_OK(factor(4, 1, TypeOf<T>));
  EXPECT_EQ(info, 1); // a matrix of zeros
  EXPECT_EQ(cusolverMgPotrf(nullptr, CUBLAS_FILL_MODE_LOWER, 4, a.arrays, 1, 1, a.description,
                            TypeOf<T>, nullptr, 1, &info),
            CUSOLVER_STATUS_NOT_INITIALIZED);
}

} // namespace
