// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/blas_test.h"

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 12;

template <typename T, typename F> void testAxpy(F axpy) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    T alpha = random.factor<T>();
    EXPECT_OK(axpy(context, n, context.scalar(alpha), x.data(), x.inc, y.data(), y.inc));
    std::vector<Wide> expected = valuesOf(y);
    for (int64_t i = 0; i < n; ++i)
      expected[y.place(i)] += widen(alpha) * x.at(i);
    expectArray(context, y, expected, 4 * Precision<T>);
  });
}

TEST(Level1, Axpy) {
  testAxpy<float>(cublasSaxpy);
  testAxpy<float>(cublasSaxpy_64);
  testAxpy<double>(cublasDaxpy);
  testAxpy<double>(cublasDaxpy_64);
  testAxpy<cuComplex>(cublasCaxpy);
  testAxpy<cuComplex>(cublasCaxpy_64);
  testAxpy<cuDoubleComplex>(cublasZaxpy);
  testAxpy<cuDoubleComplex>(cublasZaxpy_64);
}

template <typename T, typename F, typename G> void testCopyAndSwap(F copy, G swap) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    EXPECT_OK(swap(context, n, x.data(), x.inc, y.data(), y.inc));
    std::vector<Wide> inX = valuesOf(x), inY = valuesOf(y);
    for (int64_t i = 0; i < n; ++i)
      std::swap(inX[x.place(i)], inY[y.place(i)]);
    expectArray(context, x, inX, 0);
    expectArray(context, y, inY, 0);
    EXPECT_OK(copy(context, n, x.data(), x.inc, y.data(), y.inc));
    for (int64_t i = 0; i < n; ++i)
      inY[y.place(i)] = inX[x.place(i)];
    expectArray(context, y, inY, 0);
  });
}

TEST(Level1, CopyAndSwap) {
  testCopyAndSwap<float>(cublasScopy, cublasSswap);
  testCopyAndSwap<float>(cublasScopy_64, cublasSswap_64);
  testCopyAndSwap<double>(cublasDcopy, cublasDswap);
  testCopyAndSwap<double>(cublasDcopy_64, cublasDswap_64);
  testCopyAndSwap<cuComplex>(cublasCcopy, cublasCswap);
  testCopyAndSwap<cuComplex>(cublasCcopy_64, cublasCswap_64);
  testCopyAndSwap<cuDoubleComplex>(cublasZcopy, cublasZswap);
  testCopyAndSwap<cuDoubleComplex>(cublasZcopy_64, cublasZswap_64);
}

template <typename T, typename A, typename F> void testScal(F scal) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step());
    A alpha = random.factor<A>();
    EXPECT_OK(scal(context, n, context.scalar(alpha), x.data(), x.inc));
    std::vector<Wide> expected = valuesOf(x);
    for (int64_t i = 0; i < (x.inc > 0 ? n : 0); ++i)
      expected[x.place(i)] *= widen(alpha);
    expectArray(context, x, expected, 4 * Precision<T>);
  });
}

TEST(Level1, Scal) {
  testScal<float, float>(cublasSscal);
  testScal<float, float>(cublasSscal_64);
  testScal<double, double>(cublasDscal);
  testScal<double, double>(cublasDscal_64);
  testScal<cuComplex, cuComplex>(cublasCscal);
  testScal<cuComplex, cuComplex>(cublasCscal_64);
  testScal<cuComplex, float>(cublasCsscal);
  testScal<cuComplex, float>(cublasCsscal_64);
  testScal<cuDoubleComplex, cuDoubleComplex>(cublasZscal);
  testScal<cuDoubleComplex, cuDoubleComplex>(cublasZscal_64);
  testScal<cuDoubleComplex, double>(cublasZdscal);
  testScal<cuDoubleComplex, double>(cublasZdscal_64);
}

