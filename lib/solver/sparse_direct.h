// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse systems through SuiteSparse, each of whose libraries is loaded when a function first needs it. SuiteSparse has
// double and complex double; other values are widened around it.
#pragma once

#include <complex>
#include <vector>

namespace heddle::solver::sparse {

/// A square matrix by rows, from 0 on. `T` is double or std::complex<double>.
template <typename T> struct Rows {
  int n = 0;
  std::vector<int> offsets, indices;
  std::vector<T> values;
};

enum class Method { LU, QR, Cholesky };

/// What came of a system: the first row at which the matrix is singular (or not positive) to the tolerance, or -1.
struct Outcome {
  bool available = true; ///< false: the library is missing, which has been said
  int singularity = -1;
};

/// x = A^-1 b. Cholesky's method reads the lower triangle only.
template <typename T>
Outcome solve(Method method, const Rows<T> &a, const std::vector<T> &b, double tolerance,
              std::vector<T> &x);

} // namespace heddle::solver::sparse
