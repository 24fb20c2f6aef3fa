// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Singular values and eigenvalues in the four types: what the factors must satisfy.
#include "solver/test_support.h"

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

HEDDLE_FOUR(gesvd_bufferSize, cusolverDnSgesvd_bufferSize, cusolverDnDgesvd_bufferSize,
            cusolverDnCgesvd_bufferSize, cusolverDnZgesvd_bufferSize)
HEDDLE_FOUR(gesvd, cusolverDnSgesvd, cusolverDnDgesvd, cusolverDnCgesvd, cusolverDnZgesvd)
HEDDLE_FOUR(gesvdj_bufferSize, cusolverDnSgesvdj_bufferSize, cusolverDnDgesvdj_bufferSize,
            cusolverDnCgesvdj_bufferSize, cusolverDnZgesvdj_bufferSize)
HEDDLE_FOUR(gesvdj, cusolverDnSgesvdj, cusolverDnDgesvdj, cusolverDnCgesvdj, cusolverDnZgesvdj)
HEDDLE_FOUR(gesvdjBatched_bufferSize, cusolverDnSgesvdjBatched_bufferSize,
            cusolverDnDgesvdjBatched_bufferSize, cusolverDnCgesvdjBatched_bufferSize,
            cusolverDnZgesvdjBatched_bufferSize)
HEDDLE_FOUR(gesvdjBatched, cusolverDnSgesvdjBatched, cusolverDnDgesvdjBatched,
            cusolverDnCgesvdjBatched, cusolverDnZgesvdjBatched)
HEDDLE_FOUR(gesvdaStridedBatched_bufferSize, cusolverDnSgesvdaStridedBatched_bufferSize,
            cusolverDnDgesvdaStridedBatched_bufferSize, cusolverDnCgesvdaStridedBatched_bufferSize,
            cusolverDnZgesvdaStridedBatched_bufferSize)
HEDDLE_FOUR(gesvdaStridedBatched, cusolverDnSgesvdaStridedBatched, cusolverDnDgesvdaStridedBatched,
            cusolverDnCgesvdaStridedBatched, cusolverDnZgesvdaStridedBatched)
HEDDLE_FOUR(gebrd_bufferSize, cusolverDnSgebrd_bufferSize, cusolverDnDgebrd_bufferSize,
            cusolverDnCgebrd_bufferSize, cusolverDnZgebrd_bufferSize)
HEDDLE_FOUR(gebrd, cusolverDnSgebrd, cusolverDnDgebrd, cusolverDnCgebrd, cusolverDnZgebrd)
HEDDLE_FOUR(orgbr_bufferSize, cusolverDnSorgbr_bufferSize, cusolverDnDorgbr_bufferSize,
            cusolverDnCungbr_bufferSize, cusolverDnZungbr_bufferSize)
HEDDLE_FOUR(orgbr, cusolverDnSorgbr, cusolverDnDorgbr, cusolverDnCungbr, cusolverDnZungbr)
HEDDLE_FOUR(syevj_bufferSize, cusolverDnSsyevj_bufferSize, cusolverDnDsyevj_bufferSize,
            cusolverDnCheevj_bufferSize, cusolverDnZheevj_bufferSize)
HEDDLE_FOUR(syevj, cusolverDnSsyevj, cusolverDnDsyevj, cusolverDnCheevj, cusolverDnZheevj)
HEDDLE_FOUR(syevd_bufferSize, cusolverDnSsyevd_bufferSize, cusolverDnDsyevd_bufferSize,
            cusolverDnCheevd_bufferSize, cusolverDnZheevd_bufferSize)
HEDDLE_FOUR(syevd, cusolverDnSsyevd, cusolverDnDsyevd, cusolverDnCheevd, cusolverDnZheevd)
HEDDLE_FOUR(syevdx_bufferSize, cusolverDnSsyevdx_bufferSize, cusolverDnDsyevdx_bufferSize,
            cusolverDnCheevdx_bufferSize, cusolverDnZheevdx_bufferSize)