template <typename T, typename R, typename F, typename G> void testNorms(F asum, G nrm2) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step());
    double sum = 0, square = 0;
    for (int64_t i = 0; i < (x.inc > 0 ? n : 0); ++i) {
      sum += std::abs(x.at(i).real()) + std::abs(x.at(i).imag());
      square += std::norm(x.at(i));
    }
    R *result = context.scalar(R(-1));
    EXPECT_OK(asum(context, n, x.data(), x.inc, result));
    EXPECT_NEAR(context.result(result), sum, Precision<R> * (n + 1));
    EXPECT_OK(nrm2(context, n, x.data(), x.inc, result));
    EXPECT_NEAR(context.result(result), std::sqrt(square), Precision<R> * (n + 1));
  });
}

TEST(Level1, Norms) {
  testNorms<float, float>(cublasSasum, cublasSnrm2);
  testNorms<float, float>(cublasSasum_64, cublasSnrm2_64);
  testNorms<double, double>(cublasDasum, cublasDnrm2);
  testNorms<double, double>(cublasDasum_64, cublasDnrm2_64);
  testNorms<cuComplex, float>(cublasScasum, cublasScnrm2);
  testNorms<cuComplex, float>(cublasScasum_64, cublasScnrm2_64);
  testNorms<cuDoubleComplex, double>(cublasDzasum, cublasDznrm2);
  testNorms<cuDoubleComplex, double>(cublasDzasum_64, cublasDznrm2_64);
}

template <typename T, typename F> void testDot(bool conjugated, F dot) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    Wide sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += (conjugated ? std::conj(x.at(i)) : x.at(i)) * y.at(i);
    T *result = context.scalar(T{});
    EXPECT_OK(dot(context, n, x.data(), x.inc, y.data(), y.inc, result));
    expectNear(widen(context.result(result)), sum, Precision<T> * (n + 1), 0);
  });
}

TEST(Level1, Dot) {
  testDot<float>(false, cublasSdot);
  testDot<float>(false, cublasSdot_64);
  testDot<double>(false, cublasDdot);
  testDot<double>(false, cublasDdot_64);
  testDot<cuComplex>(false, cublasCdotu);
  testDot<cuComplex>(false, cublasCdotu_64);
  testDot<cuComplex>(true, cublasCdotc);
  testDot<cuComplex>(true, cublasCdotc_64);
  testDot<cuDoubleComplex>(false, cublasZdotu);
  testDot<cuDoubleComplex>(false, cublasZdotu_64);
  testDot<cuDoubleComplex>(true, cublasZdotc);
  testDot<cuDoubleComplex>(true, cublasZdotc_64);
}

/// A sum of many equal numbers in one order is off by more with each of them; a GPU's is not.
TEST(Level1, LongSums) {
  Context context;
  const int64_t n = 1 << 22;
  const float value = 0.1f;
  float *x, *result = context.scalar(0.0f);
  ASSERT_EQ(cudaMalloc(&x, n * sizeof(float)), cudaSuccess);
  std::vector<float> host(n, value);
  ASSERT_EQ(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice), cudaSuccess);
  const double wide = value;
  EXPECT_OK(cublasSdot(context, n, x, 1, x, 1, result));
  EXPECT_NEAR(context.result(result) / (n * wide * wide), 1, 5e-6);
  EXPECT_OK(cublasSasum(context, n, x, 1, result));
  EXPECT_NEAR(context.result(result) / (n * wide), 1, 5e-6);
  EXPECT_OK(cublasSnrm2(context, n, x, 1, result));
  EXPECT_NEAR(context.result(result) / (std::sqrt(n) * wide), 1, 5e-6);
  auto *complexes = reinterpret_cast<cuComplex *>(x);
  EXPECT_OK(cublasScasum(context, n / 2, complexes, 1, result));
  EXPECT_NEAR(context.result(result) / (n * wide), 1, 5e-6);
  cuComplex *product = context.scalar(cuComplex{});
  EXPECT_OK(cublasCdotc(context, n / 2, complexes, 1, complexes, 1, product));
  EXPECT_NEAR(context.result(product).x / (n * wide * wide), 1, 5e-6);
  EXPECT_EQ(context.result(product).y, 0);
  cudaFree(x);
}

