// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cholesky's factors by CHOLMOD. By columns, the lower triangle by rows is the upper triangle of
// the conjugate, so what is factored is conj(A), and conj(A) conj(x) = conj(b).
#include "solver/sparse/factors.h"
#include "solver/sparse/suitesparse.h"

#include <limits>

namespace heddle::solver::sparse {

namespace {

HEDDLE_USE(cholmod, cholmod_start)
HEDDLE_USE(cholmod, cholmod_finish)
HEDDLE_USE(cholmod, cholmod_analyze)
HEDDLE_USE(cholmod, cholmod_factorize)
HEDDLE_USE(cholmod, cholmod_solve)
HEDDLE_USE(cholmod, cholmod_free_factor)
HEDDLE_USE(cholmod, cholmod_free_dense)

} // namespace

template <typename T> struct CholeskyFactors<T>::State {
  ~State() {
    if (!started)
      return;
    if (factor)
      cholmod_free_factorOf(&factor, &common);
    cholmod_finishOf(&common);
  }
  void start() {
    if (started)
      return;
    cholmod_startOf(&common);
    common.print = 0;
    common.final_ll = 1; // factors with negative pivots are no Cholesky factors
    started = true;
  }

  bool started = false;
  int n = 0;
  cholmod_common common;
  cholmod_factor *factor = nullptr;
};

template <typename T> CholeskyFactors<T>::CholeskyFactors() : state(std::make_unique<State>()) {}
template <typename T> CholeskyFactors<T>::~CholeskyFactors() = default;
template <typename T> bool CholeskyFactors<T>::isAvailable() { return bool(cholmod_startOf); }
template <typename T> bool CholeskyFactors<T>::isMade() const { return state->factor; }

template <typename T> void CholeskyFactors<T>::factor(const Rows<T> &a) {
  state->start();
  state->n = a.n;
  std::vector<int> offsets = a.offsets, indices = a.indices;
  cholmod_sparse matrix = sparseOf(a.n, a.n, offsets, indices, a.values, 1);
  if (!state->factor)
    state->factor = cholmod_analyzeOf(&matrix, &state->common);
  cholmod_factorizeOf(&matrix, state->factor, &state->common);
}

template <typename T> std::vector<double> CholeskyFactors<T>::diagonal() const {
  const cholmod_factor &factor = *state->factor;
  const T *values = static_cast<const T *>(factor.x);
  std::vector<double> result(state->n);
  if (factor.is_super) {
    const int *super = static_cast<const int *>(factor.super);
    const int *rows = static_cast<const int *>(factor.pi),
              *at = static_cast<const int *>(factor.px);
    for (size_t s = 0; s < factor.nsuper; ++s)
      for (int k = 0; k < super[s + 1] - super[s]; ++k)
        result[super[s] + k] = std::real(values[at[s] + int64_t(k) * (rows[s + 1] - rows[s] + 1)]);
  } else {
    const int *first = static_cast<const int *>(factor.p);
    for (int i = 0; i < state->n; ++i)
      result[i] = std::real(values[first[i]]);
  }
  return result;
}

template <typename T> int CholeskyFactors<T>::singularity(double tolerance) const {
  int n = static_cast<int>(state->factor->minor); // the first pivot that is not positive, or all
  std::vector<double> pivots = diagonal();
  for (int i = 0; i < n; ++i)
    if (!(pivots[i] > tolerance))
      return i;
  return n < state->n ? n : -1;
}

template <typename T>
void CholeskyFactors<T>::solve(const std::vector<T> &b, std::vector<T> &x) const {
  x.assign(state->n, T(std::numeric_limits<double>::quiet_NaN()));
  if (state->factor->minor < static_cast<size_t>(state->n))
    return;
  std::vector<T> right(b);
  for (T &value : right)
    value = conjugate(value);
  cholmod_dense dense = denseOf(right);
  cholmod_dense *solution = cholmod_solveOf(CHOLMOD_A, state->factor, &dense, &state->common);
  for (int i = 0; solution && i < state->n; ++i)
    x[i] = conjugate(static_cast<T *>(solution->x)[i]);
  cholmod_free_denseOf(&solution, &state->common);
}

template class CholeskyFactors<double>;
template class CholeskyFactors<std::complex<double>>;

} // namespace heddle::solver::sparse