HEDDLE_FOUR(syevdx, cusolverDnSsyevdx, cusolverDnDsyevdx, cusolverDnCheevdx, cusolverDnZheevdx)
HEDDLE_FOUR(syevjBatched_bufferSize, cusolverDnSsyevjBatched_bufferSize,
            cusolverDnDsyevjBatched_bufferSize, cusolverDnCheevjBatched_bufferSize,
            cusolverDnZheevjBatched_bufferSize)
HEDDLE_FOUR(syevjBatched, cusolverDnSsyevjBatched, cusolverDnDsyevjBatched, cusolverDnCheevjBatched,
            cusolverDnZheevjBatched)
HEDDLE_FOUR(sygvd_bufferSize, cusolverDnSsygvd_bufferSize, cusolverDnDsygvd_bufferSize,
            cusolverDnChegvd_bufferSize, cusolverDnZhegvd_bufferSize)
HEDDLE_FOUR(sygvd, cusolverDnSsygvd, cusolverDnDsygvd, cusolverDnChegvd, cusolverDnZhegvd)
HEDDLE_FOUR(sygvj_bufferSize, cusolverDnSsygvj_bufferSize, cusolverDnDsygvj_bufferSize,
            cusolverDnChegvj_bufferSize, cusolverDnZhegvj_bufferSize)
HEDDLE_FOUR(sygvj, cusolverDnSsygvj, cusolverDnDsygvj, cusolverDnChegvj, cusolverDnZhegvj)
HEDDLE_FOUR(sygvdx_bufferSize, cusolverDnSsygvdx_bufferSize, cusolverDnDsygvdx_bufferSize,
            cusolverDnChegvdx_bufferSize, cusolverDnZhegvdx_bufferSize)
HEDDLE_FOUR(sygvdx, cusolverDnSsygvdx, cusolverDnDsygvdx, cusolverDnChegvdx, cusolverDnZhegvdx)
HEDDLE_FOUR(sytrd_bufferSize, cusolverDnSsytrd_bufferSize, cusolverDnDsytrd_bufferSize,
            cusolverDnChetrd_bufferSize, cusolverDnZhetrd_bufferSize)
HEDDLE_FOUR(sytrd, cusolverDnSsytrd, cusolverDnDsytrd, cusolverDnChetrd, cusolverDnZhetrd)
HEDDLE_FOUR(ormtr_bufferSize, cusolverDnSormtr_bufferSize, cusolverDnDormtr_bufferSize,
            cusolverDnCunmtr_bufferSize, cusolverDnZunmtr_bufferSize)
HEDDLE_FOUR(ormtr, cusolverDnSormtr, cusolverDnDormtr, cusolverDnCunmtr, cusolverDnZunmtr)
HEDDLE_FOUR(orgtr_bufferSize, cusolverDnSorgtr_bufferSize, cusolverDnDorgtr_bufferSize,
            cusolverDnCungtr_bufferSize, cusolverDnZungtr_bufferSize)
HEDDLE_FOUR(orgtr, cusolverDnSorgtr, cusolverDnDorgtr, cusolverDnCungtr, cusolverDnZungtr)

template <typename T> struct Values : Dense<T> {
  using R = Real<T>;
  DeviceArray<T> work{1};
  DeviceArray<R> rwork{1};
  DeviceArray<int> info{std::vector<int>{-9}};
  int lwork = 0;
};
TYPED_TEST_SUITE(Values, FourTypes);

template <typename T> Matrix<T> diagonal(const std::vector<Real<T>> &values, int rows, int cols) {
  Matrix<T> m(rows, cols);
  for (int i = 0; i < std::min(rows, cols); ++i)
    m(i, i) = T(values[i]);
  return m;
}

