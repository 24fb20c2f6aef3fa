// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse systems through SuiteSparse, each of whose libraries is loaded when a function first needs
// it. SuiteSparse has double and complex double; other values are widened around it.
#pragma once

#include <complex>
#include <vector>

namespace heddle::solver::sparse {

/// A matrix of n rows, from 0 on; square but for least squares. `T` is double or
/// std::complex<double>.
template <typename T> struct Rows {
  int n = 0, columns = 0;
  std::vector<int> offsets, indices;
  std::vector<T> values;
};

enum class Method { LU, QR, Cholesky };

/// What came of a system: the first row at which the matrix is singular (or not positive) to the
/// tolerance, or -1.
struct Outcome {
  bool available = true; ///< false: the library is missing, which has been said
  int singularity = -1;
};

/// x = A^-1 b. Cholesky's method reads the lower triangle only.
template <typename T>
Outcome solve(Method method, const Rows<T> &a, const std::vector<T> &b, double tolerance,
              std::vector<T> &x);

/// The x with the least norm of A x - b, of a matrix with no fewer rows than columns. `order`, if
/// wanted: the columns in the order of the factors, those that the first ones determine at the end.
/// `rank`: how many do not.
template <typename T>
Outcome solveLeastSquares(const Rows<T> &a, const std::vector<T> &b, double tolerance,
                          std::vector<T> &x, int &rank, std::vector<int> *order = nullptr);

/// How to order rows and columns of a symmetric matrix so that factors have few elements.
enum class Order { MinimumDegree, NestedDissection };

/// The order for a symmetric pattern, given by its upper triangle by columns.
bool orderRows(Order order, int n, std::vector<int> &offsets, std::vector<int> &indices,
               std::vector<int> &result);

} // namespace heddle::solver::sparse
