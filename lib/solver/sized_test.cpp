// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of 64-bit sizes.
#include "solver/test_support.h"

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

template <typename T> inline constexpr cudaDataType NameOf = CUDA_R_32F;
template <> inline constexpr cudaDataType NameOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType NameOf<ComplexFloat> = CUDA_C_32F;
template <> inline constexpr cudaDataType NameOf<ComplexDouble> = CUDA_C_64F;

template <typename T> struct Sized : Dense<T> {
  static constexpr cudaDataType Name = NameOf<T>, RealName = NameOf<Real<T>>;
  cusolverDnParams_t params = nullptr;
  DeviceArray<int> info{std::vector<int>{-9}};
  size_t device = 0, host = 0;
  void SetUp() override {
    Dense<T>::SetUp();
    SOLVER_OK(cusolverDnCreateParams(&params));
    SOLVER_OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_1));
  }
  void TearDown() override {
    SOLVER_OK(cusolverDnDestroyParams(params));
    Dense<T>::TearDown();
  }
};
TYPED_TEST_SUITE(Sized, FourTypes);

TYPED_TEST(Sized, Systems) {
  using T = TypeParam;
  Random random(1);
  const int n = 20;
  auto h = this->handle;
  auto p = this->params;
  constexpr cudaDataType Name = TestFixture::Name;
  Matrix<T> a = random.positive<T>(n, 1), b = random.matrix<T>(n, 2);
  DeviceArray<T> da(a.values), db(b.values), dl(a.values), dc(b.values), ds(a.values), dt(b.values),
      tau(n), dq(a.values);
  SOLVER_OK(cusolverDnXpotrf_bufferSize(h, p, CUBLAS_FILL_MODE_LOWER, n, Name, da.get(), a.ld, Name,
                                        &this->device, &this->host));
  SOLVER_OK(cusolverDnXpotrf(h, p, CUBLAS_FILL_MODE_LOWER, n, Name, da.get(), a.ld, Name, nullptr,
                             0, nullptr, 0, this->info.get()));
  SOLVER_OK(cusolverDnXpotrs(h, p, CUBLAS_FILL_MODE_LOWER, n, 2, Name, da.get(), a.ld, Name,
                             db.get(), n, this->info.get()));
  expectNear(a * b.with(db.read()), b, 2000);
  DeviceArray<int64_t> ipiv(n);
  for (int64_t *pivots : {ipiv.get(), static_cast<int64_t *>(nullptr)}) {
    DeviceArray<T> lu(a.values), x(b.values);
    SOLVER_OK(cusolverDnXgetrf_bufferSize(h, p, n, n, Name, lu.get(), a.ld, Name, &this->device,
                                          &this->host));
    SOLVER_OK(cusolverDnXgetrf(h, p, n, n, Name, lu.get(), a.ld, pivots, Name, nullptr, 0, nullptr,
                               0, this->info.get()));
    EXPECT_EQ(this->info.read()[0], 0);
    SOLVER_OK(cusolverDnXgetrs(h, p, CUBLAS_OP_C, n, 2, Name, lu.get(), a.ld, pivots, Name, x.get(),
                               n, this->info.get()));
    expectNear(a.adjoint() * b.with(x.read()), b, 2000);
  }
  SOLVER_OK(cusolverDnXgeqrf_bufferSize(h, p, n, n, Name, dq.get(), a.ld, Name, tau.get(), Name,
                                        &this->device, &this->host));
  SOLVER_OK(cusolverDnXgeqrf(h, p, n, n, Name, dq.get(), a.ld, Name, tau.get(), Name, nullptr, 0,
                             nullptr, 0, this->info.get()));
  Matrix<T> r(n, n), q = a.with(dq.read());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i)
      r(i, j) = q(i, j);
  expectNear(r.adjoint() * r, a.adjoint() * a, 2000);
  // T of Q = I - V T V^H has tau on its diagonal.
  DeviceArray<T> block(n * n);
  SOLVER_OK(cusolverDnXlarft_bufferSize(h, p, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n, n,
                                        Name, dq.get(), a.ld, Name, tau.get(), Name, block.get(), n,
                                        Name, &this->device, &this->host));
  SOLVER_OK(cusolverDnXlarft(h, p, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n, n, Name,
                             dq.get(), a.ld, Name, tau.get(), Name, block.get(), n, Name, nullptr,
                             0, nullptr, 0));
  Matrix<T> t = Matrix<T>(n, n).with(block.read());
  std::vector<T> taus = tau.read();
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(t(i, i), taus[i]);
  SOLVER_OK(cusolverDnXtrtri_bufferSize(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, n, Name,
                                        dq.get(), a.ld, &this->device, &this->host));
  SOLVER_OK(cusolverDnXtrtri(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, n, Name, dq.get(),
                             a.ld, nullptr, 0, nullptr, 0, this->info.get()));
  Matrix<T> inverse(n, n), out = a.with(dq.read());
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i)
      inverse(i, j) = out(i, j);
  expectNear(r * inverse, identity<T>(n), 2000);
  EXPECT_EQ(cusolverDnXpotrf(h, p, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_16F, da.get(), a.ld,
                             CUDA_R_16F, nullptr, 0, nullptr, 0, this->info.get()),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXpotrf(h, p, CUBLAS_FILL_MODE_LOWER, int64_t(1) << 40, Name, da.get(),
                             int64_t(1) << 40, Name, nullptr, 0, nullptr, 0, this->info.get()),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXpotrf(nullptr, p, CUBLAS_FILL_MODE_LOWER, n, Name, da.get(), a.ld, Name,
                             nullptr, 0, nullptr, 0, this->info.get()),
            CUSOLVER_STATUS_NOT_INITIALIZED);
}