TYPED_TEST(Values, Singular) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(1);
  for (auto [m, n] : {std::pair(20, 9), std::pair(13, 13), std::pair(1, 1)}) {
    Matrix<T> a = random.matrix<T>(m, n, 2);
    DeviceArray<T> da(a.values), u(m * m), vt(n * n);
    DeviceArray<R> s(n);
    SOLVER_OK(gesvd_bufferSizeOf<T>(this->handle, m, n, &this->lwork));
    SOLVER_OK(gesvdOf<T>(this->handle, 'A', 'A', m, n, api(da.get()), a.ld, s.get(), api(u.get()),
                         m, api(vt.get()), n, api(this->work.get()), this->lwork, this->rwork.get(),
                         this->info.get()));
    EXPECT_EQ(this->info.read()[0], 0);
    Matrix<T> U = Matrix<T>(m, m).with(u.read()), VT = Matrix<T>(n, n).with(vt.read());
    expectNear(U * diagonal<T>(s.read(), m, n) * VT, a.part(m, n), 200.0 * m);
    expectNear(U.adjoint() * U, identity<T>(m), 100.0 * m);
    EXPECT_EQ(gesvdOf<T>(this->handle, 'A', 'A', n, m + 1, api(da.get()), a.ld, s.get(),
                         api(u.get()), m, api(vt.get()), n, api(this->work.get()), this->lwork,
                         this->rwork.get(), this->info.get()),
              CUSOLVER_STATUS_INVALID_VALUE);
  }
}

TYPED_TEST(Values, SingularByJacobi) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(2);
  gesvdjInfo_t params;
  SOLVER_OK(cusolverDnCreateGesvdjInfo(&params));
  SOLVER_OK(cusolverDnXgesvdjSetTolerance(params, 1e-7));
  SOLVER_OK(cusolverDnXgesvdjSetMaxSweeps(params, 15));
  SOLVER_OK(cusolverDnXgesvdjSetSortEig(params, 1));
  for (auto [m, n] : {std::pair(20, 9), std::pair(9, 20)})
    for (int econ : {0, 1}) {
      int few = std::min(m, n), cu = econ ? few : m, cv = econ ? few : n;
      Matrix<T> a = random.matrix<T>(m, n, 1);
      DeviceArray<T> da(a.values), u(m * cu), v(n * cv);
      DeviceArray<R> s(few);
      SOLVER_OK(gesvdj_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n,
                                       api(da.get()), a.ld, s.get(), api(u.get()), m, api(v.get()),
                                       n, &this->lwork, params));
      SOLVER_OK(gesvdjOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, api(da.get()), a.ld,
                            s.get(), api(u.get()), m, api(v.get()), n, api(this->work.get()),
                            this->lwork, this->info.get(), params));
      EXPECT_EQ(this->info.read()[0], 0);
      Matrix<T> U = Matrix<T>(m, cu).with(u.read()), V = Matrix<T>(n, cv).with(v.read());
      expectNear(U * diagonal<T>(s.read(), cu, cv) * V.adjoint(), a.part(m, n), 500);
      double residual = -1;
      int sweeps = 0;
      SOLVER_OK(cusolverDnXgesvdjGetResidual(this->handle, params, &residual));
      SOLVER_OK(cusolverDnXgesvdjGetSweeps(this->handle, params, &sweeps));
      EXPECT_LE(residual, 1e4 * std::numeric_limits<R>::epsilon());
      EXPECT_GE(residual, 0);
      EXPECT_EQ(sweeps, 1);
    }
  const int m = 7, n = 5, count = 9;
  Matrix<T> all = random.matrix<T>(m, n * count);
  DeviceArray<T> da(all.values), u(m * m * count), v(n * n * count);
  DeviceArray<R> s(n * count);
  DeviceArray<int> infos(count);
  SOLVER_OK(gesvdjBatched_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, m, n,
                                          api(da.get()), m, s.get(), api(u.get()), m, api(v.get()),
                                          n, &this->lwork, params, count));
  SOLVER_OK(gesvdjBatchedOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, m, n, api(da.get()), m,
                               s.get(), api(u.get()), m, api(v.get()), n, api(this->work.get()),
                               this->lwork, infos.get(), params, count));
  std::vector<T> us = u.read(), vs = v.read();
  std::vector<R> ss = s.read();
  // The same by the form of strides, whose rank may be lower.
  DeviceArray<T> db(all.values), u2(m * 2 * count), v2(n * 2 * count);
  DeviceArray<R> s2(2 * count);
  std::vector<double> rest(count, -1);
  SOLVER_OK(gesvdaStridedBatched_bufferSizeOf<T>(
      this->handle, CUSOLVER_EIG_MODE_VECTOR, 2, m, n, api(db.get()), m, m * n, s2.get(), 2,
      api(u2.get()), m, m * 2, api(v2.get()), n, n * 2, &this->lwork, count));
  SOLVER_OK(gesvdaStridedBatchedOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, 2, m, n,
                                      api(db.get()), m, m * n, s2.get(), 2, api(u2.get()), m, m * 2,
                                      api(v2.get()), n, n * 2, api(this->work.get()), this->lwork,
                                      infos.get(), rest.data(), count));
  std::vector<R> ss2 = s2.read();
  for (int i = 0; i < count; ++i) {
    auto cut = [&](const std::vector<T> &from, int size) {
      return std::vector<T>(from.begin() + i * size, from.begin() + (i + 1) * size);
    };
    Matrix<T> U = Matrix<T>(m, m).with(cut(us, m * m)), V = Matrix<T>(n, n).with(cut(vs, n * n));
    std::vector<R> si(ss.begin() + i * n, ss.begin() + (i + 1) * n);
    expectNear(U * diagonal<T>(si, m, n) * V.adjoint(),
               Matrix<T>(m, n).with(cut(all.values, m * n)), 500);
    EXPECT_NEAR(ss2[2 * i], si[0], 1e-4);
    double expected = 0;
    for (int j = 2; j < n; ++j)
      expected += double(si[j]) * si[j];
    EXPECT_NEAR(rest[i], std::sqrt(expected), 1e-4);
  }
  SOLVER_OK(cusolverDnDestroyGesvdjInfo(params));
}

