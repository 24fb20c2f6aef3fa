// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse factors in single steps: solutions are multiplied out, L U is compared with the permuted
// matrix.
#include "solver/sparse/test_matrices.h"

#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <cmath>

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

HEDDLE_FOUR(luBuffer, cusolverSpScsrluBufferInfoHost, cusolverSpDcsrluBufferInfoHost,
            cusolverSpCcsrluBufferInfoHost, cusolverSpZcsrluBufferInfoHost)
HEDDLE_FOUR(luFactor, cusolverSpScsrluFactorHost, cusolverSpDcsrluFactorHost,
            cusolverSpCcsrluFactorHost, cusolverSpZcsrluFactorHost)
HEDDLE_FOUR(luPivot, cusolverSpScsrluZeroPivotHost, cusolverSpDcsrluZeroPivotHost,
            cusolverSpCcsrluZeroPivotHost, cusolverSpZcsrluZeroPivotHost)
HEDDLE_FOUR(luSolve, cusolverSpScsrluSolveHost, cusolverSpDcsrluSolveHost,
            cusolverSpCcsrluSolveHost, cusolverSpZcsrluSolveHost)
HEDDLE_FOUR(luExtract, cusolverSpScsrluExtractHost, cusolverSpDcsrluExtractHost,
            cusolverSpCcsrluExtractHost, cusolverSpZcsrluExtractHost)
HEDDLE_FOUR(qrBufferHost, cusolverSpScsrqrBufferInfoHost, cusolverSpDcsrqrBufferInfoHost,
            cusolverSpCcsrqrBufferInfoHost, cusolverSpZcsrqrBufferInfoHost)
HEDDLE_FOUR(qrSetupHost, cusolverSpScsrqrSetupHost, cusolverSpDcsrqrSetupHost,
            cusolverSpCcsrqrSetupHost, cusolverSpZcsrqrSetupHost)
HEDDLE_FOUR(qrFactorHost, cusolverSpScsrqrFactorHost, cusolverSpDcsrqrFactorHost,
            cusolverSpCcsrqrFactorHost, cusolverSpZcsrqrFactorHost)
HEDDLE_FOUR(qrPivotHost, cusolverSpScsrqrZeroPivotHost, cusolverSpDcsrqrZeroPivotHost,
            cusolverSpCcsrqrZeroPivotHost, cusolverSpZcsrqrZeroPivotHost)
HEDDLE_FOUR(qrSolveHost, cusolverSpScsrqrSolveHost, cusolverSpDcsrqrSolveHost,
            cusolverSpCcsrqrSolveHost, cusolverSpZcsrqrSolveHost)
HEDDLE_FOUR(qrBuffer, cusolverSpScsrqrBufferInfo, cusolverSpDcsrqrBufferInfo,
            cusolverSpCcsrqrBufferInfo, cusolverSpZcsrqrBufferInfo)
HEDDLE_FOUR(qrSetup, cusolverSpScsrqrSetup, cusolverSpDcsrqrSetup, cusolverSpCcsrqrSetup,
            cusolverSpZcsrqrSetup)
HEDDLE_FOUR(qrFactor, cusolverSpScsrqrFactor, cusolverSpDcsrqrFactor, cusolverSpCcsrqrFactor,
            cusolverSpZcsrqrFactor)
HEDDLE_FOUR(qrPivot, cusolverSpScsrqrZeroPivot, cusolverSpDcsrqrZeroPivot,
            cusolverSpCcsrqrZeroPivot, cusolverSpZcsrqrZeroPivot)
HEDDLE_FOUR(qrSolve, cusolverSpScsrqrSolve, cusolverSpDcsrqrSolve, cusolverSpCcsrqrSolve,
            cusolverSpZcsrqrSolve)
HEDDLE_FOUR(cholBufferHost, cusolverSpScsrcholBufferInfoHost, cusolverSpDcsrcholBufferInfoHost,
            cusolverSpCcsrcholBufferInfoHost, cusolverSpZcsrcholBufferInfoHost)