TYPED_TEST(Sized, SymmetricSystems) {
  using T = TypeParam;
  Random random(2);
  const int n = 2;
  // [0 2; 2 0] is one block of two rows: both pivots name the second row, and the first one.
  Matrix<T> a(n, n), b = random.matrix<T>(n, 1);
  a(1, 0) = a(0, 1) = T(2);
  DeviceArray<T> da(a.values), db(b.values);
  DeviceArray<int64_t> ipiv(std::vector<int64_t>{-2, -2});
  SOLVER_OK(cusolverDnXsytrs_bufferSize(this->handle, CUBLAS_FILL_MODE_LOWER, n, 1, this->Name,
                                        da.get(), n, ipiv.get(), this->Name, db.get(), n,
                                        &this->device, &this->host));
  SOLVER_OK(cusolverDnXsytrs(this->handle, CUBLAS_FILL_MODE_LOWER, n, 1, this->Name, da.get(), n,
                             ipiv.get(), this->Name, db.get(), n, nullptr, 0, nullptr, 0,
                             this->info.get()));
  expectNear(a * b.with(db.read()), b, 10);
}

TYPED_TEST(Sized, Values) {
  using T = TypeParam;
  using R = Real<T>;
  Random random(3);
  const int n = 10;
  auto h = this->handle;
  auto p = this->params;
  constexpr cudaDataType Name = TestFixture::Name, RealName = TestFixture::RealName;
  Matrix<T> a = random.positive<T>(n);
  DeviceArray<T> d1(a.values), d2(a.values), d3(a.values), d4(a.values), d5(a.values), d6(a.values),
      u(n * n), vt(n * n);
  DeviceArray<R> w1(n), w2(n), w3(n), s4(n), s5(n), s6(n);
  SOLVER_OK(cusolverDnXsyevd_bufferSize(h, p, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                                        Name, d1.get(), n, RealName, w1.get(), Name, &this->device,
                                        &this->host));
  SOLVER_OK(cusolverDnXsyevd(h, p, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, Name,
                             d1.get(), n, RealName, w1.get(), Name, nullptr, 0, nullptr, 0,
                             this->info.get()));
  SOLVER_OK(cusolverDnXsyevBatched_bufferSize(
      h, p, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, n, Name, d2.get(), n, RealName,
      w2.get(), Name, &this->device, &this->host, 1));
  SOLVER_OK(cusolverDnXsyevBatched(h, p, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, n,
                                   Name, d2.get(), n, RealName, w2.get(), Name, nullptr, 0, nullptr,
                                   0, this->info.get(), 1));
  int64_t found = 0;
  R low = 0, high = 0;
  SOLVER_OK(cusolverDnXsyevdx_bufferSize(h, p, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I,
                                         CUBLAS_FILL_MODE_LOWER, n, Name, d3.get(), n, &low, &high,
                                         1, 2, &found, RealName, w3.get(), Name, &this->device,
                                         &this->host));
  SOLVER_OK(cusolverDnXsyevdx(h, p, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I,
                              CUBLAS_FILL_MODE_LOWER, n, Name, d3.get(), n, &low, &high, 1, 2,
                              &found, RealName, w3.get(), Name, nullptr, 0, nullptr, 0,
                              this->info.get()));
  EXPECT_EQ(found, 2);
  SOLVER_OK(cusolverDnXgesvd_bufferSize(h, p, 'N', 'N', n, n, Name, d4.get(), n, RealName, s4.get(),
                                        Name, u.get(), n, Name, vt.get(), n, Name, &this->device,
                                        &this->host));
  SOLVER_OK(cusolverDnXgesvd(h, p, 'N', 'N', n, n, Name, d4.get(), n, RealName, s4.get(), Name,
                             u.get(), n, Name, vt.get(), n, Name, nullptr, 0, nullptr, 0,
                             this->info.get()));
  double error = -1;
  SOLVER_OK(cusolverDnXgesvdp_bufferSize(h, p, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, Name, d5.get(), n,
                                         RealName, s5.get(), Name, u.get(), n, Name, vt.get(), n,
                                         Name, &this->device, &this->host));
  SOLVER_OK(cusolverDnXgesvdp(h, p, CUSOLVER_EIG_MODE_VECTOR, 1, n, n, Name, d5.get(), n, RealName,
                              s5.get(), Name, u.get(), n, Name, vt.get(), n, Name, nullptr, 0,
                              nullptr, 0, this->info.get(), &error));
  EXPECT_EQ(error, 0);
  SOLVER_OK(cusolverDnXgesvdr_bufferSize(h, p, 'S', 'S', n, n, 3, 2, 2, Name, d6.get(), n, RealName,
                                         s6.get(), Name, u.get(), n, Name, vt.get(), n, Name,
                                         &this->device, &this->host));
  SOLVER_OK(cusolverDnXgesvdr(h, p, 'S', 'S', n, n, 3, 2, 2, Name, d6.get(), n, RealName, s6.get(),
                              Name, u.get(), n, Name, vt.get(), n, Name, nullptr, 0, nullptr, 0,
                              this->info.get()));
  // The eigenvalues of a positive matrix are its singular values.
  std::vector<R> values = w1.read(), others = w2.read(), two = w3.read(), s = s4.read(),
                 sp = s5.read(), sr = s6.read();
  double near = 2000 * values[n - 1] * std::numeric_limits<R>::epsilon();
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(others[i], values[i], near);
    EXPECT_NEAR(s[i], values[n - 1 - i], near);
    EXPECT_NEAR(sp[i], values[n - 1 - i], near);
    if (i < 2)
      EXPECT_NEAR(two[i], values[i], near);
    if (i < 3)
      EXPECT_NEAR(sr[i], values[n - 1 - i], near);
  }
}

