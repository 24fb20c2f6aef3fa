// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse least squares, batches, eigenvalues and orders, and batches of refactorisations.
#include "solver/test_support.h"

#include <cusolverRf.h>
#include <cusolverSp.h>

#include <cstdlib>
#include <numeric>

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

HEDDLE_FOUR(csrlsqvqrHost, cusolverSpScsrlsqvqrHost, cusolverSpDcsrlsqvqrHost,
            cusolverSpCcsrlsqvqrHost, cusolverSpZcsrlsqvqrHost)
HEDDLE_FOUR(csreigvsiHost, cusolverSpScsreigvsiHost, cusolverSpDcsreigvsiHost,
            cusolverSpCcsreigvsiHost, cusolverSpZcsreigvsiHost)
HEDDLE_FOUR(csreigvsi, cusolverSpScsreigvsi, cusolverSpDcsreigvsi, cusolverSpCcsreigvsi,
            cusolverSpZcsreigvsi)
HEDDLE_FOUR(csrzfdHost, cusolverSpScsrzfdHost, cusolverSpDcsrzfdHost, cusolverSpCcsrzfdHost,
            cusolverSpZcsrzfdHost)
HEDDLE_FOUR(csrqrBufferInfoBatched, cusolverSpScsrqrBufferInfoBatched,
            cusolverSpDcsrqrBufferInfoBatched, cusolverSpCcsrqrBufferInfoBatched,
            cusolverSpZcsrqrBufferInfoBatched)
HEDDLE_FOUR(csrqrsvBatched, cusolverSpScsrqrsvBatched, cusolverSpDcsrqrsvBatched,
            cusolverSpCcsrqrsvBatched, cusolverSpZcsrqrsvBatched)

template <typename T> struct Csr {
  std::vector<int> offsets, indices;
  std::vector<T> values;

  Csr(const Matrix<T> &m, int base) : offsets{base} {
    for (int i = 0; i < m.rows; ++i) {
      for (int j = 0; j < m.cols; ++j)
        if (m(i, j) != T(0))
          indices.push_back(j + base), values.push_back(m(i, j));
      offsets.push_back(static_cast<int>(indices.size()) + base);
    }
  }
  int nnz() const { return static_cast<int>(values.size()); }
};

template <typename T> struct SparseValues : testing::Test {
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t descr = nullptr;
  void SetUp() override {
    SOLVER_OK(cusolverSpCreate(&handle));
    ASSERT_EQ(cusparseCreateMatDescr(&descr), CUSPARSE_STATUS_SUCCESS);
  }
  void TearDown() override {
    SOLVER_OK(cusolverSpDestroy(handle));
    cusparseDestroyMatDescr(descr);
  }
};
TYPED_TEST_SUITE(SparseValues, FourTypes);