HEDDLE_FOUR(cholFactorHost, cusolverSpScsrcholFactorHost, cusolverSpDcsrcholFactorHost,
            cusolverSpCcsrcholFactorHost, cusolverSpZcsrcholFactorHost)
HEDDLE_FOUR(cholPivotHost, cusolverSpScsrcholZeroPivotHost, cusolverSpDcsrcholZeroPivotHost,
            cusolverSpCcsrcholZeroPivotHost, cusolverSpZcsrcholZeroPivotHost)
HEDDLE_FOUR(cholSolveHost, cusolverSpScsrcholSolveHost, cusolverSpDcsrcholSolveHost,
            cusolverSpCcsrcholSolveHost, cusolverSpZcsrcholSolveHost)
HEDDLE_FOUR(cholBuffer, cusolverSpScsrcholBufferInfo, cusolverSpDcsrcholBufferInfo,
            cusolverSpCcsrcholBufferInfo, cusolverSpZcsrcholBufferInfo)
HEDDLE_FOUR(cholFactor, cusolverSpScsrcholFactor, cusolverSpDcsrcholFactor,
            cusolverSpCcsrcholFactor, cusolverSpZcsrcholFactor)
HEDDLE_FOUR(cholPivot, cusolverSpScsrcholZeroPivot, cusolverSpDcsrcholZeroPivot,
            cusolverSpCcsrcholZeroPivot, cusolverSpZcsrcholZeroPivot)
HEDDLE_FOUR(cholSolve, cusolverSpScsrcholSolve, cusolverSpDcsrcholSolve, cusolverSpCcsrcholSolve,
            cusolverSpZcsrcholSolve)
HEDDLE_FOUR(cholDiag, cusolverSpScsrcholDiag, cusolverSpDcsrcholDiag, cusolverSpCcsrcholDiag,
            cusolverSpZcsrcholDiag)

template <typename T> using LowLevel = SparseSystems<T>;
TYPED_TEST_SUITE(LowLevel, FourTypes);

/// A matrix of the rows of an array, from `base` on.
template <typename T>
Matrix<T> dense(int n, int base, const std::vector<int> &offsets, const std::vector<int> &indices,
                const std::vector<T> &values) {
  Matrix<T> m(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k)
      m(i, indices[k] - base) += values[k];
  return m;
}