TYPED_TEST(Sized, AnyEigenvalues) {
  using T = TypeParam;
  using C = std::complex<Real<T>>;
  Random random(4);
  const int n = 9;
  constexpr cudaDataType Name = TestFixture::Name;
  Matrix<T> a = random.matrix<T>(n, n);
  a(1, 0) = -a(0, 1) * T(3);
  DeviceArray<T> da(a.values), vr(n * n);
  DeviceArray<C> w(n);
  SOLVER_OK(cusolverDnXgeev_bufferSize(this->handle, this->params, CUSOLVER_EIG_MODE_NOVECTOR,
                                       CUSOLVER_EIG_MODE_VECTOR, n, Name, da.get(), n, NameOf<C>,
                                       w.get(), Name, nullptr, 1, Name, vr.get(), n, Name,
                                       &this->device, &this->host));
  SOLVER_OK(cusolverDnXgeev(this->handle, this->params, CUSOLVER_EIG_MODE_NOVECTOR,
                            CUSOLVER_EIG_MODE_VECTOR, n, Name, da.get(), n, NameOf<C>, w.get(),
                            Name, nullptr, 1, Name, vr.get(), n, Name, nullptr, 0, nullptr, 0,
                            this->info.get()));
  EXPECT_EQ(this->info.read()[0], 0);
  // The vectors as complex numbers: of a real matrix, a pair of columns is the real and the
  // imaginary part.
  std::vector<C> values = w.read();
  Matrix<T> v = Matrix<T>(n, n).with(vr.read());
  Matrix<C> whole(n, n), x(n, n), d(n, n);
  for (int j = 0; j < n; ++j) {
    d(j, j) = values[j];
    bool pair = !IsComplex<T> && values[j].imag() != 0, first = values[j].imag() > 0;
    for (int i = 0; i < n; ++i) {
      whole(i, j) = C(a(i, j));
      x(i, j) = !pair   ? C(v(i, j))
                : first ? C(std::real(v(i, j)), std::real(v(i, j + 1)))
                        : C(std::real(v(i, j - 1)), -std::real(v(i, j)));
    }
  }
  expectNear(whole * x, x * d, 1000);
}

} // namespace
