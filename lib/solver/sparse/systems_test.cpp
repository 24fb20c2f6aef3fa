// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse systems by SuiteSparse, permutations, and factors of a known pattern.
#include "solver/sparse/test_matrices.h"

#include <cusolverRf.h>

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

HEDDLE_FOUR(csrlsvluHost, cusolverSpScsrlsvluHost, cusolverSpDcsrlsvluHost, cusolverSpCcsrlsvluHost,
            cusolverSpZcsrlsvluHost)
HEDDLE_FOUR(csrlsvqr, cusolverSpScsrlsvqr, cusolverSpDcsrlsvqr, cusolverSpCcsrlsvqr,
            cusolverSpZcsrlsvqr)
HEDDLE_FOUR(csrlsvqrHost, cusolverSpScsrlsvqrHost, cusolverSpDcsrlsvqrHost, cusolverSpCcsrlsvqrHost,
            cusolverSpZcsrlsvqrHost)
HEDDLE_FOUR(csrlsvchol, cusolverSpScsrlsvchol, cusolverSpDcsrlsvchol, cusolverSpCcsrlsvchol,
            cusolverSpZcsrlsvchol)
HEDDLE_FOUR(csrlsvcholHost, cusolverSpScsrlsvcholHost, cusolverSpDcsrlsvcholHost,
            cusolverSpCcsrlsvcholHost, cusolverSpZcsrlsvcholHost)

TYPED_TEST_SUITE(SparseSystems, FourTypes);

TYPED_TEST(SparseSystems, AreSolved) {
  using T = TypeParam;
  Random random(1);
  const int n = 30;
  for (int base : {0, 1})
    for (int method = 0; method < 5; ++method) {
      cusparseSetMatIndexBase(this->descr, static_cast<cusparseIndexBase_t>(base));
      Matrix<T> m = sparse<T>(random, n, method >= 3), b = random.matrix<T>(n, 1);
      Csr<T> a(m, base);
      int nnz = a.nnz(), singularity = 7;
      auto call = [&](auto f, T *values, int *offsets, int *indices, T *right, T *x) {
        SOLVER_OK(f(this->handle, n, nnz, this->descr, api(values), offsets, indices, api(right),
                    Real<T>(1e-12), 1, api(x), &singularity));
      };
      Matrix<T> x(n, 1);
      if (method == 1 || method == 3) {
        DeviceArray<T> dv(a.values), db(b.values), dx(n);
        DeviceArray<int> dp(a.offsets), di(a.indices);
        if (method == 1)
          call(csrlsvqrOf<T>, dv.get(), dp.get(), di.get(), db.get(), dx.get());
        else
          call(csrlsvcholOf<T>, dv.get(), dp.get(), di.get(), db.get(), dx.get());
        x.values = dx.read();
      } else if (method == 0) {
        call(csrlsvluHostOf<T>, a.values.data(), a.offsets.data(), a.indices.data(),
             b.values.data(), x.values.data());
      } else if (method == 2) {
        call(csrlsvqrHostOf<T>, a.values.data(), a.offsets.data(), a.indices.data(),
             b.values.data(), x.values.data());
      } else {
        call(csrlsvcholHostOf<T>, a.values.data(), a.offsets.data(), a.indices.data(),
             b.values.data(), x.values.data());
      }
      EXPECT_EQ(singularity, -1);
      expectNear(m * x, b, 1000);
    }
}