TYPED_TEST(LowLevel, LuIsExtractedAndSolves) {
  using T = TypeParam;
  Random random(3);
  const int n = 25;
  cusparseSetMatIndexBase(this->descr, CUSPARSE_INDEX_BASE_ONE);
  Matrix<T> m = sparse<T>(random, n, false), b = random.matrix<T>(n, 1), x(n, 1);
  m(2, 2) = T(0); // needs a pivot from elsewhere
  m(2, 5) = m(5, 2) = T(3);
  Csr<T> a(m, 1);
  csrluInfoHost_t info = nullptr;
  SOLVER_OK(cusolverSpCreateCsrluInfoHost(&info));
  SOLVER_OK(cusolverSpXcsrluAnalysisHost(this->handle, n, a.nnz(), this->descr, a.offsets.data(),
                                         a.indices.data(), info));
  size_t internal = 0, work = 0;
  SOLVER_OK(luBufferOf<T>(this->handle, n, a.nnz(), this->descr, api(a.values.data()),
                          a.offsets.data(), a.indices.data(), info, &internal, &work));
  EXPECT_GT(work, 0u);
  std::vector<char> buffer(work);
  int position = 7, countL = 0, countU = 0;
  EXPECT_EQ(luPivotOf<T>(this->handle, info, Real<T>(0), &position), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(luFactorOf<T>(this->handle, n, a.nnz(), this->descr, api(a.values.data()),
                          a.offsets.data(), a.indices.data(), info, Real<T>(1), buffer.data()));
  SOLVER_OK(luPivotOf<T>(this->handle, info, Real<T>(1e-12), &position));
  EXPECT_EQ(position, -1);
  SOLVER_OK(luSolveOf<T>(this->handle, n, api(b.values.data()), api(x.values.data()), info,
                         buffer.data()));
  expectNear(m * x, b, 1000);

  SOLVER_OK(cusolverSpXcsrluNnzHost(this->handle, &countL, &countU, info));
  std::vector<int> p(n), q(n), offsetsL(n + 1), offsetsU(n + 1), indicesL(countL), indicesU(countU);
  std::vector<T> valuesL(countL), valuesU(countU);
  SOLVER_OK(luExtractOf<T>(this->handle, p.data(), q.data(), this->descr, api(valuesL.data()),
                           offsetsL.data(), indicesL.data(), this->descr, api(valuesU.data()),
                           offsetsU.data(), indicesU.data(), info, buffer.data()));
  Matrix<T> l = dense(n, 1, offsetsL, indicesL, valuesL);
  Matrix<T> u = dense(n, 1, offsetsU, indicesU, valuesU), permuted(n, n);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(l(i, i), T(1));
    for (int j = 0; j < n; ++j) {
      permuted(i, j) = m(p[i], q[j]);
      EXPECT_EQ(i < j ? l(i, j) : i > j ? u(i, j) : T(0), T(0));
    }
  }
  expectNear(l * u, permuted, 1000);
  SOLVER_OK(cusolverSpDestroyCsrluInfoHost(info));
}

/// Solves by QR on the host or the device; `mu` is taken from the diagonal.
TYPED_TEST(LowLevel, QrSolvesSquareAndTallSystems) {
  using T = TypeParam;
  Random random(4);
  for (int extra : {0, 9})
    for (T mu : {T(0), T(2)}) {
      const int n = 20, m = n + extra;
      Matrix<T> whole = sparse<T>(random, m, false), a = whole.part(m, n);
      for (int i = n; i < m; ++i)
        a(i, i % n) = random.value<T>();
      Matrix<T> b = random.matrix<T>(m, 1), shifted = a;
      for (int i = 0; i < n; ++i)
        shifted(i, i) -= mu;
      Csr<T> rows(a, 0);
      int nnz = rows.nnz(), position = 7;
      size_t internal = 0, work = 0;

      Matrix<T> x(n, 1), first(n, 1);
      csrqrInfoHost_t host = nullptr;
      T *v = rows.values.data();
      int *p = rows.offsets.data(), *i = rows.indices.data();
      SOLVER_OK(cusolverSpCreateCsrqrInfoHost(&host));
      SOLVER_OK(cusolverSpXcsrqrAnalysisHost(this->handle, m, n, nnz, this->descr, p, i, host));
      SOLVER_OK(qrBufferHostOf<T>(this->handle, m, n, nnz, this->descr, api(v), p, i, host,
                                  &internal, &work));
      EXPECT_EQ(qrFactorHostOf<T>(this->handle, m, n, nnz, nullptr, nullptr, host, nullptr),
                CUSOLVER_STATUS_INVALID_VALUE);
      SOLVER_OK(
          qrSetupHostOf<T>(this->handle, m, n, nnz, this->descr, api(v), p, i, *api(&mu), host));
      SOLVER_OK(qrFactorHostOf<T>(this->handle, m, n, nnz, api(b.values.data()),
                                  api(first.values.data()), host, nullptr));
      SOLVER_OK(qrPivotHostOf<T>(this->handle, host, Real<T>(1e-12), &position));
      EXPECT_EQ(position, -1);
      SOLVER_OK(qrSolveHostOf<T>(this->handle, m, n, api(b.values.data()), api(x.values.data()),
                                 host, nullptr));
      // A^H (A x - b) = 0
      expectNear(shifted.adjoint() * (shifted * x), shifted.adjoint() * b, 2000);
      EXPECT_EQ(x.values, first.values);
      SOLVER_OK(cusolverSpDestroyCsrqrInfoHost(host));

      DeviceArray<T> dv(rows.values), db(b.values), dx(n);
      DeviceArray<int> dp(rows.offsets), di(rows.indices);
      csrqrInfo_t info = nullptr;
      SOLVER_OK(cusolverSpCreateCsrqrInfo(&info));
      SOLVER_OK(
          cusolverSpXcsrqrAnalysis(this->handle, m, n, nnz, this->descr, dp.get(), di.get(), info));
      SOLVER_OK(qrBufferOf<T>(this->handle, m, n, nnz, this->descr, api(dv.get()), dp.get(),
                              di.get(), info, &internal, &work));
      SOLVER_OK(qrSetupOf<T>(this->handle, m, n, nnz, this->descr, api(dv.get()), dp.get(),
                             di.get(), *api(&mu), info));
      SOLVER_OK(qrFactorOf<T>(this->handle, m, n, nnz, nullptr, nullptr, info, nullptr));
      SOLVER_OK(qrPivotOf<T>(this->handle, info, Real<T>(1e-12), &position));
      EXPECT_EQ(position, -1);
      SOLVER_OK(qrSolveOf<T>(this->handle, m, n, api(db.get()), api(dx.get()), info, nullptr));
      EXPECT_EQ(dx.read(), x.values);
      SOLVER_OK(cusolverSpDestroyCsrqrInfo(info));
    }
}