TYPED_TEST(Values, TwoDiagonals) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(3);
  const int m = 14, n = 8;
  Matrix<T> a = random.matrix<T>(m, n);
  DeviceArray<T> da(a.values), tauq(n), taup(n);
  DeviceArray<R> d(n), e(n);
  SOLVER_OK(gebrd_bufferSizeOf<T>(this->handle, m, n, &this->lwork));
  SOLVER_OK(gebrdOf<T>(this->handle, m, n, api(da.get()), m, d.get(), e.get(), api(tauq.get()),
                       api(taup.get()), api(this->work.get()), this->lwork, this->info.get()));
  DeviceArray<T> dp(Matrix<T>(m, n).with(da.read()).part(n, n).values);
  SOLVER_OK(orgbr_bufferSizeOf<T>(this->handle, CUBLAS_SIDE_LEFT, m, n, n, api(da.get()), m,
                                  api(tauq.get()), &this->lwork));
  SOLVER_OK(orgbrOf<T>(this->handle, CUBLAS_SIDE_LEFT, m, n, n, api(da.get()), m, api(tauq.get()),
                       api(this->work.get()), this->lwork, this->info.get()));
  SOLVER_OK(orgbrOf<T>(this->handle, CUBLAS_SIDE_RIGHT, n, n, m, api(dp.get()), n, api(taup.get()),
                       api(this->work.get()), this->lwork, this->info.get()));
  Matrix<T> q = a.with(da.read()), p = Matrix<T>(n, n).with(dp.read()),
            b = diagonal<T>(d.read(), n, n);
  std::vector<R> es = e.read();
  for (int i = 0; i + 1 < n; ++i)
    b(i, i + 1) = T(es[i]);
  expectNear(q * b * p, a, 500);
}

