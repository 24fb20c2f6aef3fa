// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What refactor.cpp keeps of a matrix and its factors, for one or for a batch.
#pragma once

#include "solver/handle.h"

#include <cusolverRf.h>

#include <memory>
#include <vector>

namespace heddle::solver {

/// All of it belongs to work in the stream too, so that the handle may be destroyed behind a call.
struct Factors {
  int n = 0;
  std::vector<int> offsets, indices, diagonal; ///< of M
  std::vector<double> values;
  std::vector<int> places; ///< where in M an element of A goes
  double zero = 0, boost = 0;
  bool boosted = false;
  int zeroPivot = -1;      ///< the first row whose pivot is zero, or -1
  bool transposed = false; ///< of A's columns: A is the transpose of what M is about
  bool unitUpper = false;  ///< the ones are on U's diagonal, the pivots on L's

  void refactor();
  void solve(double *b, const int *p, const int *q) const;

private:
  void solveRows(std::vector<double> &y) const;
  void solveColumns(std::vector<double> &y) const;
};

struct Csr {
  const int *offsets, *indices;
  const double *values;
};

/// M's pattern, and where A's elements are in it, in the handle's format. False if a factor lacks a
/// pivot, or one of A's elements has no place.
bool setPattern(Factors &f, const cusolverRfCommon &handle, int n, int nnz, const Csr &a,
                const Csr &l, const Csr &u, const int *p, const int *q);

/// Spreads A's elements over M.
void takeValues(Factors &f, const double *values);

} // namespace heddle::solver

struct cusolverRfCommon {
  cudaStream_t stream = nullptr;
  cusolverRfMatrixFormat_t format = CUSOLVERRF_MATRIX_FORMAT_CSR;
  cusolverRfUnitDiagonal_t diagonal = CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t triangular = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
  cusolverRfResetValuesFastMode_t fast = CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF;
  double zero = 0, boost = 0;
  std::shared_ptr<heddle::solver::Factors> factors;
  std::vector<std::shared_ptr<heddle::solver::Factors>> batch;
};
