// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cholesky, LU, QR and symmetric factors in the four types.
#include "solver/test_support.h"

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

HEDDLE_FOUR(potrf_bufferSize, cusolverDnSpotrf_bufferSize, cusolverDnDpotrf_bufferSize,
            cusolverDnCpotrf_bufferSize, cusolverDnZpotrf_bufferSize)
HEDDLE_FOUR(potrf, cusolverDnSpotrf, cusolverDnDpotrf, cusolverDnCpotrf, cusolverDnZpotrf)
HEDDLE_FOUR(potrs, cusolverDnSpotrs, cusolverDnDpotrs, cusolverDnCpotrs, cusolverDnZpotrs)
HEDDLE_FOUR(potri_bufferSize, cusolverDnSpotri_bufferSize, cusolverDnDpotri_bufferSize,
            cusolverDnCpotri_bufferSize, cusolverDnZpotri_bufferSize)
HEDDLE_FOUR(potri, cusolverDnSpotri, cusolverDnDpotri, cusolverDnCpotri, cusolverDnZpotri)
HEDDLE_FOUR(potrfBatched, cusolverDnSpotrfBatched, cusolverDnDpotrfBatched, cusolverDnCpotrfBatched,
            cusolverDnZpotrfBatched)
HEDDLE_FOUR(potrsBatched, cusolverDnSpotrsBatched, cusolverDnDpotrsBatched, cusolverDnCpotrsBatched,
            cusolverDnZpotrsBatched)
HEDDLE_FOUR(lauum_bufferSize, cusolverDnSlauum_bufferSize, cusolverDnDlauum_bufferSize,
            cusolverDnClauum_bufferSize, cusolverDnZlauum_bufferSize)
HEDDLE_FOUR(lauum, cusolverDnSlauum, cusolverDnDlauum, cusolverDnClauum, cusolverDnZlauum)
HEDDLE_FOUR(getrf_bufferSize, cusolverDnSgetrf_bufferSize, cusolverDnDgetrf_bufferSize,
            cusolverDnCgetrf_bufferSize, cusolverDnZgetrf_bufferSize)
HEDDLE_FOUR(getrf, cusolverDnSgetrf, cusolverDnDgetrf, cusolverDnCgetrf, cusolverDnZgetrf)
HEDDLE_FOUR(getrs, cusolverDnSgetrs, cusolverDnDgetrs, cusolverDnCgetrs, cusolverDnZgetrs)
HEDDLE_FOUR(laswp, cusolverDnSlaswp, cusolverDnDlaswp, cusolverDnClaswp, cusolverDnZlaswp)
HEDDLE_FOUR(geqrf_bufferSize, cusolverDnSgeqrf_bufferSize, cusolverDnDgeqrf_bufferSize,
            cusolverDnCgeqrf_bufferSize, cusolverDnZgeqrf_bufferSize)
HEDDLE_FOUR(geqrf, cusolverDnSgeqrf, cusolverDnDgeqrf, cusolverDnCgeqrf, cusolverDnZgeqrf)
HEDDLE_FOUR(ormqr_bufferSize, cusolverDnSormqr_bufferSize, cusolverDnDormqr_bufferSize,
            cusolverDnCunmqr_bufferSize, cusolverDnZunmqr_bufferSize)
HEDDLE_FOUR(ormqr, cusolverDnSormqr, cusolverDnDormqr, cusolverDnCunmqr, cusolverDnZunmqr)
HEDDLE_FOUR(orgqr_bufferSize, cusolverDnSorgqr_bufferSize, cusolverDnDorgqr_bufferSize,
            cusolverDnCungqr_bufferSize, cusolverDnZungqr_bufferSize)
HEDDLE_FOUR(orgqr, cusolverDnSorgqr, cusolverDnDorgqr, cusolverDnCungqr, cusolverDnZungqr)
HEDDLE_FOUR(sytrf_bufferSize, cusolverDnSsytrf_bufferSize, cusolverDnDsytrf_bufferSize,
            cusolverDnCsytrf_bufferSize, cusolverDnZsytrf_bufferSize)
HEDDLE_FOUR(sytrf, cusolverDnSsytrf, cusolverDnDsytrf, cusolverDnCsytrf, cusolverDnZsytrf)
HEDDLE_FOUR(sytri_bufferSize, cusolverDnSsytri_bufferSize, cusolverDnDsytri_bufferSize,
            cusolverDnCsytri_bufferSize, cusolverDnZsytri_bufferSize)
