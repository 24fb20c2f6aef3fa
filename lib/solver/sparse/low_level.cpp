// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse factors in single steps (cusolverSp_LOWLEVEL_PREVIEW.h). The functions for the device put
// factors and solutions into the stream; those for the host do the same and wait. The memory that
// the caller brings is not used. A solution by factors of a singular matrix is NaN.
#include "solver/sparse/low_level.h"

namespace heddle::solver {

namespace {

template <typename T>
using Native = std::remove_pointer_t<decltype(native(static_cast<T *>(nullptr)))>;

/// Where the arguments of a function are.
enum class Side { Host, Device };

template <typename F> cusolverStatus_t submit(cusolverSpHandle_t handle, Side side, F &&work) {
  return side == Side::Host ? inStreamAndWait(handle, std::forward<F>(work))
                            : inStream(handle, std::forward<F>(work));
}

template <typename I> cusolverStatus_t create(I **info) {
  HEDDLE_REQUIRE(info, INVALID_VALUE);
  *info = new I;
  return CUSOLVER_STATUS_SUCCESS;
}
template <typename I> cusolverStatus_t destroy(I *info) {
  delete info;
  return CUSOLVER_STATUS_SUCCESS;
}

template <typename I>
cusolverStatus_t analyze(cusolverSpHandle_t handle, int m, int n, int nnz,
                         const cusparseMatDescr_t descr, const int *offsets, const int *indices,
                         I *info) {
  HEDDLE_CHECK(handle, n >= 0 && m >= n && nnz >= 0 && offsets && (indices || nnz == 0) && info,
               descr);
  auto steps = std::make_shared<typename I::State>();
  steps->m = m, steps->n = n, steps->nnz = nnz;
  info->steps = steps;
  bool fits = true;
  auto copy = [=, base = int(cusparseGetMatIndexBase(descr)), out = &fits] {
    *out = offsets[m] - base == nnz;
    for (int i = 0; *out && i <= m; ++i)
      steps->offsets.push_back(offsets[i] - base);
    for (int k = 0; *out && k < nnz; ++k)
      steps->indices.push_back(indices[k] - base);
  };
  cusolverStatus_t status = inStreamAndWait(handle, copy);
  return fits ? status : CUSOLVER_STATUS_INVALID_VALUE;
}

/// Whether the pattern of these sizes was analysed.
template <typename I>
cusolverStatus_t checkSizes(cusolverSpHandle_t handle, int m, int n, int nnz,
                            const cusparseMatDescr_t descr, const void *values, const int *offsets,
                            const int *indices, const I *info) {
  HEDDLE_CHECK(handle, offsets && ((values && indices) || nnz == 0) && info, descr);
  const auto &steps = *info->steps;
  HEDDLE_REQUIRE(steps.m == m && steps.n == n && steps.nnz == nnz, INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_SIZES(...)                                                                          \
  if (cusolverStatus_t status = checkSizes(__VA_ARGS__); status != CUSOLVER_STATUS_SUCCESS)        \
  return status

template <typename I>
cusolverStatus_t tellBuffers(cusolverSpHandle_t handle, int m, int n, int nnz,
                             const cusparseMatDescr_t descr, const void *values, const int *offsets,
                             const int *indices, I *info, size_t *internal, size_t *workspace) {
  HEDDLE_SIZES(handle, m, n, nnz, descr, values, offsets, indices, info);
  HEDDLE_REQUIRE(internal && workspace, INVALID_VALUE);
  *internal = *workspace = 16; // a null pointer would mean that there is no memory
  return CUSOLVER_STATUS_SUCCESS;
}

/// The matrix of these values and the analysed pattern.
template <typename T, typename S>
sparse::Rows<Widened<T>> matrixOf(const S &steps, const T *values) {
  sparse::Rows<Widened<T>> a{steps.m, steps.n, steps.offsets, steps.indices, {}};
  a.values.assign(values, values + steps.nnz);
  return a;
}

template <typename T>
cusolverStatus_t factorLu(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr,
                          const T *values, const int *offsets, const int *indices,
                          csrluInfoHost_t info, double threshold) {
  using W = Widened<T>;
  HEDDLE_SIZES(handle, n, n, nnz, descr, values, offsets, indices, info);
  HEDDLE_REQUIRE(threshold >= 0 && threshold <= 1, INVALID_VALUE);
  HEDDLE_REQUIRE(sparse::LuFactors<W>::isAvailable(), INTERNAL_ERROR);
  return submit(handle, Side::Host, [=, steps = info->steps] {
    steps->template in<W>().factor(matrixOf(*steps, values), threshold, false);
    steps->complex = IsComplex<T>;
  });
}

template <typename T, typename I>
cusolverStatus_t factorCholesky(cusolverSpHandle_t handle, Side side, int n, int nnz,
                                const cusparseMatDescr_t descr, const T *values, const int *offsets,
                                const int *indices, I *info) {
  using W = Widened<T>;
  HEDDLE_SIZES(handle, n, n, nnz, descr, values, offsets, indices, info);
  HEDDLE_REQUIRE(sparse::CholeskyFactors<W>::isAvailable(), INTERNAL_ERROR);
  return submit(handle, side, [=, steps = info->steps] {
    steps->template in<W>().factor(matrixOf(*steps, values));
  });
}

template <typename T, typename I>
cusolverStatus_t setUpQr(cusolverSpHandle_t handle, Side side, int m, int n, int nnz,
                         const cusparseMatDescr_t descr, const T *values, const int *offsets,
                         const int *indices, T mu, I *info) {
  using W = Widened<T>;
  HEDDLE_SIZES(handle, m, n, nnz, descr, values, offsets, indices, info);
  return submit(handle, side, [=, steps = info->steps] {
    sparse::Rows<W> a = matrixOf(*steps, values);
    std::get<sparse::Rows<W>>(steps->matrices) = mu == T(0) ? a : shifted(a, W(mu));
  });
}

/// x from b, of the info's sizes.
template <typename T, typename S> void solveNow(S &steps, const T *b, T *x) {
  using W = Widened<T>;
  std::vector<W> right(b, b + steps.m), solution;
  steps.template in<W>().solve(right, solution);
  for (int i = 0; i < steps.n; ++i)
    x[i] = T(solution[i]);
}

template <typename T, typename I>
cusolverStatus_t factorQr(cusolverSpHandle_t handle, Side side, int m, int n, int nnz, const T *b,
                          T *x, I *info) {
  using W = Widened<T>;
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info, INVALID_VALUE);
  auto steps = info->steps;
  HEDDLE_REQUIRE(steps->m == m && steps->n == n && steps->nnz == nnz, INVALID_VALUE);
  HEDDLE_REQUIRE(sparse::QrFactors<W>::isAvailable(), INTERNAL_ERROR);
  bool hasMatrix = true;
  auto work = [=, out = side == Side::Host ? &hasMatrix : nullptr] {
    const sparse::Rows<W> &a = std::get<sparse::Rows<W>>(steps->matrices);
    bool fits = a.n == m && a.columns == n && a.offsets.size() == size_t(m) + 1;
    if (out)
      *out = fits;
    if (!fits)
      return;
    steps->template in<W>().factor(a);
    if (b && x)
      solveNow(*steps, b, x);
  };
  cusolverStatus_t status = submit(handle, side, work);
  return hasMatrix ? status : CUSOLVER_STATUS_INVALID_VALUE;
}

template <typename T, typename I>
cusolverStatus_t solveOne(cusolverSpHandle_t handle, Side side, int m, int n, const T *b, T *x,
                          I *info) {
  using W = Widened<T>;
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && ((b && x) || n == 0), INVALID_VALUE);
  auto steps = info->steps;
  HEDDLE_REQUIRE(steps->nnz >= 0 && steps->m == m && steps->n == n, INVALID_VALUE);
  bool made = true;
  auto work = [=, out = side == Side::Host ? &made : nullptr] {
    bool has = steps->template in<W>().isMade();
    if (out)
      *out = has;
    if (has)
      solveNow(*steps, b, x);
  };
  cusolverStatus_t status = submit(handle, side, work);
  return made ? status : CUSOLVER_STATUS_INVALID_VALUE;
}

template <typename T, typename I, typename R>
cusolverStatus_t findZeroPivot(cusolverSpHandle_t handle, I *info, R tolerance, int *position) {
  using W = Widened<T>;
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && position, INVALID_VALUE);
  bool made = true;
  cusolverStatus_t status = inStreamAndWait(handle, [=, out = &made, steps = info->steps] {
    auto &factors = steps->template in<W>();
    if ((*out = factors.isMade()))
      *position = factors.singularity(tolerance);
  });
  return made ? status : CUSOLVER_STATUS_INVALID_VALUE;
}

template <typename T>
cusolverStatus_t tellDiagonal(cusolverSpHandle_t handle, csrcholInfo_t info, Real<T> *diagonal) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && diagonal, INVALID_VALUE);
  return inStream(handle, [=, steps = info->steps] {
    auto &factors = steps->template in<Widened<T>>();
    if (!factors.isMade())
      return;
    std::vector<double> values = factors.diagonal();
    for (int i = 0; i < steps->n; ++i)
      diagonal[i] = static_cast<Real<T>>(values[i]);
  });
}