TYPED_TEST(LowLevel, CholeskySolvesAndTellsItsDiagonal) {
  using T = TypeParam;
  Random random(5);
  const int n = 40;
  Matrix<T> m = sparse<T>(random, n, true), b = random.matrix<T>(n, 1), x(n, 1);
  Csr<T> a(m, 0);
  int nnz = a.nnz(), position = 7;
  size_t internal = 0, work = 0;
  T *v = a.values.data();
  int *p = a.offsets.data(), *i = a.indices.data();
  csrcholInfoHost_t host = nullptr;
  SOLVER_OK(cusolverSpCreateCsrcholInfoHost(&host));
  SOLVER_OK(cusolverSpXcsrcholAnalysisHost(this->handle, n, nnz, this->descr, p, i, host));
  SOLVER_OK(
      cholBufferHostOf<T>(this->handle, n, nnz, this->descr, api(v), p, i, host, &internal, &work));
  SOLVER_OK(cholFactorHostOf<T>(this->handle, n, nnz, this->descr, api(v), p, i, host, nullptr));
  SOLVER_OK(cholPivotHostOf<T>(this->handle, host, Real<T>(1e-12), &position));
  EXPECT_EQ(position, -1);
  SOLVER_OK(cholSolveHostOf<T>(this->handle, n, api(b.values.data()), api(x.values.data()), host,
                               nullptr));
  expectNear(m * x, b, 1000);
  SOLVER_OK(cusolverSpDestroyCsrcholInfoHost(host));

  // Twice as large on the device: a second matrix of the same pattern.
  DeviceArray<T> dv(a.values), db(b.values), dx(n);
  DeviceArray<Real<T>> diagonal(n);
  DeviceArray<int> dp(a.offsets), di(a.indices);
  csrcholInfo_t info = nullptr;
  SOLVER_OK(cusolverSpCreateCsrcholInfo(&info));
  SOLVER_OK(
      cusolverSpXcsrcholAnalysis(this->handle, n, nnz, this->descr, dp.get(), di.get(), info));
  SOLVER_OK(cholBufferOf<T>(this->handle, n, nnz, this->descr, api(dv.get()), dp.get(), di.get(),
                            info, &internal, &work));
  for (int factor : {1, 2}) {
    for (T &value : a.values)
      value *= T(factor);
    ASSERT_EQ(cudaMemcpy(dv.get(), v, nnz * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    SOLVER_OK(cholFactorOf<T>(this->handle, n, nnz, this->descr, api(dv.get()), dp.get(), di.get(),
                              info, nullptr));
    SOLVER_OK(cholPivotOf<T>(this->handle, info, Real<T>(1e-12), &position));
    EXPECT_EQ(position, -1);
    SOLVER_OK(cholSolveOf<T>(this->handle, n, api(db.get()), api(dx.get()), info, nullptr));
    SOLVER_OK(cholDiagOf<T>(this->handle, info, diagonal.get()));
    Matrix<T> solution = x.with(dx.read());
    for (T &value : solution.values)
      value *= T(factor);
    expectNear(m * solution, b, 1000);
  }
  // The product of L's diagonal is the root of the determinant: here that of 2 m, by elimination.
  double logarithm = 0, expected = 0;
  for (Real<T> value : diagonal.read())
    logarithm += std::log(double(value));
  Matrix<T> rest = m;
  for (int k = 0; k < n; ++k) {
    expected += std::log(2 * std::abs(rest(k, k))) / 2;
    for (int r = k + 1; r < n; ++r)
      for (int c = n - 1; c >= k; --c)
        rest(r, c) -= rest(r, k) / rest(k, k) * rest(k, c);
  }
  EXPECT_NEAR(logarithm, expected, 1e-3);
  SOLVER_OK(cusolverSpDestroyCsrcholInfo(info));
}

TYPED_TEST(LowLevel, ZeroPivotsAreFound) {
  using T = TypeParam;
  Matrix<T> m = identity<T>(5);
  m(3, 3) = T(-1);
  Csr<T> a(m, 0);
  T *v = a.values.data();
  int *p = a.offsets.data(), *i = a.indices.data(), position = -7;
  T mu = T(-1);
  csrcholInfoHost_t cholesky = nullptr;
  csrqrInfoHost_t qr = nullptr;
  SOLVER_OK(cusolverSpCreateCsrcholInfoHost(&cholesky));
  EXPECT_EQ(cholFactorHostOf<T>(this->handle, 5, 5, this->descr, api(v), p, i, cholesky, nullptr),
            CUSOLVER_STATUS_INVALID_VALUE); // not analysed
  SOLVER_OK(cusolverSpXcsrcholAnalysisHost(this->handle, 5, 5, this->descr, p, i, cholesky));
  SOLVER_OK(cholFactorHostOf<T>(this->handle, 5, 5, this->descr, api(v), p, i, cholesky, nullptr));
  SOLVER_OK(cholPivotHostOf<T>(this->handle, cholesky, Real<T>(1e-6), &position));
  EXPECT_GE(position, 0);
  SOLVER_OK(cusolverSpDestroyCsrcholInfoHost(cholesky));
  SOLVER_OK(cusolverSpCreateCsrqrInfoHost(&qr));
  SOLVER_OK(cusolverSpXcsrqrAnalysisHost(this->handle, 5, 5, 5, this->descr, p, i, qr));
  SOLVER_OK(qrSetupHostOf<T>(this->handle, 5, 5, 5, this->descr, api(v), p, i, *api(&mu), qr));
  SOLVER_OK(qrFactorHostOf<T>(this->handle, 5, 5, 5, nullptr, nullptr, qr, nullptr));
  SOLVER_OK(qrPivotHostOf<T>(this->handle, qr, Real<T>(1e-6), &position)); // -1 + 1
  EXPECT_GE(position, 0);
  SOLVER_OK(cusolverSpDestroyCsrqrInfoHost(qr));
  EXPECT_EQ(cusolverSpXcsrqrAnalysisHost(this->handle, 4, 5, 5, this->descr, p, i, qr),
            CUSOLVER_STATUS_INVALID_VALUE);
}

} // namespace