HEDDLE_FOUR(sytri, cusolverDnSsytri, cusolverDnDsytri, cusolverDnCsytri, cusolverDnZsytri)

template <typename T> using Systems = Dense<T>;
TYPED_TEST_SUITE(Systems, FourTypes);

/// The lower or upper triangle, with ones on the diagonal if asked.
template <typename T> Matrix<T> triangle(const Matrix<T> &m, bool lower, bool unit = false) {
  Matrix<T> t(m.rows, m.cols);
  for (int j = 0; j < m.cols; ++j)
    for (int i = 0; i < m.rows; ++i)
      if (i == j)
        t(i, j) = unit ? T(1) : m(i, j);
      else if ((i > j) == lower)
        t(i, j) = m(i, j);
  return t;
}

TYPED_TEST(Systems, Cholesky) {
  using T = TypeParam;
  Random random(1);
  for (int n : {0, 1, 5, 40, 130})
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
      bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
      Matrix<T> a = random.positive<T>(n, 3), b = random.matrix<T>(n, 4, 1);
      DeviceArray<T> da(a.values), db(b.values), work(1);
      DeviceArray<int> info(std::vector<int>{-9});
      int lwork = 0;
      SOLVER_OK(potrf_bufferSizeOf<T>(this->handle, uplo, n, api(da.get()), a.ld, &lwork));
      ASSERT_EQ(lwork, 1);
      SOLVER_OK(potrfOf<T>(this->handle, uplo, n, api(da.get()), a.ld, api(work.get()), lwork,
                           info.get()));
      EXPECT_EQ(info.read()[0], 0);
      Matrix<T> factor = triangle(a.with(da.read()), lower);
      Matrix<T> same = lower ? factor * factor.adjoint() : factor.adjoint() * factor;
      expectNear(same, a.part(n, n), 20.0 * n);
      SOLVER_OK(potrsOf<T>(this->handle, uplo, n, 4, api(da.get()), a.ld, api(db.get()), b.ld,
                           info.get()));
      expectNear(a * b.with(db.read()), b.part(n, 4), 100.0 * (n + 1));
      SOLVER_OK(potri_bufferSizeOf<T>(this->handle, uplo, n, api(da.get()), a.ld, &lwork));
      SOLVER_OK(potriOf<T>(this->handle, uplo, n, api(da.get()), a.ld, api(work.get()), lwork,
                           info.get()));
      EXPECT_EQ(info.read()[0], 0);
      Matrix<T> half = triangle(a.with(da.read()), lower), inverse = half;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          if (half(i, j) != T(0))
            inverse(j, i) = conjugate(half(i, j)), inverse(i, j) = half(i, j);
      expectNear(a * inverse, identity<T>(n), 100.0 * (n + 1));
    }
}

TYPED_TEST(Systems, CholeskyTellsWhereItStops) {
  using T = TypeParam;
  Matrix<T> a = identity<T>(4);
  a(2, 2) = T(-1);
  DeviceArray<T> da(a.values), work(1);
  DeviceArray<int> info(1);
  SOLVER_OK(potrfOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, 4, api(da.get()), 4, api(work.get()),
                       1, info.get()));
  EXPECT_EQ(info.read()[0], 3);
}

TYPED_TEST(Systems, CholeskyOfBatches) {
  using T = TypeParam;
  Random random(2);
  const int n = 12, count = 37;
  std::vector<Matrix<T>> as, bs;
  std::vector<T> allA, allB;
  for (int i = 0; i < count; ++i) {
    as.push_back(random.positive<T>(n)), bs.push_back(random.matrix<T>(n, 1));
    allA.insert(allA.end(), as[i].values.begin(), as[i].values.end());
    allB.insert(allB.end(), bs[i].values.begin(), bs[i].values.end());
  }
  allA[5 * n * n] = T(-1); // the sixth is not positive
  DeviceArray<T> da(allA), db(allB);
  std::vector<Api<T> *> pa, pb;
  for (int i = 0; i < count; ++i)
    pa.push_back(api(da.get()) + i * n * n), pb.push_back(api(db.get()) + i * n);
  DeviceArray<Api<T> *> dpa(pa), dpb(pb);
  DeviceArray<int> infos(count), info(1);
  SOLVER_OK(
      potrfBatchedOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, n, dpa.get(), n, infos.get(), count));
  SOLVER_OK(potrsBatchedOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, n, 1, dpa.get(), n, dpb.get(),
                              n, info.get(), count));
  EXPECT_EQ(potrsBatchedOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, n, 2, dpa.get(), n, dpb.get(),
                              n, info.get(), count),
            CUSOLVER_STATUS_INVALID_VALUE);
  std::vector<int> found = infos.read();
  std::vector<T> x = db.read();
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(found[i], i == 5 ? 1 : 0);
    if (i != 5)
      expectNear(as[i] * bs[i].with(std::vector<T>(x.begin() + i * n, x.begin() + (i + 1) * n)),
                 bs[i], 100.0 * n);
  }
}