/// L, U and their orders of the factors that are made.
template <typename W> struct Parts {
  sparse::Rows<W> l, u;
  std::vector<int> p, q;
  explicit Parts(Steps<sparse::LuFactors> &steps) { steps.in<W>().extract(l, u, p, q); }
};

template <typename T>
void store(const sparse::Rows<Widened<T>> &from, const cusparseMatDescr_t descr, T *values,
           int *offsets, int *indices) {
  int base = cusparseGetMatIndexBase(descr);
  for (int i = 0; i <= from.n; ++i)
    offsets[i] = from.offsets[i] + base;
  for (size_t k = 0; k < from.indices.size(); ++k)
    indices[k] = from.indices[k] + base, values[k] = T(from.values[k]);
}

template <typename T>
cusolverStatus_t extractLu(cusolverSpHandle_t handle, int *p, int *q,
                           const cusparseMatDescr_t descrL, T *valuesL, int *offsetsL,
                           int *indicesL, const cusparseMatDescr_t descrU, T *valuesU,
                           int *offsetsU, int *indicesU, csrluInfoHost_t info) {
  using W = Widened<T>;
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(p && q && descrL && valuesL && offsetsL && indicesL && descrU && valuesU &&
                     offsetsU && indicesU && info,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(info->steps->in<W>().isMade(), INVALID_VALUE);
  return inStreamAndWait(handle, [=, steps = info->steps] {
    Parts<W> parts(*steps);
    std::copy(parts.p.begin(), parts.p.end(), p);
    std::copy(parts.q.begin(), parts.q.end(), q);
    store(parts.l, descrL, valuesL, offsetsL, indicesL);
    store(parts.u, descrU, valuesU, offsetsU, indicesU);
  });
}

template <typename W> cusolverStatus_t countLu(csrluInfoHost_t info, int *nnzL, int *nnzU) {
  HEDDLE_REQUIRE(info->steps->in<W>().isMade(), INVALID_VALUE);
  Parts<W> parts(*info->steps);
  *nnzL = static_cast<int>(parts.l.values.size());
  *nnzU = static_cast<int>(parts.u.values.size());
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace

} // namespace heddle::solver

using namespace heddle::solver;

#define HEDDLE_INFO(Name, Type)                                                                    \
  HEDDLE_EXPORT cusolverStatus_t cusolverSpCreate##Name(Type *info) { return create(info); }       \
  HEDDLE_EXPORT cusolverStatus_t cusolverSpDestroy##Name(Type info) { return destroy(info); }
HEDDLE_INFO(CsrluInfoHost, csrluInfoHost_t)
HEDDLE_INFO(CsrqrInfoHost, csrqrInfoHost_t)
HEDDLE_INFO(CsrqrInfo, csrqrInfo_t)
HEDDLE_INFO(CsrcholInfoHost, csrcholInfoHost_t)
HEDDLE_INFO(CsrcholInfo, csrcholInfo_t)

#define HEDDLE_SQUARE_ANALYSIS(name, Type)                                                         \
  HEDDLE_EXPORT cusolverStatus_t cusolverSpX##name(                                                \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr,                   \
      const int *offsets, const int *indices, Type info) {                                         \
    return analyze(handle, n, n, nnz, descr, offsets, indices, info);                              \
  }