TYPED_TEST(Values, Eigen) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(4);
  syevjInfo_t params;
  SOLVER_OK(cusolverDnCreateSyevjInfo(&params));
  SOLVER_OK(cusolverDnXsyevjSetTolerance(params, 1e-7));
  SOLVER_OK(cusolverDnXsyevjSetMaxSweeps(params, 15));
  SOLVER_OK(cusolverDnXsyevjSetSortEig(params, 1));
  for (int n : {1, 6, 25})
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (bool jacobi : {false, true}) {
        Matrix<T> a = random.positive<T>(n, 1);
        DeviceArray<T> da(a.values);
        DeviceArray<R> w(n);
        if (jacobi) {
          SOLVER_OK(syevj_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n,
                                          api(da.get()), a.ld, w.get(), &this->lwork, params));
          SOLVER_OK(syevjOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, api(da.get()), a.ld,
                               w.get(), api(this->work.get()), this->lwork, this->info.get(),
                               params));
          double residual = -1;
          int sweeps = 0;
          SOLVER_OK(cusolverDnXsyevjGetResidual(this->handle, params, &residual));
          SOLVER_OK(cusolverDnXsyevjGetSweeps(this->handle, params, &sweeps));
          EXPECT_LE(residual, 1e5 * std::numeric_limits<R>::epsilon());
        } else {
          SOLVER_OK(syevd_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n,
                                          api(da.get()), a.ld, w.get(), &this->lwork));
          SOLVER_OK(syevdOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, uplo, n, api(da.get()), a.ld,
                               w.get(), api(this->work.get()), this->lwork, this->info.get()));
        }
        EXPECT_EQ(this->info.read()[0], 0);
        Matrix<T> v = a.with(da.read()).part(n, n);
        std::vector<R> values = w.read();
        EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
        expectNear(v * diagonal<T>(values, n, n) * v.adjoint(), a.part(n, n), 200.0 * n);
        // Some of them
        if (n < 6)
          continue;
        DeviceArray<T> db(a.values);
        DeviceArray<R> w2(n);
        int found = 0;
        SOLVER_OK(syevdx_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR,
                                         CUSOLVER_EIG_RANGE_I, uplo, n, api(db.get()), a.ld, R(0),
                                         R(0), 2, 4, &found, w2.get(), &this->lwork));
        SOLVER_OK(syevdxOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, uplo, n,
                              api(db.get()), a.ld, R(0), R(0), 2, 4, &found, w2.get(),
                              api(this->work.get()), this->lwork, this->info.get()));
        ASSERT_EQ(found, 3);
        std::vector<R> some = w2.read();
        for (int i = 0; i < 3; ++i)
          EXPECT_NEAR(some[i], values[i + 1], 1e-3 * n);
        Matrix<T> x = a.with(db.read()).part(n, 3);
        expectNear(a.part(n, n) * x, x * diagonal<T>(some, 3, 3), 300.0 * n);
      }
  const int n = 6, count = 7;
  std::vector<T> all;
  std::vector<Matrix<T>> as;
  for (int i = 0; i < count; ++i) {
    as.push_back(random.positive<T>(n));
    all.insert(all.end(), as[i].values.begin(), as[i].values.end());
  }
  DeviceArray<T> da(all);
  DeviceArray<R> w(n * count);
  DeviceArray<int> infos(count);
  SOLVER_OK(syevjBatched_bufferSizeOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR,
                                         CUBLAS_FILL_MODE_LOWER, n, api(da.get()), n, w.get(),
                                         &this->lwork, params, count));
  SOLVER_OK(syevjBatchedOf<T>(this->handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                              api(da.get()), n, w.get(), api(this->work.get()), this->lwork,
                              infos.get(), params, count));
  std::vector<T> vs = da.read();
  std::vector<R> ws = w.read();
  for (int i = 0; i < count; ++i) {
    Matrix<T> v =
        Matrix<T>(n, n).with(std::vector<T>(vs.begin() + i * n * n, vs.begin() + (i + 1) * n * n));
    expectNear(v * diagonal<T>(std::vector<R>(ws.begin() + i * n, ws.begin() + (i + 1) * n), n, n) *
                   v.adjoint(),
               as[i], 500);
  }
  SOLVER_OK(cusolverDnDestroySyevjInfo(params));
}