TYPED_TEST(Systems, ProductOfTriangles) {
  using T = TypeParam;
  Random random(3);
  Matrix<T> a = random.matrix<T>(20, 20, 1);
  DeviceArray<T> da(a.values), work(1);
  DeviceArray<int> info(1);
  int lwork;
  SOLVER_OK(
      lauum_bufferSizeOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, 20, api(da.get()), a.ld, &lwork));
  // The diagonal of a Cholesky factor is real.
  for (int i = 0; i < 20; ++i)
    a(i, i) = T(std::real(a(i, i)));
  DeviceArray<T> dr(a.values);
  SOLVER_OK(lauumOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, 20, api(dr.get()), a.ld,
                       api(work.get()), lwork, info.get()));
  Matrix<T> l = triangle(a, true);
  expectNear(triangle(a.with(dr.read()), true), triangle(l.adjoint() * l, true), 100);
}

TYPED_TEST(Systems, LU) {
  using T = TypeParam;
  Random random(4);
  for (int n : {0, 1, 7, 33, 120})
    for (bool pivots : {true, false}) {
      Matrix<T> a = pivots ? random.matrix<T>(n, n, 2) : random.dominant<T>(n, 2);
      for (int i = 0; pivots && i < n; ++i)
        a(i, (i + 1) % n) += T(Real<T>(n));
      DeviceArray<T> da(a.values), work(1);
      DeviceArray<int> ipiv(n), info(std::vector<int>{-9});
      int *pivotsOrNone = pivots ? ipiv.get() : nullptr, lwork = 0;
      SOLVER_OK(getrf_bufferSizeOf<T>(this->handle, n, n, api(da.get()), a.ld, &lwork));
      SOLVER_OK(getrfOf<T>(this->handle, n, n, api(da.get()), a.ld, api(work.get()), pivotsOrNone,
                           info.get()));
      EXPECT_EQ(info.read()[0], 0);
      if (!pivots) {
        Matrix<T> f = a.with(da.read());
        expectNear(triangle(f, true, true) * triangle(f, false), a.part(n, n), 20.0 * (n + 1));
      }
      for (cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
        Matrix<T> b = random.matrix<T>(n, 3, 4);
        DeviceArray<T> db(b.values);
        SOLVER_OK(getrsOf<T>(this->handle, trans, n, 3, api(da.get()), a.ld, pivotsOrNone,
                             api(db.get()), b.ld, info.get()));
        EXPECT_EQ(info.read()[0], 0);
        Matrix<T> op = trans == CUBLAS_OP_N   ? a.part(n, n)
                       : trans == CUBLAS_OP_T ? a.transposed()
                                              : a.adjoint();
        expectNear(op * b.with(db.read()), b.part(n, 3), 200.0 * (n + 1));
      }
      Matrix<T> swapped = random.matrix<T>(n, 2), expected = swapped;
      if (n > 1 && pivots) {
        DeviceArray<T> ds(swapped.values);
        DeviceArray<int> rows(std::vector<int>{n, 2});
        SOLVER_OK(laswpOf<T>(this->handle, 2, api(ds.get()), swapped.ld, 1, 2, rows.get(), 1));
        for (int j = 0; j < 2; ++j)
          std::swap(expected(0, j), expected(n - 1, j));
        expectNear(swapped.with(ds.read()), expected, 0);
      }
    }
}