/// A matrix with holes whose first rows are those of a multiple of one, and so of full rank.
template <typename T> Matrix<T> tall(Random &random, int m, int n) {
  Matrix<T> a(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      a(i, j) = i == j ? T(Real<T>(n)) : random.between(0, 3) == 0 ? random.value<T>() : T(0);
  return a;
}

TYPED_TEST(SparseValues, LeastSquares) {
  using T = TypeParam;
  Random random(1);
  for (int base : {0, 1})
    for (bool full : {true, false}) {
      const int m = 25, n = 14;
      cusparseSetMatIndexBase(this->descr, static_cast<cusparseIndexBase_t>(base));
      Matrix<T> a = tall<T>(random, m, n), b = random.matrix<T>(m, 1), x(n, 1);
      for (int i = 0; !full && i < m; ++i)
        a(i, 3) = T(2) * a(i, 5); // a column that another one determines
      Csr<T> csr(a, base);
      int rank = -1;
      std::vector<int> p(n);
      Real<T> norm = -1;
      SOLVER_OK(csrlsqvqrHostOf<T>(this->handle, m, n, csr.nnz(), this->descr,
                                   api(csr.values.data()), csr.offsets.data(), csr.indices.data(),
                                   api(b.values.data()), Real<T>(1e-5), &rank, api(x.values.data()),
                                   p.data(), &norm));
      EXPECT_EQ(rank, full ? n : n - 1);
      Matrix<T> rest = a * x;
      double size = 0;
      for (int i = 0; i < m; ++i) {
        rest(i, 0) -= b(i, 0);
        size += std::norm(rest(i, 0));
      }
      EXPECT_NEAR(norm, std::sqrt(size), 1e-4);
      expectNear(a.adjoint() * rest, Matrix<T>(n, 1), 2000);
      std::vector<int> sorted = p, all(n);
      std::sort(sorted.begin(), sorted.end());
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(sorted, all); // each column once
    }
}

TYPED_TEST(SparseValues, Batches) {
  using T = TypeParam;
  Random random(2);
  const int m = 18, n = 12, count = 4;
  Matrix<T> pattern = tall<T>(random, m, n);
  Csr<T> csr(pattern, 0);
  int nnz = csr.nnz();
  std::vector<T> values;
  std::vector<Matrix<T>> matrices;
  for (int i = 0; i < count; ++i) {
    Matrix<T> a = pattern;
    for (T &v : a.values)
      if (v != T(0) && v != T(Real<T>(n)))
        v = random.value<T>();
    matrices.push_back(a);
    Csr<T> own(a, 0);
    values.insert(values.end(), own.values.begin(), own.values.end());
  }
  Matrix<T> b = random.matrix<T>(m, count);
  DeviceArray<T> dv(values), db(b.values), dx(size_t(n) * count);
  DeviceArray<int> offsets(csr.offsets), indices(csr.indices);
  csrqrInfo_t info = nullptr;
  SOLVER_OK(cusolverSpCreateCsrqrInfo(&info));
  auto solve = [&](int rows) {
    return csrqrsvBatchedOf<T>(this->handle, rows, n, nnz, this->descr, api(dv.get()),
                               offsets.get(), indices.get(), api(db.get()), api(dx.get()), count,
                               info, nullptr);
  };
  EXPECT_EQ(solve(m), CUSOLVER_STATUS_INVALID_VALUE); // not analysed
  SOLVER_OK(cusolverSpXcsrqrAnalysisBatched(this->handle, m, n, nnz, this->descr, offsets.get(),
                                            indices.get(), info));
  size_t internal = 0, workspace = 0;
  SOLVER_OK(csrqrBufferInfoBatchedOf<T>(this->handle, m, n, nnz, this->descr, api(dv.get()),
                                        offsets.get(), indices.get(), count, info, &internal,
                                        &workspace));
  SOLVER_OK(solve(m));
  EXPECT_EQ(solve(m + 1), CUSOLVER_STATUS_INVALID_VALUE);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<T> solutions = dx.read();
  for (int i = 0; i < count; ++i) {
    Matrix<T> x(n, 1), rest(m, 1);
    std::copy_n(solutions.begin() + i * n, n, x.values.begin());
    rest = matrices[i] * x;
    for (int r = 0; r < m; ++r)
      rest(r, 0) -= b(r, i);
    expectNear(matrices[i].adjoint() * rest, Matrix<T>(n, 1), 2000);
  }
  SOLVER_OK(cusolverSpDestroyCsrqrInfo(info));
}

TYPED_TEST(SparseValues, EigenvalueNearANumber) {
  using T = TypeParam;
  Random random(3);
  const int n = 16;
  // Hermitian, with eigenvalues near 10, 20, 30, ...
  Matrix<T> a(n, n);
  for (int i = 0; i < n; ++i) {
    a(i, i) = T(Real<T>(10 * (i + 1)));
    for (int j = 0; j < i; ++j)
      if (random.between(0, 2) == 0) {
        a(i, j) = random.value<T>();
        a(j, i) = conjugate(a(i, j));
      }
  }
  Csr<T> csr(a, 0);
  Matrix<T> start(n, 1), x(n, 1);
  for (int i = 0; i < n; ++i)
    start(i, 0) = T(1);
  auto expect = [&](T mu) {
    EXPECT_NEAR(std::abs(mu), 50, 8);
    Matrix<T> left = a * x, right = x;
    for (int i = 0; i < n; ++i)
      right(i, 0) *= mu;
    // The vector is as exact as the root of the tolerance.
    expectNear(left, right, std::is_same_v<Real<T>, float> ? 1e4 : 1e9);
  };
  T mu0(Real<T>(51)), mu(0);
  Api<T> near = *api(&mu0);
  Real<T> tolerance = std::is_same_v<Real<T>, float> ? Real<T>(1e-4) : Real<T>(1e-10);
  SOLVER_OK(csreigvsiHostOf<T>(this->handle, n, csr.nnz(), this->descr, api(csr.values.data()),
                               csr.offsets.data(), csr.indices.data(), near,
                               api(start.values.data()), 100, tolerance, api(&mu),
                               api(x.values.data())));
  expect(mu);
  DeviceArray<T> dv(csr.values), ds(start.values), dx(n), dm(1);
  DeviceArray<int> offsets(csr.offsets), indices(csr.indices);
  SOLVER_OK(csreigvsiOf<T>(this->handle, n, csr.nnz(), this->descr, api(dv.get()), offsets.get(),
                           indices.get(), near, api(ds.get()), 100, tolerance, api(dm.get()),
                           api(dx.get())));
  x.values = dx.read();
  expect(dm.read()[0]);
}

TYPED_TEST(SparseValues, ZeroFreeDiagonal) {
  using T = TypeParam;
  Random random(4);
  const int n = 20;
  for (bool full : {true, false}) {
    // A hidden permutation with an element for each column, but for the last one if not full, and
    // others around.
    Matrix<T> a(n, n);
    for (int j = 0; j < n; ++j) {
      a((j * 7 + 3) % n, j) = T(1);
      for (int k = 0; k < 2; ++k)
        a(random.between(0, n - 1), j) = T(2);
    }
    for (int i = 0; !full && i < n; ++i)
      a(i, n - 1) = T(0);
    Csr<T> csr(a, 0);
    std::vector<int> p(n);
    int count = 0;
    SOLVER_OK(csrzfdHostOf<T>(this->handle, n, csr.nnz(), this->descr, api(csr.values.data()),
                              csr.offsets.data(), csr.indices.data(), p.data(), &count));
    EXPECT_EQ(count, full ? n : n - 1);
    int onDiagonal = 0;
    std::vector<bool> taken(n);
    for (int j = 0; j < n; ++j) {
      onDiagonal += a(p[j], j) != T(0);
      EXPECT_FALSE(taken[p[j]]);
      taken[p[j]] = true;
    }
    EXPECT_EQ(onDiagonal, count);
  }
}

/// Elements below the diagonal that Cholesky's factor has beyond the matrix's, for rows in this
/// order.
int fillOf(const Matrix<double> &m, const std::vector<int> &order) {
  int n = m.rows, fill = 0;
  std::vector<std::vector<bool>> has(n, std::vector<bool>(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      has[i][j] = m(order[i], order[j]) != 0;
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < i; ++j)
        if (has[i][k] && has[j][k] && !has[i][j])
          has[i][j] = has[j][i] = true, ++fill;
  return fill;
}

TEST(SparseOrders, HaveLittleFill) {
  // A star whose centre comes first: any order that has it late has no fill.
  const int n = 40;
  Matrix<double> m(n, n);
  std::vector<int> identity(n), p(n);
  std::iota(identity.begin(), identity.end(), 0);
  for (int i = 0; i < n; ++i)
    m(i, i) = 1, m(0, i) = m(i, 0) = 1;
  Csr<double> a(m, 1);
  cusolverSpHandle_t handle;
  cusparseMatDescr_t descr;
  SOLVER_OK(cusolverSpCreate(&handle));
  ASSERT_EQ(cusparseCreateMatDescr(&descr), CUSPARSE_STATUS_SUCCESS);
  cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE);
  EXPECT_GT(fillOf(m, identity), 700);
  SOLVER_OK(cusolverSpXcsrsymamdHost(handle, n, a.nnz(), descr, a.offsets.data(), a.indices.data(),
                                     p.data()));
  EXPECT_EQ(fillOf(m, p), 0);
  SOLVER_OK(cusolverSpXcsrsymmdqHost(handle, n, a.nnz(), descr, a.offsets.data(), a.indices.data(),
                                     p.data()));
  EXPECT_EQ(fillOf(m, p), 0);
  SOLVER_OK(cusolverSpXcsrmetisndHost(handle, n, a.nnz(), descr, a.offsets.data(), a.indices.data(),
                                      nullptr, p.data()));
  EXPECT_LT(fillOf(m, p), 100);
  std::sort(p.begin(), p.end());
  EXPECT_EQ(p, identity);
  EXPECT_EQ(
      cusolverSpXcsrsymamdHost(handle, n, a.nnz(), descr, nullptr, a.indices.data(), p.data()),
      CUSOLVER_STATUS_INVALID_VALUE);
  cusparseDestroyMatDescr(descr);
  SOLVER_OK(cusolverSpDestroy(handle));
}

/// A matrix with full factors, permutations, and a handle set up with the factors' pattern.
struct Refactorisations : testing::Test {
  static constexpr int n = 11;
  Refactorisations() : p(n), q(n), l(n, n), u(n, n) {
    for (int i = 0; i < n; ++i) {
      p[i] = (i * 4 + 1) % n, q[i] = (i * 3 + 2) % n;
      for (int j = 0; j < n; ++j)
        (j >= i ? u : l)(i, j) = 1;
      l(i, i) = 1;
    }
    EXPECT_EQ(cusolverRfCreate(&handle), CUSOLVER_STATUS_SUCCESS);
  }
  ~Refactorisations() override { EXPECT_EQ(cusolverRfDestroy(handle), CUSOLVER_STATUS_SUCCESS); }

  Matrix<double> matrix(Random &random) {
    Matrix<double> m = random.matrix<double>(n, n);
    for (int i = 0; i < n; ++i)
      m(p[i], q[i]) = 3 * n; // the pivots
    return m;
  }

  Random random{5};
  cusolverRfHandle_t handle = nullptr;
  std::vector<int> p, q;
  Matrix<double> l, u;
};

TEST_F(Refactorisations, Batch) {
  constexpr int count = 3;
  Csr<double> cl(l, 0), cu(u, 0);
  std::vector<Matrix<double>> matrices;
  std::vector<Csr<double>> rows;
  for (int i = 0; i < count; ++i)
    matrices.push_back(matrix(random)), rows.emplace_back(matrices[i], 0);
  std::vector<double *> hostValues;
  for (Csr<double> &a : rows)
    hostValues.push_back(a.values.data());
  EXPECT_EQ(cusolverRfBatchRefactor(handle), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(cusolverRfBatchSetupHost(
      count, n, rows[0].nnz(), rows[0].offsets.data(), rows[0].indices.data(), hostValues.data(),
      cl.nnz(), cl.offsets.data(), cl.indices.data(), cl.values.data(), cu.nnz(), cu.offsets.data(),
      cu.indices.data(), cu.values.data(), p.data(), q.data(), handle));
  SOLVER_OK(cusolverRfBatchAnalyze(handle));
  DeviceArray<int> dp(p), dq(q);
  for (bool again : {false, true}) {
    std::vector<std::unique_ptr<DeviceArray<double>>> values, sides;
    std::vector<double *> valuesAt, sidesAt;
    std::vector<Matrix<double>> b;
    for (int i = 0; i < count; ++i) {
      if (again)
        for (double &v : rows[i].values)
          v *= 2;
      b.push_back(random.matrix<double>(n, 1));
      values.push_back(std::make_unique<DeviceArray<double>>(rows[i].values));
      sides.push_back(std::make_unique<DeviceArray<double>>(b[i].values));
      valuesAt.push_back(values[i]->get()), sidesAt.push_back(sides[i]->get());
    }
    DeviceArray<double *> dv(valuesAt), ds(sidesAt);
    SOLVER_OK(cusolverRfBatchResetValues(count, n, rows[0].nnz(), nullptr, nullptr, dv.get(),
                                         dp.get(), dq.get(), handle));
    SOLVER_OK(cusolverRfBatchRefactor(handle));
    SOLVER_OK(cusolverRfBatchSolve(handle, dp.get(), dq.get(), 1, nullptr, n, ds.get(), n));
    int positions[count];
    SOLVER_OK(cusolverRfBatchZeroPivot(handle, positions));
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(positions[i], -1);
      Matrix<double> x = b[i].with(sides[i]->read());
      for (double &v : x.values)
        v *= again ? 2 : 1;
      expectNear(matrices[i] * x, b[i], 1000);
    }
  }
  // A matrix of zeros has none but zero pivots.
  std::vector<double> zeros(rows[0].nnz());
  DeviceArray<double> dz(zeros);
  std::vector<double *> zerosAt(count, dz.get());
  DeviceArray<double *> dza(zerosAt);
  SOLVER_OK(cusolverRfBatchResetValues(count, n, rows[0].nnz(), nullptr, nullptr, dza.get(),
                                       dp.get(), dq.get(), handle));
  SOLVER_OK(cusolverRfBatchRefactor(handle));
  int positions[count];
  SOLVER_OK(cusolverRfBatchZeroPivot(handle, positions));
  EXPECT_EQ(positions[1], 0);
  EXPECT_EQ(cusolverRfBatchResetValues(count + 1, n, rows[0].nnz(), nullptr, nullptr, dza.get(),
                                       dp.get(), dq.get(), handle),
            CUSOLVER_STATUS_INVALID_VALUE);
}

/// A matrix by rows, without the arrays after that.
Matrix<double> take(int size, int *offsets, int *indices, double *values) {
  Matrix<double> m(size, size);
  for (int i = 0; i < size; ++i)
    for (int k = offsets[i]; k < offsets[i + 1]; ++k)
      m(i, indices[k]) = values[k];
  std::free(offsets), std::free(indices), std::free(values);
  return m;
}

TEST_F(Refactorisations, GiveTheirFactors) {
  Matrix<double> m = matrix(random);
  Csr<double> a(m, 0), cl(l, 0), cu(u, 0);
  int count = 0, countU = 0, *offsets = nullptr, *indices = nullptr, *offsetsU = nullptr,
      *indicesU = nullptr;
  double *values = nullptr, *valuesU = nullptr;
  EXPECT_EQ(cusolverRfExtractBundledFactorsHost(handle, &count, &offsets, &indices, &values),
            CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(cusolverRfSetupHost(n, a.nnz(), a.offsets.data(), a.indices.data(), a.values.data(),
                                cl.nnz(), cl.offsets.data(), cl.indices.data(), cl.values.data(),
                                cu.nnz(), cu.offsets.data(), cu.indices.data(), cu.values.data(),
                                p.data(), q.data(), handle));
  SOLVER_OK(cusolverRfRefactor(handle));
  SOLVER_OK(cusolverRfExtractSplitFactorsHost(handle, &count, &offsets, &indices, &values, &countU,
                                              &offsetsU, &indicesU, &valuesU));
  EXPECT_EQ(count, n * (n + 1) / 2);
  Matrix<double> left = take(n, offsets, indices, values);
  Matrix<double> right = take(n, offsetsU, indicesU, valuesU), permuted(n, n), both(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      permuted(i, j) = m(p[i], q[j]);
      both(i, j) = j < i ? left(i, j) : right(i, j);
    }
  expectNear(left * right, permuted, 1000);
  SOLVER_OK(cusolverRfExtractBundledFactorsHost(handle, &count, &offsets, &indices, &values));
  EXPECT_EQ(count, n * n);
  expectNear(take(n, offsets, indices, values), both, 0);
  SOLVER_OK(cusolverRfAccessBundledFactorsDevice(handle, &count, &offsets, &indices, &values));
  EXPECT_EQ(values[0], both(0, 0));
  EXPECT_EQ(offsets[n], n * n);
  SOLVER_OK(cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                      CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
  SOLVER_OK(cusolverRfExtractSplitFactorsHost(handle, &count, &offsets, &indices, &values, &countU,
                                              &offsetsU, &indicesU, &valuesU));
  EXPECT_EQ(count, n * (n - 1) / 2); // without the ones
  take(n, offsets, indices, values), take(n, offsetsU, indicesU, valuesU);
}

/// The transpose, whose rows are the columns.
Matrix<double> transposed(const Matrix<double> &m) {
  Matrix<double> result(m.cols, m.rows);
  for (int i = 0; i < m.rows; ++i)
    for (int j = 0; j < m.cols; ++j)
      result(j, i) = m(i, j);
  return result;
}

TEST_F(Refactorisations, InAllFormats) {
  for (auto format : {CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_MATRIX_FORMAT_CSC})
    for (int unit = CUSOLVERRF_UNIT_DIAGONAL_STORED_L; unit <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
         ++unit) {
      auto ones = static_cast<cusolverRfUnitDiagonal_t>(unit);
      bool byColumns = format == CUSOLVERRF_MATRIX_FORMAT_CSC, assumed = unit >= 2;
      Matrix<double> &withOnes = unit % 2 == 0 ? l : u;
      for (int i = 0; i < n; ++i)
        l(i, i) = u(i, i) = 1;
      for (int i = 0; assumed && i < n; ++i)
        withOnes(i, i) = 0;
      auto arrays = [&](const Matrix<double> &m) {
        return Csr<double>(byColumns ? transposed(m) : m, 0);
      };
      Matrix<double> m = matrix(random);
      Csr<double> a = arrays(m), cl = arrays(l), cu = arrays(u);
      SOLVER_OK(cusolverRfSetMatrixFormat(handle, format, ones));
      SOLVER_OK(cusolverRfSetupHost(
          n, a.nnz(), a.offsets.data(), a.indices.data(), a.values.data(), cl.nnz(),
          cl.offsets.data(), cl.indices.data(), cl.values.data(), cu.nnz(), cu.offsets.data(),
          cu.indices.data(), cu.values.data(), p.data(), q.data(), handle));
      SOLVER_OK(cusolverRfAnalyze(handle));
      SOLVER_OK(cusolverRfRefactor(handle));
      DeviceArray<int> dp(p), dq(q);
      Matrix<double> b = random.matrix<double>(n, 2);
      DeviceArray<double> x(b.values);
      SOLVER_OK(cusolverRfSolve(handle, dp.get(), dq.get(), 2, nullptr, n, x.get(), n));
      expectNear(m * b.with(x.read()), b, 1000);
      int count = 0, countU = 0, *offsets, *indices, *offsetsU, *indicesU;
      double *values, *valuesU;
      SOLVER_OK(cusolverRfExtractSplitFactorsHost(handle, &count, &offsets, &indices, &values,
                                                  &countU, &offsetsU, &indicesU, &valuesU));
      EXPECT_EQ(count + countU, n * n + (assumed ? 0 : n));
      Matrix<double> left = take(n, offsets, indices, values),
                     right = take(n, offsetsU, indicesU, valuesU), permuted(n, n);
      if (byColumns)
        left = transposed(left), right = transposed(right);
      for (int i = 0; i < n; ++i) {
        (unit % 2 == 0 ? left : right)(i, i) += assumed;
        EXPECT_EQ((unit % 2 == 0 ? left : right)(i, i), 1);
        for (int j = 0; j < n; ++j)
          permuted(i, j) = m(p[i], q[j]);
      }
      expectNear(left * right, permuted, 1000);
    }
}

} // namespace