/// Small whole numbers, so that several are the largest and the first one must be found.
template <typename T, typename I, typename F, typename G> void testIndex(F amax, G amin) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size(), inc = random.step(), largest = 0, smallest = 0;
    Vector<T> x(random, n, inc);
    for (T &value : x.host)
      value = narrow<T>({double(random.integer(-5, 5)), double(random.integer(-5, 5))});
    x.put();
    auto size = [&](int64_t i) { return std::abs(x.at(i).real()) + std::abs(x.at(i).imag()); };
    for (int64_t i = 0; i < n; ++i) {
      largest = size(i) > size(largest) ? i : largest;
      smallest = size(i) < size(smallest) ? i : smallest;
    }
    bool none = n == 0 || inc < 0;
    I *result = context.scalar(I(-1));
    EXPECT_OK(amax(context, n, x.data(), inc, result));
    EXPECT_EQ(context.result(result), none ? 0 : largest + 1);
    EXPECT_OK(amin(context, n, x.data(), inc, result));
    EXPECT_EQ(context.result(result), none ? 0 : smallest + 1);
  });
}

TEST(Level1, IndexOfExtremes) {
  testIndex<float, int>(cublasIsamax, cublasIsamin);
  testIndex<float, int64_t>(cublasIsamax_64, cublasIsamin_64);
  testIndex<double, int>(cublasIdamax, cublasIdamin);
  testIndex<double, int64_t>(cublasIdamax_64, cublasIdamin_64);
  testIndex<cuComplex, int>(cublasIcamax, cublasIcamin);
  testIndex<cuComplex, int64_t>(cublasIcamax_64, cublasIcamin_64);
  testIndex<cuDoubleComplex, int>(cublasIzamax, cublasIzamin);
  testIndex<cuDoubleComplex, int64_t>(cublasIzamax_64, cublasIzamin_64);
}

template <typename T, typename C, typename S, typename F> void testRot(F rot) {
  forTrials(Trials, [&](Context &context, Random &random) {
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    C c = random.value<C>();
    S s = random.value<S>();
    EXPECT_OK(
        rot(context, n, x.data(), x.inc, y.data(), y.inc, context.scalar(c), context.scalar(s)));
    std::vector<Wide> inX = valuesOf(x), inY = valuesOf(y);
    for (int64_t i = 0; i < n; ++i) {
      inX[x.place(i)] = widen(c) * x.at(i) + widen(s) * y.at(i);
      inY[y.place(i)] = widen(c) * y.at(i) - std::conj(widen(s)) * x.at(i);
    }
    expectArray(context, x, inX, 4 * Precision<T>);
    expectArray(context, y, inY, 4 * Precision<T>);
  });
}

TEST(Level1, Rot) {
  testRot<float, float, float>(cublasSrot);
  testRot<float, float, float>(cublasSrot_64);
  testRot<double, double, double>(cublasDrot);
  testRot<double, double, double>(cublasDrot_64);
  testRot<cuComplex, float, cuComplex>(cublasCrot);
  testRot<cuComplex, float, cuComplex>(cublasCrot_64);
  testRot<cuComplex, float, float>(cublasCsrot);
  testRot<cuComplex, float, float>(cublasCsrot_64);
  testRot<cuDoubleComplex, double, cuDoubleComplex>(cublasZrot);
  testRot<cuDoubleComplex, double, cuDoubleComplex>(cublasZrot_64);
  testRot<cuDoubleComplex, double, double>(cublasZdrot);
  testRot<cuDoubleComplex, double, double>(cublasZdrot_64);
}