TYPED_TEST(Systems, LUOfRectangles) {
  using T = TypeParam;
  Random random(5);
  for (auto [m, n] : {std::pair(60, 25), std::pair(25, 60), std::pair(3, 1)})
    for (bool pivots : {true, false}) {
      Matrix<T> a = random.matrix<T>(m, n, 1);
      for (int i = 0; i < std::min(m, n); ++i)
        a(i, i) += T(Real<T>(m + n));
      DeviceArray<T> da(a.values), work(1);
      DeviceArray<int> ipiv(std::min(m, n)), info(1);
      SOLVER_OK(getrfOf<T>(this->handle, m, n, api(da.get()), a.ld, api(work.get()),
                           pivots ? ipiv.get() : nullptr, info.get()));
      Matrix<T> f = a.with(da.read());
      int k = std::min(m, n);
      Matrix<T> l = triangle(f, true, true).part(m, k), u = triangle(f, false).part(k, n);
      expectNear(l * u, a.part(m, n), 100.0 * (m + n));
    }
}

TYPED_TEST(Systems, ZeroPivots) {
  using T = TypeParam;
  for (bool pivots : {true, false}) {
    Matrix<T> a = identity<T>(40);
    a(20, 20) = T(0);
    DeviceArray<T> da(a.values), work(1);
    DeviceArray<int> ipiv(40), info(1);
    SOLVER_OK(getrfOf<T>(this->handle, 40, 40, api(da.get()), 40, api(work.get()),
                         pivots ? ipiv.get() : nullptr, info.get()));
    EXPECT_EQ(info.read()[0], 21);
  }
}

TYPED_TEST(Systems, QR) {
  using T = TypeParam;
  Random random(6);
  for (auto [m, n] : {std::pair(30, 12), std::pair(50, 50), std::pair(1, 1), std::pair(9, 0)}) {
    Matrix<T> a = random.matrix<T>(m, n, 2), c = random.matrix<T>(m, 5, 1);
    DeviceArray<T> da(a.values), tau(n), dc(c.values), work(1);
    DeviceArray<int> info(std::vector<int>{-9});
    int lwork = 0;
    SOLVER_OK(geqrf_bufferSizeOf<T>(this->handle, m, n, api(da.get()), a.ld, &lwork));
    SOLVER_OK(geqrfOf<T>(this->handle, m, n, api(da.get()), a.ld, api(tau.get()), api(work.get()),
                         lwork, info.get()));
    EXPECT_EQ(info.read()[0], 0);
    Matrix<T> r = triangle(a.with(da.read()), false).part(n, n);
    SOLVER_OK(ormqr_bufferSizeOf<T>(this->handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, 5, n,
                                    api(da.get()), a.ld, api(tau.get()), api(dc.get()), c.ld,
                                    &lwork));
    SOLVER_OK(ormqrOf<T>(this->handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, 5, n, api(da.get()), a.ld,
                         api(tau.get()), api(dc.get()), c.ld, api(work.get()), lwork, info.get()));
    Matrix<T> turned = c.with(dc.read());
    SOLVER_OK(
        orgqr_bufferSizeOf<T>(this->handle, m, n, n, api(da.get()), a.ld, api(tau.get()), &lwork));
    SOLVER_OK(orgqrOf<T>(this->handle, m, n, n, api(da.get()), a.ld, api(tau.get()),
                         api(work.get()), lwork, info.get()));
    Matrix<T> q = a.with(da.read());
    expectNear(q.adjoint() * q, identity<T>(n), 100.0 * m);
    expectNear(q * r, a.part(m, n), 100.0 * m);
    expectNear(q.adjoint() * c, turned.part(n, 5), 100.0 * m);
    if (n > 0 && IsComplex<T>)
      EXPECT_EQ(ormqrOf<T>(this->handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, m, 5, n, api(da.get()),
                           a.ld, api(tau.get()), api(dc.get()), c.ld, api(work.get()), lwork,
                           info.get()),
                CUSOLVER_STATUS_NOT_SUPPORTED);
  }
}