HEDDLE_SQUARE_ANALYSIS(csrluAnalysisHost, csrluInfoHost_t)
HEDDLE_SQUARE_ANALYSIS(csrcholAnalysisHost, csrcholInfoHost_t)
HEDDLE_SQUARE_ANALYSIS(csrcholAnalysis, csrcholInfo_t)
#define HEDDLE_ANALYSIS(name, Type)                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSpX##name(                                                \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,            \
      const int *offsets, const int *indices, Type info) {                                         \
    return analyze(handle, m, n, nnz, descr, offsets, indices, info);                              \
  }
HEDDLE_ANALYSIS(csrqrAnalysisHost, csrqrInfoHost_t)
HEDDLE_ANALYSIS(csrqrAnalysis, csrqrInfo_t)

HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *nnzL,
                                                       int *nnzU, csrluInfoHost_t info) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(nnzL && nnzU && info, INVALID_VALUE);
  return info->steps->complex ? countLu<ComplexDouble>(info, nnzL, nnzU)
                              : countLu<double>(info, nnzL, nnzU);
}

#define HEDDLE_PIVOT(p, T, R, name, host, side, Type)                                              \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##name##ZeroPivot##host(                             \
      cusolverSpHandle_t handle, Type info, R tol, int *position) {                                \
    return findZeroPivot<Native<T>>(handle, info, tol, position);                                  \
  }
