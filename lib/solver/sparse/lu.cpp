// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// L and U by UMFPACK. It gives L by rows and U by columns.
#include "solver/sparse/factors.h"
#include "solver/sparse/suitesparse.h"

#include <cmath>
#include <limits>

namespace heddle::solver::sparse {

namespace {

HEDDLE_USE(umfpack, umfpack_di_defaults)
HEDDLE_USE(umfpack, umfpack_zi_defaults)
HEDDLE_USE(umfpack, umfpack_di_symbolic)
HEDDLE_USE(umfpack, umfpack_zi_symbolic)
HEDDLE_USE(umfpack, umfpack_di_numeric)
HEDDLE_USE(umfpack, umfpack_zi_numeric)
HEDDLE_USE(umfpack, umfpack_di_solve)
HEDDLE_USE(umfpack, umfpack_zi_solve)
HEDDLE_USE(umfpack, umfpack_di_get_lunz)
HEDDLE_USE(umfpack, umfpack_zi_get_lunz)
HEDDLE_USE(umfpack, umfpack_di_get_numeric)
HEDDLE_USE(umfpack, umfpack_zi_get_numeric)
HEDDLE_USE(umfpack, umfpack_di_free_symbolic)
HEDDLE_USE(umfpack, umfpack_zi_free_symbolic)
HEDDLE_USE(umfpack, umfpack_di_free_numeric)
HEDDLE_USE(umfpack, umfpack_zi_free_numeric)

/// Rows of a matrix given by columns.
template <typename T> Rows<T> rowsOf(int n, const Columns<T, int> &from) {
  // The columns of the transpose are the rows.
  Columns<T, int> turned(Rows<T>{n, n, from.offsets, from.indices, from.values});
  return {n, n, turned.offsets, turned.indices, turned.values};
}

} // namespace

template <typename T> struct LuFactors<T>::State {
  ~State() {
    freeNumeric();
    if (!symbolic)
      return;
    if constexpr (IsPair<T>)
      umfpack_zi_free_symbolicOf(&symbolic);
    else
      umfpack_di_free_symbolicOf(&symbolic);
  }
  void freeNumeric() {
    if (!numeric)
      return;
    if constexpr (IsPair<T>)
      umfpack_zi_free_numericOf(&numeric);
    else
      umfpack_di_free_numericOf(&numeric);
  }
  void make(double (&control)[UMFPACK_CONTROL]);

  int n = 0;
  Columns<T, int> a; ///< UMFPACK reads it again to refine solutions
  std::vector<T> diagonal;
  void *symbolic = nullptr, *numeric = nullptr;
};

// Complex numbers are pairs for UMFPACK where there is no array for the imaginary parts.
template <typename T> void LuFactors<T>::State::make(double (&control)[UMFPACK_CONTROL]) {
  const int *p = a.offsets.data(), *i = a.indices.data();
  const double *v = numbers(a.values);
  int reciprocal = 0;
  diagonal.assign(n, T(0));
  if constexpr (IsPair<T>) {
    if (!symbolic)
      umfpack_zi_symbolicOf(n, n, p, i, v, nullptr, &symbolic, control, nullptr);
    umfpack_zi_numericOf(p, i, v, nullptr, symbolic, &numeric, control, nullptr);
    if (numeric)
      umfpack_zi_get_numericOf(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr, numbers(diagonal), nullptr, &reciprocal,
                               nullptr, numeric);
  } else {
    if (!symbolic)
      umfpack_di_symbolicOf(n, n, p, i, v, &symbolic, control, nullptr);
    umfpack_di_numericOf(p, i, v, symbolic, &numeric, control, nullptr);
    if (numeric)
      umfpack_di_get_numericOf(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, numbers(diagonal), &reciprocal, nullptr, numeric);
  }
}

template <typename T> LuFactors<T>::LuFactors() : state(std::make_unique<State>()) {}
template <typename T> LuFactors<T>::~LuFactors() = default;
template <typename T> bool LuFactors<T>::isAvailable() { return bool(umfpack_di_symbolicOf); }
template <typename T> bool LuFactors<T>::isMade() const { return state->numeric; }

template <typename T> void LuFactors<T>::factor(const Rows<T> &a, double threshold, bool scaled) {
  double control[UMFPACK_CONTROL];
  if constexpr (IsPair<T>)
    umfpack_zi_defaultsOf(control);
  else
    umfpack_di_defaultsOf(control);
  if (!scaled) {
    control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;
    control[UMFPACK_PIVOT_TOLERANCE] = control[UMFPACK_SYM_PIVOT_TOLERANCE] = threshold;
  }
  state->freeNumeric();
  state->n = a.n, state->a = Columns<T, int>(a);
  state->make(control);
}

template <typename T> int LuFactors<T>::singularity(double tolerance) const {
  for (int i = 0; i < state->n; ++i)
    if (!(std::abs(state->diagonal[i]) > tolerance))
      return i;
  return -1;
}

template <typename T> void LuFactors<T>::solve(const std::vector<T> &b, std::vector<T> &x) const {
  x.assign(state->n, T(std::numeric_limits<double>::quiet_NaN()));
  if (!state->numeric)
    return;
  const int *p = state->a.offsets.data(), *i = state->a.indices.data();
  const double *v = numbers(state->a.values);
  if constexpr (IsPair<T>)
    umfpack_zi_solveOf(UMFPACK_A, p, i, v, nullptr, numbers(x), nullptr, numbers(b), nullptr,
                       state->numeric, nullptr, nullptr);
  else
    umfpack_di_solveOf(UMFPACK_A, p, i, v, numbers(x), numbers(b), state->numeric, nullptr,
                       nullptr);
}

template <typename T>
void LuFactors<T>::extract(Rows<T> &l, Rows<T> &u, std::vector<int> &p, std::vector<int> &q) const {
  int n = state->n, countL = 0, countU = 0, rows = 0, columns = 0, nonZero = 0, reciprocal = 0;
  if constexpr (IsPair<T>)
    umfpack_zi_get_lunzOf(&countL, &countU, &rows, &columns, &nonZero, state->numeric);
  else
    umfpack_di_get_lunzOf(&countL, &countU, &rows, &columns, &nonZero, state->numeric);
  Columns<T, int> upper;
  auto size = [n](auto &matrix, int count) {
    matrix.offsets.resize(n + 1), matrix.indices.resize(count), matrix.values.resize(count);
  };
  size(l, countL), size(upper, countU);
  l.n = l.columns = n;
  p.resize(n), q.resize(n);
  if constexpr (IsPair<T>)
    umfpack_zi_get_numericOf(l.offsets.data(), l.indices.data(), numbers(l.values), nullptr,
                             upper.offsets.data(), upper.indices.data(), numbers(upper.values),
                             nullptr, p.data(), q.data(), nullptr, nullptr, &reciprocal, nullptr,
                             state->numeric);
  else
    umfpack_di_get_numericOf(l.offsets.data(), l.indices.data(), numbers(l.values),
                             upper.offsets.data(), upper.indices.data(), numbers(upper.values),
                             p.data(), q.data(), nullptr, &reciprocal, nullptr, state->numeric);
  u = rowsOf(n, upper);
}

template class LuFactors<double>;
template class LuFactors<std::complex<double>>;

} // namespace heddle::solver::sparse
