// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of sparse matrices that stay for many right sides, by SuiteSparse (direct.h). The three
// classes have the same functions. `T` is double or std::complex<double>.
//
// A second matrix given to `factor` must have the first one's pattern: what follows from the
// pattern alone is kept.
#pragma once

#include "solver/sparse/direct.h"

#include <memory>

namespace heddle::solver::sparse {

/// P A Q^T = L U of a square matrix, where row i of P A Q^T is row p[i] of A, and column j is
/// column q[j].
template <typename T> class LuFactors {
public:
  LuFactors();
  ~LuFactors();
  static bool isAvailable(); ///< false: the library is missing, which has been said
  /// A pivot may be smaller than the largest element of its column by `threshold`; 1 is partial
  /// pivoting. `scaled`: of the matrix with rows of one size, whose L and U are not those of A.
  void factor(const Rows<T> &a, double threshold, bool scaled);
  bool isMade() const;
  /// The first pivot that is not larger than the tolerance, counted in the factors' order, or -1.
  int singularity(double tolerance) const;
  /// x = A^-1 b. NaN if there are no factors of a singular matrix.
  void solve(const std::vector<T> &b, std::vector<T> &x) const;
  /// L, whose diagonal of ones is stored, and U.
  void extract(Rows<T> &l, Rows<T> &u, std::vector<int> &p, std::vector<int> &q) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// L L^H = P A P^T of a Hermitian matrix that is positive, of which the lower triangle is read.
template <typename T> class CholeskyFactors {
public:
  CholeskyFactors();
  ~CholeskyFactors();
  static bool isAvailable();
  void factor(const Rows<T> &a);
  bool isMade() const;
  int singularity(double tolerance) const;
  void solve(const std::vector<T> &b, std::vector<T> &x) const;
  std::vector<double> diagonal() const; ///< of L

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Q R = A P of a matrix with no fewer rows than columns; `solve` gives least squares.
template <typename T> class QrFactors {
public:
  QrFactors();
  ~QrFactors();
  static bool isAvailable();
  void factor(const Rows<T> &a);
  bool isMade() const;
  int singularity(double tolerance) const;
  void solve(const std::vector<T> &b, std::vector<T> &x) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace heddle::solver::sparse
