// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems and least squares with iterative refinement (cuSOLVER, "cusolverDn<T1><T2>gesv()",
// "cusolverDnIRSXgesv()").
//
// The matrix is rounded to the lowest precision and factored in float, or in double if that is the
// lowest one. A correction of X comes from the factors and the residual B - A X, which is computed
// in the main precision:
//
//   systems          A x = r by the factors L U
//   least squares    A^H A x = A^H r by R^H R x = A^H r, R the triangle of Q R. Unlike R^-1 Q^H r this goes to zero with
//                    A^H r, whatever the rounding of Q.
//
// It ends when the residual (or A^H r) is as small as the main precision lets it be expected. Where
// that is not reached, the problem is solved in the main precision, if the settings do not forbid
// it. All of the interface's names of refinement solvers mean this one; those with GMRES have its
// restriction to one right side.
#include "solver/refinement.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cmath>
#include <limits>

namespace heddle::solver {

namespace {

/// Why there was no solution by refinement (cuSOLVER, "cusolverDn<T1><T2>gesv()", niters).
enum Failure { Overflow = -2, NoFactors = -3, NoNumber = -5 };

float roundTo(Rounding rounding, float value) {
  switch (rounding) {
  case Rounding::Half:
    return static_cast<float>(__half(value));
  case Rounding::Bfloat16:
    return static_cast<float>(__nv_bfloat16(value));
  case Rounding::Tf32: {
    constexpr uint32_t Dropped = 13; // of 23 bits, to the nearest, ties to even
    auto bits = std::bit_cast<uint32_t>(value);
    if (std::isfinite(value))
      bits += (1u << (Dropped - 1)) - 1 + (bits >> Dropped & 1);
    return std::bit_cast<float>(bits >> Dropped << Dropped);
  }
  default:
    return value;
  }
}

template <typename L, typename T> L lowered(Rounding rounding, T value) {
  using R = Real<L>;
  auto part = [&](auto number) {
    if constexpr (std::is_same_v<R, float>)
      return roundTo(rounding, static_cast<float>(number));
    else
      return number;
  };
  if constexpr (IsComplex<T>)
    return {part(value.real()), part(value.imag())};
  else
    return part(value);
}

template <typename T> bool isFinite(T value) {
  return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

/// Columns of m elements without gaps, with room for what OpenBLAS reads behind them (InPlace).
template <typename T> struct Block {
  Block(int rows, int columns)
      : rows(rows), columns(columns), ld(std::max(1, rows)), values(int64_t(ld) * (columns + 1)) {}
  T *column(int j) { return values.data() + j * int64_t(ld); }
  int rows, columns, ld;
  std::vector<T> values;
};

template <typename T> double largestIn(const T *column, int rows) {
  double largest = 0;
  for (int i = 0; i < rows; ++i) {
    double size = std::abs(column[i]);
    largest = size <= largest ? largest : size; // NaN stays
  }
  return largest;
}

/// A problem in the main precision T: m = n for systems.
template <typename T> struct Problem {
  int m, n, nrhs;
  T *a;
  int lda;
  int *pivots; ///< of a system; may be null
  T *b;
  int ldb;
  T *x;
  int ldx;
  bool isSystem;
  Lowest lowest;
  cusolverDnIRSParams params;
  cusolverDnIRSInfos *infos;
};

template <typename T, typename L> class Refinement {
public:
  explicit Refinement(const Problem<T> &problem)
      : p(problem), low(p.m, p.n), residual(p.m, p.nrhs), normal(p.n, p.nrhs),
        correction(std::max(p.m, p.n), p.nrhs), pivots(p.n + 1), tau(p.n + 1) {}

  /// The number of iterations, or why there is no solution.
  int run() {
    if (!lower())
      return Overflow;
    if (!factor())
      return NoFactors;
    for (int j = 0; j < p.nrhs; ++j)
      std::fill_n(p.x + j * int64_t(p.ldx), p.n, T(0));
    for (int iteration = 0;; ++iteration) {
      correct();
      State state = examine(iteration);
      if (state == Wrong)
        return NoNumber;
      if (state == Converged || p.params.refinement == CUSOLVER_IRS_REFINE_NONE)
        return iteration;
      if (iteration == p.params.maxIterations)
        return -std::max(p.params.maxIterations, 1);
    }
  }

private:
  enum State { Wrong, Converged, Open };

  /// Rounds the matrix and notes its norm. False if an element is too large.
  bool lower() {
    std::vector<double> rows(p.m);
    for (int j = 0; j < p.n; ++j)
      for (int i = 0; i < p.m; ++i) {
        T value = p.a[i + j * int64_t(p.lda)];
        L rounded = lowered<L>(p.lowest.rounding, value);
        if (isFinite(value) && !isFinite(rounded))
          return false;
        low.column(j)[i] = rounded;
        rows[i] += std::abs(value);
      }
    norm = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    return true;
  }

  bool factor() {
    int info = 0;
    if (p.isSystem) {
      HEDDLE_LAPACK_OF(L, getrf)(&p.n, &p.n, low.column(0), &low.ld, pivots.data(), &info);
      return info == 0;
    }
    withWorkspace<L>([&](L *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(L, geqrf)(&p.m, &p.n, low.column(0), &low.ld, tau.data(), work, lwork, info);
    });
    for (int j = 0; j < p.n; ++j)
      if (low.column(j)[j] == L(0))
        return false;
    return true;
  }

  /// residual = B - A X, and for least squares normal = A^H residual.
  void computeResidual() {
    for (int j = 0; j < p.nrhs; ++j)
      std::copy_n(p.b + j * int64_t(p.ldb), p.m, residual.column(j));
    const T one(1), minusOne(-1), zero(0);
    HEDDLE_LAPACK_OF(T, gemm)("N", "N", &p.m, &p.nrhs, &p.n, &minusOne, p.a, &p.lda, p.x, &p.ldx,
                              &one, residual.column(0), &residual.ld);
    if (!p.isSystem)
      HEDDLE_LAPACK_OF(T, gemm)("C", "N", &p.n, &p.nrhs, &p.m, &one, p.a, &p.lda,
                                residual.column(0), &residual.ld, &zero, normal.column(0),
                                &normal.ld);
  }

  /// X = X + what the factors make of the residual. The right side is scaled, so that it is not
  /// lost in float.
  void correct() {
    computeResidual();
    Block<T> &side = p.isSystem ? residual : normal;
    std::vector<double> scales(p.nrhs);
    for (int j = 0; j < p.nrhs; ++j) {
      double size = largestIn(side.column(j), side.rows);
      scales[j] = size > 0 && std::isfinite(size) ? size : 1;
      for (int i = 0; i < side.rows; ++i)
        correction.column(j)[i] =
            lowered<L>(Rounding::None, side.column(j)[i] / static_cast<Real<T>>(scales[j]));
    }
    solve();
    for (int j = 0; j < p.nrhs; ++j)
      for (int i = 0; i < p.n; ++i)
        p.x[i + j * int64_t(p.ldx)] += T(correction.column(j)[i]) * static_cast<Real<T>>(scales[j]);
  }

  void solve() {
    const L one(1);
    int info = 0;
    auto &trsm = HEDDLE_LAPACK_OF(L, trsm);
    if (p.isSystem) {
      HEDDLE_LAPACK_OF(L, getrs)("N", &p.n, &p.nrhs, low.column(0), &low.ld, pivots.data(),
                                 correction.column(0), &correction.ld, &info);
    } else {
      trsm("L", "U", "C", "N", &p.n, &p.nrhs, &one, low.column(0), &low.ld, correction.column(0),
           &correction.ld);
      trsm("L", "U", "N", "N", &p.n, &p.nrhs, &one, low.column(0), &low.ld, correction.column(0),
           &correction.ld);
    }
  }

  State examine(int iteration) {
    computeResidual();
    double epsilon = std::numeric_limits<Real<T>>::epsilon();
    double bound = p.params.tolerance > 0 ? p.params.tolerance : std::sqrt(p.n) * epsilon;
    State state = Converged;
    for (int j = 0; j < p.nrhs; ++j) {
      double size = largestIn(p.x + j * int64_t(p.ldx), p.n);
      double rest = largestIn(residual.column(j), p.m), limit = bound * norm * size;
      if (!p.isSystem) {
        rest = largestIn(normal.column(j), p.n);
        limit = std::sqrt(p.m) * bound * norm *
                (norm * size + largestIn(p.b + j * int64_t(p.ldb), p.m));
      }
      record(iteration, j, largestIn(residual.column(j), p.m));
      if (!std::isfinite(rest) || !std::isfinite(size))
        return Wrong;
      if (rest > limit)
        state = Open;
    }
    return state;
  }

  void record(int iteration, int j, double size) {
    if (!p.infos || !p.infos->wantsHistory)
      return;
    auto write = [&](auto &history) {
      int64_t ld = p.params.maxIterations + 1;
      history.resize(ld * (p.nrhs + 1));
      history[iteration] = iteration;
      history[iteration + ld * (j + 1)] = size;
    };
    if constexpr (std::is_same_v<Real<T>, double>)
      write(p.infos->doubleHistory);
    else
      write(p.infos->floatHistory);
  }

  const Problem<T> &p;
  Block<L> low;
  Block<T> residual, normal;
  Block<L> correction;
  std::vector<int> pivots;
  std::vector<L> tau;
  double norm = 0;
};

/// The problem in the main precision, A becoming its factors. Returns LAPACK's info.
template <typename T> int solveFully(const Problem<T> &p) {
  std::vector<int> own(p.n + 1);
  int *pivots = p.pivots ? p.pivots : own.data(), info = 0;
  InPlace<T> a(p.m, p.n, p.a, p.lda);
  Block<T> x(p.m, p.nrhs);
  for (int j = 0; j < p.nrhs; ++j)
    std::copy_n(p.b + j * int64_t(p.ldb), p.m, x.column(j));
  if (p.isSystem) {
    HEDDLE_LAPACK_OF(T, getrf)(&p.n, &p.n, a.get(), a.ld(), pivots, &info);
    if (info == 0)
      HEDDLE_LAPACK_OF(T, getrs)("N", &p.n, &p.nrhs, a.get(), a.ld(), pivots, x.column(0), &x.ld,
                                 &info);
  } else {
    info = withWorkspace<T>([&](T *work, int *lwork, int *info) {
      HEDDLE_LAPACK_OF(T, gels)("N", &p.m, &p.n, &p.nrhs, a.get(), a.ld(), x.column(0), &x.ld, work,
                                lwork, info);
    });
  }
  for (int j = 0; info == 0 && j < p.nrhs; ++j)
    std::copy_n(x.column(j), p.n, p.x + j * int64_t(p.ldx));
  return info;
}

template <typename T> int refine(const Problem<T> &p) {
  if constexpr (std::is_same_v<Real<T>, double>) {
    using Single = std::conditional_t<IsComplex<T>, ComplexFloat, float>;
    if (!p.lowest.isDouble)
      return Refinement<T, Single>(p).run();
  }
  return Refinement<T, T>(p).run();
}

/// Solves, and writes the number of iterations or the reason for solving in the main precision.
template <typename T> int solveProblem(const Problem<T> &p, int *iterations) {
  if (p.n == 0 || p.nrhs == 0) {
    *iterations = 0;
    return 0;
  }
  *iterations = refine(p);
  return *iterations < 0 && p.params.fallsBack ? solveFully(p) : 0;
}

template <typename T>
cusolverStatus_t checkProblem(cusolverDnHandle_t handle, const Problem<T> &p, const int *niters) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(p.n >= 0 && p.m >= p.n && p.nrhs >= 0 && isLeading(p.lda, p.m) &&
                     isLeading(p.ldb, p.m) && isLeading(p.ldx, p.n) && niters,
                 INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS;
}

/// Solves in the stream and waits, since the number of iterations goes to host memory.
template <typename T>
cusolverStatus_t submitProblem(cusolverDnHandle_t handle, const Problem<T> &p, size_t bytes,
                               int *niters, int *devInfo) {
  if (cusolverStatus_t bad = checkProblem(handle, p, niters))
    return bad;
  HEDDLE_REQUIRE(bytes >= 1, INVALID_WORKSPACE);
  return inStreamAndWait(handle, [=] {
    int info = solveProblem(p, niters);
    if (devInfo)
      *devInfo = info;
  });
}

cusolverStatus_t tellBytes(cusolverDnHandle_t handle, bool valid, size_t *bytes) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && bytes, INVALID_VALUE);
  *bytes = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

/// The settings of the functions that have none.
cusolverDnIRSParams classical() {
  cusolverDnIRSParams params;
  params.refinement = CUSOLVER_IRS_REFINE_CLASSICAL;
  return params;
}

cusolverStatus_t checkParams(const cusolverDnIRSParams *params, int nrhs, Lowest &lowest) {
  HEDDLE_REQUIRE(params, IRS_PARAMS_NOT_INITIALIZED);
  HEDDLE_REQUIRE(lowestOf(params->mainPrecision, params->lowestPrecision, lowest),
                 IRS_PARAMS_INVALID_PREC);
  HEDDLE_REQUIRE(params->refinement >= CUSOLVER_IRS_REFINE_NONE &&
                     params->refinement <= CUSOLVER_IRS_REFINE_GMRES_NOPCOND,
                 IRS_PARAMS_INVALID_REFINE);
  HEDDLE_REQUIRE(params->maxIterations >= 0 && params->maxInnerIterations >= 0,
                 IRS_PARAMS_INVALID_MAXITER);
  bool isGmres = params->refinement > CUSOLVER_IRS_REFINE_CLASSICAL;
  HEDDLE_REQUIRE(!isGmres || nrhs <= 1, IRS_NRHS_NOT_SUPPORTED_FOR_REFINE_GMRES);
  return CUSOLVER_STATUS_SUCCESS;
}

/// The functions whose precisions are settings.
struct TypelessProblem {
  int m, n, nrhs;
  void *a;
  int lda;
  void *b;
  int ldb;
  void *x;
  int ldx;
  bool isSystem;

