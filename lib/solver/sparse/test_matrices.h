// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices for the tests.
#pragma once

#include "solver/test_support.h"

#include <cusolverSp.h>

namespace heddle::solver::test {

template <typename T> struct Csr {
  std::vector<int> offsets, indices;
  std::vector<T> values;

  Csr(const Matrix<T> &m, int base) : offsets{base} {
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.cols; ++j)
        if (m(i, j) != T(0))
          indices.push_back(j + base), values.push_back(m(i, j));
      offsets.push_back(static_cast<int>(indices.size()) + base);
    }
  }
  int nnz() const { return static_cast<int>(values.size()); }
};

template <typename T> struct SparseSystems : testing::Test {
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t descr = nullptr;
  void SetUp() override {
    SOLVER_OK(cusolverSpCreate(&handle));
    ASSERT_EQ(cusparseCreateMatDescr(&descr), CUSPARSE_STATUS_SUCCESS);
  }
  void TearDown() override {
    SOLVER_OK(cusolverSpDestroy(handle));
    cusparseDestroyMatDescr(descr);
  }
};
/// A matrix with holes: dominant, and equal to its adjoint if asked.
template <typename T> Matrix<T> sparse(Random &random, int n, bool hermitian) {
  Matrix<T> m(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j)
      if (random.between(0, 4) == 0) {
        m(i, j) = random.value<T>();
        m(j, i) = hermitian ? conjugate(m(i, j)) : random.value<T>();
      }
    m(i, i) = T(Real<T>(n));
  }
  return m;
}

} // namespace heddle::solver::test
