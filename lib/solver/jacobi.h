// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of the functions of Jacobi's method. Results are exact and sorted whatever they say,
// and the settings that would relax this are kept, checked and of no effect.
#pragma once

#include "lapack/lapack.h"

#include <cmath>
#include <memory>

namespace heddle::solver {

using namespace lapack;

struct JacobiSettings {
  double tolerance = 0; ///< 0: the machine's
  int maxSweeps = 100;
  bool sorted = true;
  /// Of the last problem that was not a batch's; written by work in the stream, which keeps it.
  struct Result {
    int sweeps = 0;
    double residual = 0; ///< the norm of A V - U S, where there are vectors
  };
  std::shared_ptr<Result> result = std::make_shared<Result>();
};

/// The norm of A V - U S for matrices by columns: A is m x n, and there are k values.
template <typename T>
double residualNorm(int m, int n, int k, const T *a, int lda, const T *u, int ldu, const Real<T> *s,
                    const T *v, int ldv) {
  T one(1), zero(0);
  std::unique_ptr<T[]> product = workspace<T>(int64_t(m) * k);
  int ld = m > 0 ? m : 1;
  HEDDLE_LAPACK_OF(T, gemm)("N", "N", &m, &k, &n, &one, a, &lda, v, &ldv, &zero, product.get(),
                            &ld);
  double sum = 0;
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < m; ++i)
      sum += std::norm(product[i + j * int64_t(m)] - u[i + j * int64_t(ldu)] * s[j]);
  return std::sqrt(sum);
}

} // namespace heddle::solver

struct syevjInfo : heddle::solver::JacobiSettings {};
struct gesvdjInfo : heddle::solver::JacobiSettings {};