  template <typename T>
  Problem<T> as(const Lowest &lowest, const cusolverDnIRSParams &params,
                cusolverDnIRSInfos *infos) const {
    return {m,
            n,
            nrhs,
            static_cast<T *>(a),
            lda,
            nullptr,
            static_cast<T *>(b),
            ldb,
            static_cast<T *>(x),
            ldx,
            isSystem,
            lowest,
            params,
            infos};
  }
};

void link(cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos) {
  if (infos->params)
    --infos->params->infos;
  infos->params = params;
  infos->maxIterations = params->maxIterations;
  ++params->infos;
}

cusolverStatus_t submitTypeless(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                cusolverDnIRSInfos_t infos, const TypelessProblem &problem,
                                size_t bytes, int *niters, int *devInfo) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  Lowest lowest;
  if (cusolverStatus_t bad = checkParams(params, problem.nrhs, lowest))
    return bad;
  HEDDLE_REQUIRE(infos, IRS_INFOS_NOT_INITIALIZED);
  auto submit = [&](auto kind) {
    using T = decltype(kind);
    Problem<T> p = problem.as<T>(lowest, *params, infos);
    if (cusolverStatus_t bad = checkProblem(handle, p, niters))
      return bad;
    link(params, infos);
    cusolverStatus_t status = submitProblem(handle, p, bytes, niters, devInfo);
    infos->iterations = *niters;
    return status;
  };
  switch (params->mainPrecision) {
  case CUSOLVER_R_32F:
    return submit(float{});
  case CUSOLVER_R_64F:
    return submit(double{});
  case CUSOLVER_C_32F:
    return submit(ComplexFloat{});
  default:
    return submit(ComplexDouble{});
  }
}

cusolverStatus_t tellTypelessBytes(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, int m,
                                   int n, int nrhs, size_t *bytes) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  Lowest lowest;
  if (cusolverStatus_t bad = checkParams(params, nrhs, lowest))
    return bad;
  return tellBytes(handle, n >= 0 && m >= n && nrhs >= 0, bytes);
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle,
                                                             cusolverDnIRSParams_t params, int n,
                                                             int nrhs, size_t *bytes) {
  return tellTypelessBytes(handle, params, n, n, nrhs, bytes);
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle,
                                                  cusolverDnIRSParams_t params,
                                                  cusolverDnIRSInfos_t infos, int n, int nrhs,
                                                  void *A, int lda, void *B, int ldb, void *X,
                                                  int ldx, void *, size_t bytes, int *niters,
                                                  int *devInfo) {
  return submitTypeless(handle, params, infos, {n, n, nrhs, A, lda, B, ldb, X, ldx, true}, bytes,
                        niters, devInfo);
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle,
                                                             cusolverDnIRSParams_t params, int m,
                                                             int n, int nrhs, size_t *bytes) {
  return tellTypelessBytes(handle, params, m, n, nrhs, bytes);
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle,
                                                  cusolverDnIRSParams_t params,
                                                  cusolverDnIRSInfos_t infos, int m, int n,
                                                  int nrhs, void *A, int lda, void *B, int ldb,
                                                  void *X, int ldx, void *, size_t bytes,
                                                  int *niters, int *devInfo) {
  return submitTypeless(handle, params, infos, {m, n, nrhs, A, lda, B, ldb, X, ldx, false}, bytes,
                        niters, devInfo);
}