TYPED_TEST(Values, EigenOfTwoMatrices) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(5);
  const int n = 12;
  syevjInfo_t params;
  SOLVER_OK(cusolverDnCreateSyevjInfo(&params));
  for (cusolverEigType_t type : {CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3})
    for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
      for (int form : {0, 1, 2}) {
        Matrix<T> a = random.positive<T>(n), b = random.positive<T>(n);
        DeviceArray<T> da(a.values), db(b.values);
        DeviceArray<R> w(n);
        int found = n;
        if (form == 0) {
          SOLVER_OK(sygvd_bufferSizeOf<T>(this->handle, type, CUSOLVER_EIG_MODE_VECTOR, uplo, n,
                                          api(da.get()), n, api(db.get()), n, w.get(),
                                          &this->lwork));
          SOLVER_OK(sygvdOf<T>(this->handle, type, CUSOLVER_EIG_MODE_VECTOR, uplo, n, api(da.get()),
                               n, api(db.get()), n, w.get(), api(this->work.get()), this->lwork,
                               this->info.get()));
        } else if (form == 1) {
          SOLVER_OK(sygvj_bufferSizeOf<T>(this->handle, type, CUSOLVER_EIG_MODE_VECTOR, uplo, n,
                                          api(da.get()), n, api(db.get()), n, w.get(), &this->lwork,
                                          params));
          SOLVER_OK(sygvjOf<T>(this->handle, type, CUSOLVER_EIG_MODE_VECTOR, uplo, n, api(da.get()),
                               n, api(db.get()), n, w.get(), api(this->work.get()), this->lwork,
                               this->info.get(), params));
        } else {
          SOLVER_OK(sygvdx_bufferSizeOf<T>(
              this->handle, type, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, uplo, n,
              api(da.get()), n, api(db.get()), n, R(0), R(0), 3, 5, &found, w.get(), &this->lwork));
          SOLVER_OK(sygvdxOf<T>(this->handle, type, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I,
                                uplo, n, api(da.get()), n, api(db.get()), n, R(0), R(0), 3, 5,
                                &found, w.get(), api(this->work.get()), this->lwork,
                                this->info.get()));
          EXPECT_EQ(found, 3);
        }
        EXPECT_EQ(this->info.read()[0], 0);
        Matrix<T> x = Matrix<T>(n, n).with(da.read()).part(n, found),
                  d = diagonal<T>(w.read(), found, found);
        if (type == CUSOLVER_EIG_TYPE_1)
          expectNear(a * x, b * x * d, 20000);
        else if (type == CUSOLVER_EIG_TYPE_2)
          expectNear(a * (b * x), x * d, 20000);
        else
          expectNear(b * (a * x), x * d, 20000);
      }
  SOLVER_OK(cusolverDnDestroySyevjInfo(params));
}

TYPED_TEST(Values, ThreeDiagonals) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(6);
  const int n = 15;
  for (cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    Matrix<T> a = random.positive<T>(n), c = random.matrix<T>(n, 3);
    DeviceArray<T> da(a.values), tau(n), dc(c.values);
    DeviceArray<R> d(n), e(n);
    SOLVER_OK(sytrd_bufferSizeOf<T>(this->handle, uplo, n, api(da.get()), n, d.get(), e.get(),
                                    api(tau.get()), &this->lwork));
    SOLVER_OK(sytrdOf<T>(this->handle, uplo, n, api(da.get()), n, d.get(), e.get(), api(tau.get()),
                         api(this->work.get()), this->lwork, this->info.get()));
    SOLVER_OK(ormtr_bufferSizeOf<T>(this->handle, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, n, 3,
                                    api(da.get()), n, api(tau.get()), api(dc.get()), n,
                                    &this->lwork));
    SOLVER_OK(ormtrOf<T>(this->handle, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, n, 3, api(da.get()), n,
                         api(tau.get()), api(dc.get()), n, api(this->work.get()), this->lwork,
                         this->info.get()));
    SOLVER_OK(orgtr_bufferSizeOf<T>(this->handle, uplo, n, api(da.get()), n, api(tau.get()),
                                    &this->lwork));
    SOLVER_OK(orgtrOf<T>(this->handle, uplo, n, api(da.get()), n, api(tau.get()),
                         api(this->work.get()), this->lwork, this->info.get()));
    Matrix<T> q = a.with(da.read()), t = diagonal<T>(d.read(), n, n);
    std::vector<R> es = e.read();
    for (int i = 0; i + 1 < n; ++i)
      t(i, i + 1) = t(i + 1, i) = T(es[i]);
    expectNear(q * t * q.adjoint(), a, 1000);
    expectNear(q * c, c.with(dc.read()), 1000);
  }
}

} // namespace