/// The rotation turns (a, b) into (r, 0).
template <typename T, typename R, typename F> void testRotg(F rotg) {
  forTrials(Trials, [&](Context &context, Random &random) {
    T a = random.value<T>(), b = random.value<T>();
    T *r = context.scalar(a), *z = context.scalar(b), *s = context.scalar(T{});
    R *c = context.scalar(R{});
    EXPECT_OK(rotg(context, r, z, c, s));
    Wide cosine = widen(context.result(c)), sine = widen(context.result(s));
    expectNear(cosine * widen(a) + sine * widen(b), widen(context.result(r)), 4 * Precision<T>, 0);
    expectNear(cosine * widen(b) - std::conj(sine) * widen(a), 0, 4 * Precision<T>, 1);
    EXPECT_NEAR(std::norm(cosine) + std::norm(sine), 1, 4 * Precision<T>);
  });
}

TEST(Level1, Rotg) {
  testRotg<float, float>(cublasSrotg);
  testRotg<double, double>(cublasDrotg);
  testRotg<cuComplex, float>(cublasCrotg);
  testRotg<cuDoubleComplex, double>(cublasZrotg);
}

/// The matrix H that the five parameters of a modified rotation stand for.
template <typename T> std::array<double, 4> modifiedRotation(const T *p) {
  if (p[0] == -2)
    return {1, 0, 0, 1};
  if (p[0] == -1)
    return {p[1], p[3], p[2], p[4]};
  return p[0] == 0 ? std::array<double, 4>{1, p[3], p[2], 1}
                   : std::array<double, 4>{p[1], 1, -1, p[4]};
}

template <typename T, typename F, typename G> void testRotm(F rotm, G rotmg) {
  forTrials(Trials, [&](Context &context, Random &random) {
    struct Five {
      T p[5];
    };
    Five *five = context.scalar(Five{{random.oneOf<T>({-2, -1, 0, 1}), random.value<T>(),
                                      random.value<T>(), random.value<T>(), random.value<T>()}});
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    EXPECT_OK(rotm(context, n, x.data(), x.inc, y.data(), y.inc, five->p));
    std::vector<Wide> inX = valuesOf(x), inY = valuesOf(y);
    auto h = modifiedRotation(context.result(five).p);
    for (int64_t i = 0; i < n; ++i) {
      inX[x.place(i)] = h[0] * x.at(i) + h[1] * y.at(i);
      inY[y.place(i)] = h[2] * x.at(i) + h[3] * y.at(i);
    }
    expectArray(context, x, inX, 4 * Precision<T>);
    expectArray(context, y, inY, 4 * Precision<T>);

    // rotmg: H turns (x1, y1), scaled by the roots of d1 and d2, into (x1', 0), scaled by that of
    // d1'.
    T d1 = std::abs(random.value<T>()), d2 = std::abs(random.value<T>()), a = random.value<T>(),
      b = random.value<T>();
    T *pd1 = context.scalar(d1), *pd2 = context.scalar(d2), *pa = context.scalar(a);
    EXPECT_OK(rotmg(context, pd1, pd2, pa, context.scalar(b), five->p));
    h = modifiedRotation(context.result(five).p);
    double length = d1 * a * a + d2 * b * b, now = *pd1 * *pa * *pa;
    EXPECT_NEAR(now, length, 100 * Precision<T>);
    EXPECT_NEAR(h[2] * a + h[3] * b, 0, 100 * Precision<T>);
  });
}

TEST(Level1, Rotm) {
  testRotm<float>(cublasSrotm, cublasSrotmg);
  testRotm<float>(cublasSrotm_64, cublasSrotmg);
  testRotm<double>(cublasDrotm, cublasDrotmg);
  testRotm<double>(cublasDrotm_64, cublasDrotmg);
}

TEST(Level1, Errors) {
  Context context;
  float value = 0, *none = nullptr;
  EXPECT_EQ(cublasSaxpy(nullptr, 1, &value, &value, 1, &value, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSaxpy(context, 1, none, &value, 1, &value, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSdot(context, 1, &value, 1, &value, 1, none), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasIsamax(context, 1, &value, 1, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSaxpy_64(context, 1, &value, &value, int64_t(1) << 40, &value, 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