// The functions with the precisions in their names.
#define HEDDLE_REFINED(pq, T, ...)                                                                 \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##pq##gesv_bufferSize(                                  \
      cusolverDnHandle_t handle, int n, int nrhs, T *, int lda, int *, T *, int ldb, T *, int ldx, \
      void *, size_t *bytes) {                                                                     \
    bool valid =                                                                                   \
        n >= 0 && nrhs >= 0 && isLeading(lda, n) && isLeading(ldb, n) && isLeading(ldx, n);        \
    return tellBytes(handle, valid, bytes);                                                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##pq##gesv(                                             \
      cusolverDnHandle_t handle, int n, int nrhs, T *A, int lda, int *pivots, T *B, int ldb, T *X, \
      int ldx, void *, size_t bytes, int *niters, int *devInfo) {                                  \
    using N = std::remove_pointer_t<decltype(native(A))>;                                          \
    return submitProblem<N>(handle,                                                                \
                            {n, n, nrhs, native(A), lda, pivots, native(B), ldb, native(X), ldx,   \
                             true, Lowest __VA_ARGS__, classical(), nullptr},                      \
                            bytes, niters, devInfo);                                               \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##pq##gels_bufferSize(                                  \
      cusolverDnHandle_t handle, int m, int n, int nrhs, T *, int lda, T *, int ldb, T *, int ldx, \
      void *, size_t *bytes) {                                                                     \
    bool valid = n >= 0 && m >= n && nrhs >= 0 && isLeading(lda, m) && isLeading(ldb, m) &&        \
                 isLeading(ldx, n);                                                                \
    return tellBytes(handle, valid, bytes);                                                        \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverDn##pq##gels(                                             \
      cusolverDnHandle_t handle, int m, int n, int nrhs, T *A, int lda, T *B, int ldb, T *X,       \
      int ldx, void *, size_t bytes, int *niters, int *devInfo) {                                  \
    using N = std::remove_pointer_t<decltype(native(A))>;                                          \
    return submitProblem<N>(handle,                                                                \
                            {m, n, nrhs, native(A), lda, nullptr, native(B), ldb, native(X), ldx,  \
                             false, Lowest __VA_ARGS__, classical(), nullptr},                     \
                            bytes, niters, devInfo);                                               \
  }