TYPED_TEST(Systems, SymmetricFactors) {
  using T = TypeParam;
  Random random(7);
  const int n = 30;
  for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    Matrix<T> a = random.matrix<T>(n, n, 1);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < j; ++i)
        a(j, i) = a(i, j);
    DeviceArray<T> da(a.values), work(1);
    DeviceArray<int> ipiv(n), info(1);
    int lwork;
    SOLVER_OK(sytrf_bufferSizeOf<T>(this->handle, n, api(da.get()), a.ld, &lwork));
    SOLVER_OK(sytrfOf<T>(this->handle, uplo, n, api(da.get()), a.ld, ipiv.get(), api(work.get()),
                         lwork, info.get()));
    EXPECT_EQ(info.read()[0], 0);
    SOLVER_OK(
        sytri_bufferSizeOf<T>(this->handle, uplo, n, api(da.get()), a.ld, ipiv.get(), &lwork));
    SOLVER_OK(sytriOf<T>(this->handle, uplo, n, api(da.get()), a.ld, ipiv.get(), api(work.get()),
                         lwork, info.get()));
    Matrix<T> half = triangle(a.with(da.read()), uplo == CUBLAS_FILL_MODE_LOWER), inverse = half;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (half(i, j) != T(0))
          inverse(j, i) = inverse(i, j) = half(i, j);
    expectNear(a * inverse, identity<T>(n), 20000);
  }
}

TYPED_TEST(Systems, Errors) {
  using T = TypeParam;
  DeviceArray<T> a(16), work(1);
  DeviceArray<int> ipiv(4), info(1);
  int lwork;
  EXPECT_EQ(getrfOf<T>(nullptr, 4, 4, api(a.get()), 4, api(work.get()), ipiv.get(), info.get()),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(
      getrfOf<T>(this->handle, -1, 4, api(a.get()), 4, api(work.get()), ipiv.get(), info.get()),
      CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(
      getrfOf<T>(this->handle, 4, 4, api(a.get()), 3, api(work.get()), ipiv.get(), info.get()),
      CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(potrfOf<T>(this->handle, CUBLAS_FILL_MODE_LOWER, 4, api(a.get()), 3, api(work.get()), 1,
                       info.get()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(potrfOf<T>(this->handle, static_cast<cublasFillMode_t>(7), 4, api(a.get()), 4,
                       api(work.get()), 1, info.get()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(getrsOf<T>(this->handle, CUBLAS_OP_N, 4, 1, api(a.get()), 4, ipiv.get(), api(a.get()),
                       3, info.get()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(geqrf_bufferSizeOf<T>(this->handle, 4, 4, api(a.get()), 4, nullptr),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(geqrf_bufferSizeOf<T>(nullptr, 4, 4, api(a.get()), 4, &lwork),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(orgqr_bufferSizeOf<T>(this->handle, 4, 5, 4, api(a.get()), 4, api(a.get()), &lwork),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST(Handles, OfTheDensePart) {
  cusolverDnHandle_t handle;
  EXPECT_EQ(cusolverDnCreate(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(cusolverDnCreate(&handle));
  cudaStream_t stream, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  SOLVER_OK(cusolverDnSetStream(handle, stream));
  SOLVER_OK(cusolverDnGetStream(handle, &found));
  EXPECT_EQ(found, stream);
  EXPECT_EQ(cusolverDnGetStream(handle, nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSetStream(nullptr, stream), CUSOLVER_STATUS_NOT_INITIALIZED);
  cusolverDeterministicMode_t mode;
  SOLVER_OK(cusolverDnSetDeterministicMode(handle, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
  SOLVER_OK(cusolverDnGetDeterministicMode(handle, &mode));
  EXPECT_EQ(mode, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
  EXPECT_EQ(cusolverDnSetDeterministicMode(handle, static_cast<cusolverDeterministicMode_t>(0)),
            CUSOLVER_STATUS_INVALID_VALUE);
  int version = 0, major = 0;
  SOLVER_OK(cusolverGetVersion(&version));
  SOLVER_OK(cusolverGetProperty(MAJOR_VERSION, &major));
  EXPECT_EQ(version, CUSOLVER_VERSION);
  EXPECT_EQ(major, 11);
  EXPECT_EQ(cusolverGetProperty(MAJOR_VERSION, nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(cusolverDnLoggerSetCallback(nullptr));
  SOLVER_OK(cusolverDnLoggerSetFile(stderr));
  SOLVER_OK(cusolverDnLoggerSetLevel(0));
  SOLVER_OK(cusolverDnLoggerSetMask(0));
  EXPECT_EQ(cusolverDnLoggerSetLevel(9), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnLoggerOpenFile(nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(cusolverDnLoggerForceDisable());
  SOLVER_OK(cusolverDnDestroy(handle));
  EXPECT_EQ(cusolverDnDestroy(nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
  cudaStreamDestroy(stream);
}

} // namespace
