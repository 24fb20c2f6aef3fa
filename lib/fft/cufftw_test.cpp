// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFTW's plans against the definition, each way to make one; in float and in double.
#include <cufftw.h>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

namespace {

template <typename T> using Data = std::vector<std::complex<T>>;

template <typename T> Data<T> someData(size_t count) {
  Data<T> data(count);
  unsigned seed = 5;
  for (auto &v : data) {
    seed = seed * 1664525 + 1013904223;
    v = {T(int(seed >> 20) % 17), T(int(seed >> 12) % 13)};
  }
  return data;
}

/// A transform of rows, by the definition.
template <typename T> Data<T> rowTransforms(const Data<T> &data, int rows, int n, int sign) {
  Data<T> result(data.size());
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < n; ++k) {
      std::complex<double> sum = 0;
      for (int j = 0; j < n; ++j)
        sum += std::complex<double>(data[size_t(r * n + j)]) *
               std::polar(1.0, sign * 2 * M_PI * j * k / n);
      result[size_t(r * n + k)] = std::complex<T>(sum);
    }
  return result;
}

template <typename T> Data<T> transposed(const Data<T> &data, int rows, int columns) {
  Data<T> result(data.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      result[size_t(j * rows + i)] = data[size_t(i * columns + j)];
  return result;
}

template <typename T> Data<T> transformed2d(const Data<T> &data, int n0, int n1) {
  Data<T> rows = transposed(rowTransforms(data, n0, n1, -1), n0, n1);
  return transposed(rowTransforms(rows, n1, n0, -1), n1, n0);
}

template <typename T> void expectNear(const Data<T> &a, const Data<T> &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(std::abs(a[i] - b[i]), 0, sizeof(T) == 4 ? 1e-3 : 1e-11) << i;
}

/// The functions of one precision.
struct Double {
  using Real = double;
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  using Dimension = fftw_iodim;
  using Dimension64 = fftw_iodim64;
  static constexpr auto *plan_dft_1d = fftw_plan_dft_1d;
  static constexpr auto *plan_dft_2d = fftw_plan_dft_2d;
  static constexpr auto *plan_dft_3d = fftw_plan_dft_3d;
  static constexpr auto *plan_dft = fftw_plan_dft;
  static constexpr auto *plan_dft_r2c_1d = fftw_plan_dft_r2c_1d;
  static constexpr auto *plan_dft_r2c_2d = fftw_plan_dft_r2c_2d;
  static constexpr auto *plan_dft_r2c_3d = fftw_plan_dft_r2c_3d;
  static constexpr auto *plan_dft_r2c = fftw_plan_dft_r2c;
  static constexpr auto *plan_dft_c2r_1d = fftw_plan_dft_c2r_1d;
  static constexpr auto *plan_dft_c2r_2d = fftw_plan_dft_c2r_2d;
  static constexpr auto *plan_dft_c2r_3d = fftw_plan_dft_c2r_3d;
  static constexpr auto *plan_dft_c2r = fftw_plan_dft_c2r;
  static constexpr auto *plan_many_dft = fftw_plan_many_dft;
  static constexpr auto *plan_many_dft_r2c = fftw_plan_many_dft_r2c;
  static constexpr auto *plan_many_dft_c2r = fftw_plan_many_dft_c2r;
  static constexpr auto *plan_guru_dft = fftw_plan_guru_dft;
  static constexpr auto *plan_guru_dft_r2c = fftw_plan_guru_dft_r2c;
  static constexpr auto *plan_guru_dft_c2r = fftw_plan_guru_dft_c2r;
  static constexpr auto *plan_guru64_dft = fftw_plan_guru64_dft;
  static constexpr auto *plan_guru64_dft_r2c = fftw_plan_guru64_dft_r2c;
  static constexpr auto *plan_guru64_dft_c2r = fftw_plan_guru64_dft_c2r;
  static constexpr auto *execute = fftw_execute;
  static constexpr auto *execute_dft = fftw_execute_dft;
  static constexpr auto *execute_dft_r2c = fftw_execute_dft_r2c;
  static constexpr auto *execute_dft_c2r = fftw_execute_dft_c2r;
  static constexpr auto *destroy_plan = fftw_destroy_plan;
  static constexpr auto *cleanup = fftw_cleanup;
  static constexpr auto *set_timelimit = fftw_set_timelimit;
  static constexpr auto *print_plan = fftw_print_plan;
  static constexpr auto *cost = fftw_cost;
  static constexpr auto *flops = fftw_flops;
  static constexpr auto *malloc = fftw_malloc;
  static constexpr auto *alloc_real = fftw_alloc_real;
  static constexpr auto *alloc_complex = fftw_alloc_complex;
  static constexpr auto *free = fftw_free;
};

struct Single {
  using Real = float;
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  using Dimension = fftwf_iodim;
  using Dimension64 = fftwf_iodim64;
  static constexpr auto *plan_dft_1d = fftwf_plan_dft_1d;
  static constexpr auto *plan_dft_2d = fftwf_plan_dft_2d;
  static constexpr auto *plan_dft_3d = fftwf_plan_dft_3d;
  static constexpr auto *plan_dft = fftwf_plan_dft;
  static constexpr auto *plan_dft_r2c_1d = fftwf_plan_dft_r2c_1d;
  static constexpr auto *plan_dft_r2c_2d = fftwf_plan_dft_r2c_2d;
  static constexpr auto *plan_dft_r2c_3d = fftwf_plan_dft_r2c_3d;
  static constexpr auto *plan_dft_r2c = fftwf_plan_dft_r2c;
  static constexpr auto *plan_dft_c2r_1d = fftwf_plan_dft_c2r_1d;
  static constexpr auto *plan_dft_c2r_2d = fftwf_plan_dft_c2r_2d;
  static constexpr auto *plan_dft_c2r_3d = fftwf_plan_dft_c2r_3d;
  static constexpr auto *plan_dft_c2r = fftwf_plan_dft_c2r;
  static constexpr auto *plan_many_dft = fftwf_plan_many_dft;
  static constexpr auto *plan_many_dft_r2c = fftwf_plan_many_dft_r2c;
  static constexpr auto *plan_many_dft_c2r = fftwf_plan_many_dft_c2r;
  static constexpr auto *plan_guru_dft = fftwf_plan_guru_dft;
  static constexpr auto *plan_guru_dft_r2c = fftwf_plan_guru_dft_r2c;
  static constexpr auto *plan_guru_dft_c2r = fftwf_plan_guru_dft_c2r;
  static constexpr auto *plan_guru64_dft = fftwf_plan_guru64_dft;
  static constexpr auto *plan_guru64_dft_r2c = fftwf_plan_guru64_dft_r2c;
  static constexpr auto *plan_guru64_dft_c2r = fftwf_plan_guru64_dft_c2r;
  static constexpr auto *execute = fftwf_execute;
  static constexpr auto *execute_dft = fftwf_execute_dft;
  static constexpr auto *execute_dft_r2c = fftwf_execute_dft_r2c;
  static constexpr auto *execute_dft_c2r = fftwf_execute_dft_c2r;
  static constexpr auto *destroy_plan = fftwf_destroy_plan;
  static constexpr auto *cleanup = fftwf_cleanup;
  static constexpr auto *set_timelimit = fftwf_set_timelimit;
  static constexpr auto *print_plan = fftwf_print_plan;
  static constexpr auto *cost = fftwf_cost;
  static constexpr auto *flops = fftwf_flops;
  static constexpr auto *malloc = fftwf_malloc;
  static constexpr auto *alloc_real = fftwf_alloc_real;
  static constexpr auto *alloc_complex = fftwf_alloc_complex;
  static constexpr auto *free = fftwf_free;
};

template <typename F> typename F::Complex *raw(Data<typename F::Real> &data) {
  return reinterpret_cast<typename F::Complex *>(data.data());
}

template <typename F> struct Cufftw : testing::Test {};
using Precisions = testing::Types<Double, Single>;
TYPED_TEST_SUITE(Cufftw, Precisions);
/// Plans are made before there is data, which planning leaves as it is.
TYPED_TEST(Cufftw, ComplexPlans) {
  using F = TypeParam;
  using T = typename F::Real;
  Data<T> data = someData<T>(6 * 5), in = data, out(data.size());
  int n[] = {6, 5}, row[] = {5};
  typename F::Dimension dims[] = {{6, 5, 5}, {5, 1, 1}};
  typename F::Dimension64 wide[] = {{6, 5, 5}, {5, 1, 1}};
  typename F::Plan plans[] = {
      F::plan_dft_2d(6, 5, raw<F>(in), raw<F>(out), FFTW_FORWARD, FFTW_MEASURE),
      F::plan_dft(2, n, raw<F>(in), raw<F>(out), FFTW_FORWARD, FFTW_PATIENT),
      F::plan_guru_dft(2, dims, 0, nullptr, raw<F>(in), raw<F>(out), FFTW_FORWARD, 0),
      F::plan_guru64_dft(2, wide, 0, nullptr, raw<F>(in), raw<F>(out), FFTW_FORWARD, 0)};
  EXPECT_EQ(in, data);
  for (typename F::Plan plan : plans) {
    out.assign(out.size(), 0);
    ASSERT_NE(plan, nullptr);
    F::execute(plan);
    expectNear(out, transformed2d(data, 6, 5));
    EXPECT_EQ(in, data);
    F::destroy_plan(plan);
  }
  typename F::Plan many = F::plan_many_dft(1, row, 6, raw<F>(in), nullptr, 1, 5, raw<F>(out),
                                           nullptr, 1, 5, FFTW_BACKWARD, 0);
  F::execute_dft(many, raw<F>(in), raw<F>(out));
  expectNear(out, rowTransforms(data, 6, 5, 1));
  double add, mul, fma;
  F::flops(many, &add, &mul, &fma);
  EXPECT_GT(add + mul + fma, 0);
  EXPECT_GE(F::cost(many), 0);
  testing::internal::CaptureStdout();
  F::print_plan(many);
  EXPECT_NE(testing::internal::GetCapturedStdout(), "");
  F::destroy_plan(many);
  typename F::Plan line = F::plan_dft_1d(30, raw<F>(in), raw<F>(in), FFTW_FORWARD, 0);
  typename F::Plan cube = F::plan_dft_3d(1, 1, 30, raw<F>(out), raw<F>(out), FFTW_BACKWARD, 0);
  F::execute(line);
  expectNear(in, rowTransforms(data, 1, 30, -1));
  F::execute_dft(cube, raw<F>(in), raw<F>(in));
  for (auto &v : in)
    v /= 30;
  expectNear(in, data);
  F::destroy_plan(line);
  F::destroy_plan(cube);
}

/// There and back through each pair of functions.
TYPED_TEST(Cufftw, RealPlans) {
  using F = TypeParam;
  using T = typename F::Real;
  constexpr int A = 2, B = 3, C = 4, N = A * B * C;
  T *in = F::alloc_real(N), *out = F::alloc_real(N);
  typename F::Complex *mid = F::alloc_complex(N);
  int n[] = {N}, three[] = {A, B, C};
  typename F::Dimension there{N, 1, 1};
  typename F::Dimension64 wide{N, 1, 1};
  typename F::Plan pairs[][2] = {
      {F::plan_dft_r2c_1d(N, in, mid, 0), F::plan_dft_c2r_1d(N, mid, out, 0)},
      {F::plan_dft_r2c_2d(A, B * C, in, mid, 0), F::plan_dft_c2r_2d(A, B * C, mid, out, 0)},
      {F::plan_dft_r2c_3d(A, B, C, in, mid, 0), F::plan_dft_c2r_3d(A, B, C, mid, out, 0)},
      {F::plan_dft_r2c(3, three, in, mid, 0), F::plan_dft_c2r(3, three, mid, out, 0)},
      {F::plan_many_dft_r2c(1, n, 1, in, n, 1, N, mid, nullptr, 1, N, 0),
       F::plan_many_dft_c2r(1, n, 1, mid, nullptr, 1, N, out, n, 1, N, 0)},
      {F::plan_guru_dft_r2c(1, &there, 0, nullptr, in, mid, 0),
       F::plan_guru_dft_c2r(1, &there, 0, nullptr, mid, out, 0)},
      {F::plan_guru64_dft_r2c(1, &wide, 0, nullptr, in, mid, 0),
       F::plan_guru64_dft_c2r(1, &wide, 0, nullptr, mid, out, 0)}};
  for (auto &[forward, backward] : pairs) {
    ASSERT_TRUE(forward && backward);
    T sum = 0;
    for (int i = 0; i < N; ++i)
      sum += in[i] = T(i * i % 11);
    F::execute_dft_r2c(forward, in, mid);
    EXPECT_NEAR(mid[0][0], sum, 1e-4);
    F::execute_dft_c2r(backward, mid, out);
    for (int i = 0; i < N; ++i)
      ASSERT_NEAR(out[i] / N, i * i % 11, 1e-4);
    F::destroy_plan(forward);
    F::destroy_plan(backward);
  }
  F::free(in);
  F::free(out);
  F::free(mid);
  F::free(F::malloc(100));
  F::set_timelimit(1);
  F::cleanup();
  int four[] = {1, 1, 1, 1};
  EXPECT_EQ(F::plan_dft_r2c(4, four, nullptr, nullptr, 0), nullptr);
}

} // namespace