HEDDLE_REFINED(ZZ, cuDoubleComplex, {true, Rounding::None})
HEDDLE_REFINED(ZC, cuDoubleComplex, {false, Rounding::None})
HEDDLE_REFINED(ZK, cuDoubleComplex, {false, Rounding::Half})
HEDDLE_REFINED(ZE, cuDoubleComplex, {false, Rounding::Bfloat16})
HEDDLE_REFINED(ZY, cuDoubleComplex, {false, Rounding::Tf32})
HEDDLE_REFINED(CC, cuComplex, {false, Rounding::None})
HEDDLE_REFINED(CK, cuComplex, {false, Rounding::Half})
HEDDLE_REFINED(CE, cuComplex, {false, Rounding::Bfloat16})
HEDDLE_REFINED(CY, cuComplex, {false, Rounding::Tf32})
HEDDLE_REFINED(DD, double, {true, Rounding::None})
HEDDLE_REFINED(DS, double, {false, Rounding::None})
HEDDLE_REFINED(DH, double, {false, Rounding::Half})
HEDDLE_REFINED(DB, double, {false, Rounding::Bfloat16})
HEDDLE_REFINED(DX, double, {false, Rounding::Tf32})
HEDDLE_REFINED(SS, float, {false, Rounding::None})
HEDDLE_REFINED(SH, float, {false, Rounding::Half})
HEDDLE_REFINED(SB, float, {false, Rounding::Bfloat16})
HEDDLE_REFINED(SX, float, {false, Rounding::Tf32})
