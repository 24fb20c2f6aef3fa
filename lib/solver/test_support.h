// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of cuSOLVER share: random matrices by columns, arrays in device memory, plain
// products, and the functions of one type under one name. Results are judged by what they must
// satisfy, not against LAPACK.
#pragma once

#include "solver/handle.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace heddle::solver::test {

#define SOLVER_OK(call) ASSERT_EQ(call, CUSOLVER_STATUS_SUCCESS)

/// An array in device memory with what a vector held.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(const std::vector<T> &values) : count(values.size()) {
    EXPECT_EQ(cudaMalloc(&memory, (count + 1) * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  explicit DeviceArray(size_t count) : DeviceArray(std::vector<T>(count)) {}
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(memory); }

  T *get() const { return static_cast<T *>(memory); }
  std::vector<T> read() const {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

private:
  void *memory = nullptr;
  size_t count;
};

template <typename T> T conjugate(T value) {
  if constexpr (IsComplex<T>)
    return std::conj(value);
  else
    return value;
}

/// A matrix by columns, ld = rows + padding.
template <typename T> struct Matrix {
  int rows, cols, ld;
  std::vector<T> values;

  Matrix(int rows, int cols, int padding = 0)
      : rows(rows), cols(cols), ld(std::max(1, rows + padding)), values(int64_t(ld) * cols, T(77)) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        (*this)(i, j) = T(0);
  }
  T &operator()(int i, int j) { return values[i + j * int64_t(ld)]; }
  const T &operator()(int i, int j) const { return values[i + j * int64_t(ld)]; }

  Matrix with(std::vector<T> other) const {
    Matrix m = *this;
    m.values = std::move(other);
    return m;
  }
  Matrix adjoint() const {
    Matrix m(cols, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        m(j, i) = conjugate((*this)(i, j));
    return m;
  }
  Matrix transposed() const {
    Matrix m(cols, rows);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        m(j, i) = (*this)(i, j);
    return m;
  }
  /// The upper left part.
  Matrix part(int r, int c) const {
    Matrix m(r, c);
    for (int i = 0; i < r; ++i)
      for (int j = 0; j < c; ++j)
        m(i, j) = (*this)(i, j);
    return m;
  }
};

template <typename T> Matrix<T> identity(int n) {
  Matrix<T> m(n, n);
  for (int i = 0; i < n; ++i)
    m(i, i) = T(1);
  return m;
}

template <typename T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b) {
  Matrix<T> c(a.rows, b.cols);
  for (int j = 0; j < b.cols; ++j)
    for (int k = 0; k < a.cols; ++k)
      for (int i = 0; i < a.rows; ++i)
        c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// The largest difference of two elements is at most `factor` roundings of numbers of the largest
/// one's size.
template <typename T> void expectNear(const Matrix<T> &a, const Matrix<T> &b, double factor) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.cols, b.cols);
  double size = 1, difference = 0;
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i) {
      size = std::max<double>(size, std::abs(a(i, j)));
      double d = std::abs(a(i, j) - b(i, j));
      difference = d <= difference ? difference : d; // a NaN stays
    }
  EXPECT_LE(difference, factor * size * std::numeric_limits<Real<T>>::epsilon());
}

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int between(int low, int high) {
    return low + static_cast<int>(engine() % static_cast<unsigned>(high - low + 1));
  }
  template <typename T> T value() {
    std::uniform_real_distribution<Real<T>> uniform(-1, 1);
    if constexpr (IsComplex<T>)
      return T(uniform(engine), uniform(engine));
    else
      return uniform(engine);
  }
  template <typename T> Matrix<T> matrix(int rows, int cols, int padding = 0) {
    Matrix<T> m(rows, cols, padding);
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        m(i, j) = value<T>();
    return m;
  }
  /// A matrix that is equal to its adjoint, and positive definite.
  template <typename T> Matrix<T> positive(int n, int padding = 0) {
    Matrix<T> m = matrix<T>(n, n), p = m * m.adjoint(), result(n, n, padding);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        result(i, j) = p(i, j) + (i == j ? T(Real<T>(n) / 2 + 1) : T(0));
    return result;
  }
  /// One whose elements on the diagonal are large.
  template <typename T> Matrix<T> dominant(int n, int padding = 0) {
    Matrix<T> m = matrix<T>(n, n, padding);
    for (int i = 0; i < n; ++i)
      m(i, i) += T(Real<T>(n));
    return m;
  }

private:
  std::mt19937 engine;
};

/// The element type as the interface has it.
template <typename T> struct ApiOf {
  using Type = T;
};
template <> struct ApiOf<ComplexFloat> {
  using Type = cuComplex;
};
template <> struct ApiOf<ComplexDouble> {
  using Type = cuDoubleComplex;
};
template <typename T> using Api = typename ApiOf<T>::Type;
template <typename T> Api<T> *api(T *p) { return reinterpret_cast<Api<T> *>(p); }

/// The functions of the four types under one name: HEDDLE_FOUR(potrf, cusolverDnSpotrf, ...)
/// defines potrfOf<T>.
#define HEDDLE_FOUR(name, s, d, c, z)                                                              \
  template <typename T> constexpr auto name##Of = pickFunction<T>(s, d, c, z);
template <typename T, typename S, typename D, typename C, typename Z>
constexpr auto pickFunction(S s, D d, C c, Z z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return c;
  else
    return z;
}

template <typename T> struct Dense : testing::Test {
  cusolverDnHandle_t handle = nullptr;
  void SetUp() override { SOLVER_OK(cusolverDnCreate(&handle)); }
  void TearDown() override { SOLVER_OK(cusolverDnDestroy(handle)); }
};
using FourTypes = testing::Types<float, double, ComplexFloat, ComplexDouble>;

} // namespace heddle::solver::test