TYPED_TEST(SparseSystems, TellWhereTheyAreSingular) {
  using T = TypeParam;
  Matrix<T> m = identity<T>(5), b(5, 1), x(5, 1);
  m(3, 3) = T(-1);
  Csr<T> a(m, 0);
  int singularity = -7;
  SOLVER_OK(csrlsvcholHostOf<T>(this->handle, 5, 5, this->descr, api(a.values.data()),
                                a.offsets.data(), a.indices.data(), api(b.values.data()),
                                Real<T>(1e-12), 0, api(x.values.data()), &singularity));
  EXPECT_GE(singularity, 0);
  a.values[3] = T(0);
  SOLVER_OK(csrlsvluHostOf<T>(this->handle, 5, 5, this->descr, api(a.values.data()),
                              a.offsets.data(), a.indices.data(), api(b.values.data()),
                              Real<T>(1e-12), 0, api(x.values.data()), &singularity));
  EXPECT_GE(singularity, 0);
  SOLVER_OK(csrlsvqrHostOf<T>(this->handle, 5, 5, this->descr, api(a.values.data()),
                              a.offsets.data(), a.indices.data(), api(b.values.data()),
                              Real<T>(1e-12), 0, api(x.values.data()), &singularity));
  EXPECT_EQ(singularity, 4);
  EXPECT_EQ(csrlsvluHostOf<T>(nullptr, 5, 5, this->descr, api(a.values.data()), a.offsets.data(),
                              a.indices.data(), api(b.values.data()), Real<T>(1e-12), 0,
                              api(x.values.data()), &singularity),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(csrlsvluHostOf<T>(this->handle, -5, 5, this->descr, api(a.values.data()),
                              a.offsets.data(), a.indices.data(), api(b.values.data()),
                              Real<T>(1e-12), 0, api(x.values.data()), &singularity),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST(Permutations, OfSparseMatrices) {
  cusolverSpHandle_t handle;
  cusparseMatDescr_t descr;
  SOLVER_OK(cusolverSpCreate(&handle));
  cudaStream_t stream, found = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  SOLVER_OK(cusolverSpSetStream(handle, stream));
  SOLVER_OK(cusolverSpGetStream(handle, &found));
  EXPECT_EQ(found, stream);
  ASSERT_EQ(cusparseCreateMatDescr(&descr), CUSPARSE_STATUS_SUCCESS);
  // A band whose rows have been shuffled gets narrow again.
  const int n = 40;
  Random random(2);
  std::vector<int> shuffled(n);
  for (int i = 0; i < n; ++i)
    shuffled[i] = i;
  for (int i = n - 1; i > 0; --i)
    std::swap(shuffled[i], shuffled[random.between(0, i)]);
  Matrix<double> m(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j)
      m(shuffled[i], shuffled[j]) = 1 + i + n * j;
  Csr<double> a(m, 0);
  int symmetric = 0;
  SOLVER_OK(cusolverSpXcsrissymHost(handle, n, a.nnz(), descr, a.offsets.data(),
                                    a.offsets.data() + 1, a.indices.data(), &symmetric));
  EXPECT_EQ(symmetric, 1);
  std::vector<int> p(n), map(a.nnz()), place(n);
  SOLVER_OK(cusolverSpXcsrsymrcmHost(handle, n, a.nnz(), descr, a.offsets.data(), a.indices.data(),
                                     p.data()));
  for (int i = 0; i < n; ++i)
    place[p[i]] = i;
  for (int k = 0; k < a.nnz(); ++k)
    map[k] = k;
  size_t bytes = 0;
  Csr<double> b = a;
  SOLVER_OK(cusolverSpXcsrperm_bufferSizeHost(handle, n, n, a.nnz(), descr, b.offsets.data(),
                                              b.indices.data(), p.data(), p.data(), &bytes));
  std::vector<char> buffer(bytes);
  SOLVER_OK(cusolverSpXcsrpermHost(handle, n, n, a.nnz(), descr, b.offsets.data(), b.indices.data(),
                                   p.data(), p.data(), map.data(), buffer.data()));
  for (int i = 0; i < n; ++i)
    for (int k = b.offsets[i]; k < b.offsets[i + 1]; ++k) {
      EXPECT_LE(std::abs(i - b.indices[k]), 1);
      EXPECT_EQ(a.values[map[k]], m(p[i], p[b.indices[k]]));
    }
  cusparseDestroyMatDescr(descr);
  SOLVER_OK(cusolverSpDestroy(handle));
  cudaStreamDestroy(stream);
}

TEST(Refactorisation, OfOnePattern) {
  Random random(3);
  const int n = 12;
  Matrix<double> m = sparse<double>(random, n, false), full(n, n);
  for (double &v : full.values)
    v = 1;
  // The factors' pattern: full triangles have room for every fill-in.
  Matrix<double> l = full, u = full;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      (j > i ? l : u)(i, j) = i == j ? 1 : 0;
  Csr<double> cl(l, 0), cu(u, 0), ca(m, 0);
  std::vector<int> p(n), q(n);
  for (int i = 0; i < n; ++i)
    p[i] = (i * 5 + 2) % n, q[i] = p[i];
  cusolverRfHandle_t handle;
  SOLVER_OK(cusolverRfCreate(&handle));
  EXPECT_EQ(cusolverRfRefactor(handle), CUSOLVER_STATUS_INVALID_VALUE);
  cusolverRfMatrixFormat_t format;
  cusolverRfUnitDiagonal_t unit;
  SOLVER_OK(cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                      CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  SOLVER_OK(cusolverRfGetMatrixFormat(handle, &format, &unit));
  EXPECT_EQ(unit, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
  EXPECT_EQ(cusolverRfSetMatrixFormat(handle, static_cast<cusolverRfMatrixFormat_t>(2),
                                      CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
            CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(
      cusolverRfSetAlgs(handle, CUSOLVERRF_FACTORIZATION_ALG1, CUSOLVERRF_TRIANGULAR_SOLVE_ALG2));
  cusolverRfFactorization_t factorization;
  cusolverRfTriangularSolve_t triangular;
  SOLVER_OK(cusolverRfGetAlgs(handle, &factorization, &triangular));
  EXPECT_EQ(triangular, CUSOLVERRF_TRIANGULAR_SOLVE_ALG2);
  double zero = -1, boost = -1;
  SOLVER_OK(cusolverRfSetNumericProperties(handle, 0, 2));
  SOLVER_OK(cusolverRfGetNumericProperties(handle, &zero, &boost));
  EXPECT_TRUE(zero == 0 && boost == 2);
  cusolverRfResetValuesFastMode_t fast;
  SOLVER_OK(cusolverRfSetResetValuesFastMode(handle, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
  SOLVER_OK(cusolverRfGetResetValuesFastMode(handle, &fast));
  EXPECT_EQ(fast, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
  DeviceArray<int> dp(p), dq(q), ao(ca.offsets), ai(ca.indices);
  DeviceArray<double> av(ca.values), temp(n);
  for (bool onDevice : {false, true}) {
    if (onDevice)
      SOLVER_OK(cusolverRfSetupDevice(n, ca.nnz(), ao.get(), ai.get(), av.get(), cl.nnz(),
                                      cl.offsets.data(), cl.indices.data(), cl.values.data(),
                                      cu.nnz(), cu.offsets.data(), cu.indices.data(),
                                      cu.values.data(), dp.get(), dq.get(), handle));
    else
      SOLVER_OK(cusolverRfSetupHost(
          n, ca.nnz(), ca.offsets.data(), ca.indices.data(), ca.values.data(), cl.nnz(),
          cl.offsets.data(), cl.indices.data(), cl.values.data(), cu.nnz(), cu.offsets.data(),
          cu.indices.data(), cu.values.data(), p.data(), q.data(), handle));
    SOLVER_OK(cusolverRfAnalyze(handle));
    for (double times : {1.0, 3.0}) {
      std::vector<double> values = ca.values;
      for (double &v : values)
        v *= times;
      DeviceArray<double> dv(values);
      Matrix<double> b = random.matrix<double>(n, 2);
      DeviceArray<double> x(b.values);
      SOLVER_OK(cusolverRfResetValues(n, ca.nnz(), ao.get(), ai.get(), dv.get(), dp.get(), dq.get(),
                                      handle));
      SOLVER_OK(cusolverRfRefactor(handle));
      SOLVER_OK(cusolverRfSolve(handle, dp.get(), dq.get(), 2, temp.get(), n, x.get(), n));
      Matrix<double> solution = b.with(x.read());
      for (double &v : solution.values)
        v *= times;
      expectNear(m * solution, b, 1000);
      cusolverRfNumericBoostReport_t report;
      SOLVER_OK(cusolverRfGetNumericBoostReport(handle, &report));
      EXPECT_EQ(report, CUSOLVERRF_NUMERIC_BOOST_NOT_USED);
    }
  }
  SOLVER_OK(cusolverRfDestroy(handle));
}

} // namespace