#define HEDDLE_SQUARE(p, T, R, name, host, side, Type)                                             \
  HEDDLE_PIVOT(p, T, R, name, host, side, Type)                                                    \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##name##BufferInfo##host(                            \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, Type info, size_t *internal, size_t *workspace) {    \
    return tellBuffers(handle, n, n, nnz, descr, values, offsets, indices, info, internal,         \
                       workspace);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##name##Solve##host(                                 \
      cusolverSpHandle_t handle, int n, const T *b, T *x, Type info, void *) {                     \
    return solveOne(handle, side, n, n, native(b), native(x), info);                               \
  }
#define HEDDLE_CHOLESKY(p, T, R, host, side, Type)                                                 \
  HEDDLE_SQUARE(p, T, R, csrchol, host, side, Type)                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrcholFactor##host(                               \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, Type info, void *) {                                 \
    return factorCholesky(handle, side, n, nnz, descr, native(values), offsets, indices, info);    \
  }
#define HEDDLE_QR(p, T, R, host, side, Type)                                                       \
  HEDDLE_PIVOT(p, T, R, csrqr, host, side, Type)                                                   \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrBufferInfo##host(                             \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,            \
      const T *values, const int *offsets, const int *indices, Type info, size_t *internal,        \
      size_t *workspace) {                                                                         \
    return tellBuffers(handle, m, n, nnz, descr, values, offsets, indices, info, internal,         \
                       workspace);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrSetup##host(                                  \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,            \
      const T *values, const int *offsets, const int *indices, T mu, Type info) {                  \
    return setUpQr(handle, side, m, n, nnz, descr, native(values), offsets, indices, *native(&mu), \
                   info);                                                                          \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrFactor##host(                                 \
      cusolverSpHandle_t handle, int m, int n, int nnz, T *b, T *x, Type info, void *) {           \
    return factorQr(handle, side, m, n, nnz, native(b), native(x), info);                          \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrSolve##host(                                  \
      cusolverSpHandle_t handle, int m, int n, T *b, T *x, Type info, void *) {                    \
    return solveOne(handle, side, m, n, native(b), native(x), info);                               \
  }
#define HEDDLE_LOW_LEVEL(p, T, R)                                                                  \
  HEDDLE_SQUARE(p, T, R, csrlu, Host, Side::Host, csrluInfoHost_t)                                 \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrluFactorHost(                                   \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, csrluInfoHost_t info, R threshold, void *) {         \
    return factorLu(handle, n, nnz, descr, native(values), offsets, indices, info, threshold);     \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrluExtractHost(                                  \
      cusolverSpHandle_t handle, int *P, int *Q, const cusparseMatDescr_t descrL, T *valuesL,      \
      int *offsetsL, int *indicesL, const cusparseMatDescr_t descrU, T *valuesU, int *offsetsU,    \
      int *indicesU, csrluInfoHost_t info, void *) {                                               \
    return extractLu(handle, P, Q, descrL, native(valuesL), offsetsL, indicesL, descrU,            \
                     native(valuesU), offsetsU, indicesU, info);                                   \
  }                                                                                                \
  HEDDLE_QR(p, T, R, Host, Side::Host, csrqrInfoHost_t)                                            \
  HEDDLE_QR(p, T, R, , Side::Device, csrqrInfo_t)                                                  \
  HEDDLE_CHOLESKY(p, T, R, Host, Side::Host, csrcholInfoHost_t)                                    \
  HEDDLE_CHOLESKY(p, T, R, , Side::Device, csrcholInfo_t)                                          \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrcholDiag(cusolverSpHandle_t handle,             \
                                                            csrcholInfo_t info, R *diag) {         \
    return tellDiagonal<Native<T>>(handle, info, diag);                                            \
  }
HEDDLE_LOW_LEVEL(S, float, float)
HEDDLE_LOW_LEVEL(D, double, double)
HEDDLE_LOW_LEVEL(C, cuComplex, float)
HEDDLE_LOW_LEVEL(Z, cuDoubleComplex, double)
