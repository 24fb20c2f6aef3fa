// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on vectors whose types are arguments, in all types that they take.
#include "blas/blas_test.h"

using namespace heddle::blas::test;

namespace {

constexpr int Trials = 5;

template <typename T> struct TypeOf;
#define HEDDLE_TYPE(T, R, type, realType, computed)                                                \
  template <> struct TypeOf<T> {                                                                   \
    using Real = R;                                                                                \
    static constexpr cudaDataType value = type, real = realType, execution = computed;             \
  };
HEDDLE_TYPE(float, float, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F)
HEDDLE_TYPE(double, double, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F)
HEDDLE_TYPE(cuComplex, float, CUDA_C_32F, CUDA_R_32F, CUDA_C_32F)
HEDDLE_TYPE(cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F, CUDA_C_64F)
HEDDLE_TYPE(__half, __half, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F)
HEDDLE_TYPE(__nv_bfloat16, __nv_bfloat16, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F)
#undef HEDDLE_TYPE

template <typename T> constexpr bool IsShort = sizeof(T) == 2;
/// The type of scalars: float for short vectors.
template <typename T> using ScalarOf = std::conditional_t<IsShort<T>, float, T>;

/// Of results that are the sum of n terms of at most 1.
template <typename T> double tolerance(int64_t n) {
  return (IsShort<T> ? 0.01 : 20 * Precision<T>)*double(n + 2);
}

/// Calls test(T{}) for all types that vectors may have; `Complex` ones too if asked for.
template <bool Complex, typename F> void forTypes(F test) {
  test(float{}), test(double{}), test(__half{}), test(__nv_bfloat16{});
  if constexpr (Complex)
    test(cuComplex{}), test(cuDoubleComplex{});
}

/// Calls trial(T{}, is64, context, random) for all types.
template <bool Complex, typename F> void forAll(F trial) {
  forTypes<Complex>([&](auto kind) {
    SCOPED_TRACE(testing::Message() << "type " << TypeOf<decltype(kind)>::value);
    forTrials(Trials, [&](Context &context, Random &random) {
      trial(kind, random.coin(), context, random);
    });
  });
}

TEST(TypedVectors, Axpy) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    using S = ScalarOf<T>;
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    S alpha = random.factor<S>();
    EXPECT_OK((wide ? cublasAxpyEx_64(context, n, context.scalar(alpha), TypeOf<S>::value, x.data(),
                                      TypeOf<T>::value, x.inc, y.data(), TypeOf<T>::value, y.inc,
                                      TypeOf<T>::execution)
                    : cublasAxpyEx(context, n, context.scalar(alpha), TypeOf<S>::value, x.data(),
                                   TypeOf<T>::value, x.inc, y.data(), TypeOf<T>::value, y.inc,
                                   TypeOf<T>::execution)));
    std::vector<Wide> expected = valuesOf(y);
    for (int64_t i = 0; i < n; ++i)
      expected[y.place(i)] += widen(alpha) * x.at(i);
    expectArray(context, y, expected, tolerance<T>(1));
  });
}

TEST(TypedVectors, Scal) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    using S = ScalarOf<T>;
    int64_t n = random.size();
    Vector<T> x(random, n, random.integer(1, 3));
    S alpha = random.factor<S>();
    EXPECT_OK((wide ? cublasScalEx_64(context, n, context.scalar(alpha), TypeOf<S>::value, x.data(),
                                      TypeOf<T>::value, x.inc, TypeOf<T>::execution)
                    : cublasScalEx(context, n, context.scalar(alpha), TypeOf<S>::value, x.data(),
                                   TypeOf<T>::value, x.inc, TypeOf<T>::execution)));
    std::vector<Wide> expected = valuesOf(x);
    for (int64_t i = 0; i < n; ++i)
      expected[x.place(i)] *= widen(alpha);
    expectArray(context, x, expected, tolerance<T>(0));
  });
}

TEST(TypedVectors, Dot) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    bool conjugated = random.coin();
    T *result = context.scalar(T{});
    constexpr cudaDataType type = TypeOf<T>::value, execution = TypeOf<T>::execution;
    auto all = [&](auto plain, auto dotc) {
      return (conjugated ? dotc : plain)(context, n, x.data(), type, x.inc, y.data(), type, y.inc,
                                         result, type, execution);
    };
    EXPECT_OK((wide ? all(cublasDotEx_64, cublasDotcEx_64) : all(cublasDotEx, cublasDotcEx)));
    Wide sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += (conjugated ? std::conj(x.at(i)) : x.at(i)) * y.at(i);
    expectNear(widen(context.result(result)), sum, tolerance<T>(n), 0);
  });
}

TEST(TypedVectors, Norms) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    using R = typename TypeOf<T>::Real;
    int64_t n = random.size();
    Vector<T> x(random, n, random.integer(1, 3));
    R *norm = context.scalar(R{}), *sum = context.scalar(R{});
    constexpr cudaDataType type = TypeOf<T>::value, real = TypeOf<T>::real;
    constexpr cudaDataType execution = IsShort<T> ? CUDA_R_32F : real;
    EXPECT_OK((wide ? cublasNrm2Ex_64(context, n, x.data(), type, x.inc, norm, real, execution)
                    : cublasNrm2Ex(context, n, x.data(), type, x.inc, norm, real, execution)));
    EXPECT_OK((wide ? cublasAsumEx_64(context, n, x.data(), type, x.inc, sum, real, execution)
                    : cublasAsumEx(context, n, x.data(), type, x.inc, sum, real, execution)));
    double squares = 0, magnitudes = 0;
    for (int64_t i = 0; i < n; ++i) {
      squares += std::norm(x.at(i));
      magnitudes += std::fabs(x.at(i).real()) + std::fabs(x.at(i).imag());
    }
    expectNear(widen(context.result(norm)), std::sqrt(squares), tolerance<T>(n), 0);
    expectNear(widen(context.result(sum)), magnitudes, tolerance<T>(n), 1);
  });
}

TEST(TypedVectors, CopyAndSwap) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    int64_t n = random.size();
    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    constexpr cudaDataType type = TypeOf<T>::value;
    EXPECT_OK((wide ? cublasSwapEx_64(context, n, x.data(), type, x.inc, y.data(), type, y.inc)
                    : cublasSwapEx(context, n, x.data(), type, x.inc, y.data(), type, y.inc)));
    std::vector<Wide> swappedX = valuesOf(x), swappedY = valuesOf(y);
    for (int64_t i = 0; i < n; ++i)
      std::swap(swappedX[x.place(i)], swappedY[y.place(i)]);
    expectArray(context, x, swappedX, 0);
    expectArray(context, y, swappedY, 0);
    EXPECT_OK((wide ? cublasCopyEx_64(context, n, x.data(), type, x.inc, y.data(), type, y.inc)
                    : cublasCopyEx(context, n, x.data(), type, x.inc, y.data(), type, y.inc)));
    for (int64_t i = 0; i < n; ++i)
      swappedY[y.place(i)] = swappedX[x.place(i)];
    expectArray(context, y, swappedY, 0);
  });
}

TEST(TypedVectors, Extremes) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    int64_t n = random.size(), largest = n > 0, smallest = n > 0;
    Vector<T> x(random, n, random.integer(1, 3));
    auto size = [&](int64_t i) { return std::fabs(x.at(i).real()) + std::fabs(x.at(i).imag()); };
    for (int64_t i = 1; i < n; ++i) {
      largest = size(i) > size(largest - 1) ? i + 1 : largest;
      smallest = size(i) < size(smallest - 1) ? i + 1 : smallest;
    }
    constexpr cudaDataType type = TypeOf<T>::value;
    if (wide) {
      int64_t *high = context.scalar<int64_t>(-1), *low = context.scalar<int64_t>(-1);
      EXPECT_OK(cublasIamaxEx_64(context, n, x.data(), type, x.inc, high));
      EXPECT_OK(cublasIaminEx_64(context, n, x.data(), type, x.inc, low));
      EXPECT_EQ(context.result(high), largest);
      EXPECT_EQ(context.result(low), smallest);
    } else {
      int *high = context.scalar(-1), *low = context.scalar(-1);
      EXPECT_OK(cublasIamaxEx(context, n, x.data(), type, x.inc, high));
      EXPECT_OK(cublasIaminEx(context, n, x.data(), type, x.inc, low));
      EXPECT_EQ(context.result(high), largest);
      EXPECT_EQ(context.result(low), smallest);
    }
  });
}

/// Rotates by a cosine and a sine of S.
template <typename T, typename S> void testRotation(bool wide, Context &context, Random &random) {
  int64_t n = random.size();
  Vector<T> x(random, n, random.step()), y(random, n, random.step());
  S c = narrow<S>(random.real()), s = random.value<S>();
  auto call = [&](auto function) {
    return function(context, n, x.data(), TypeOf<T>::value, x.inc, y.data(), TypeOf<T>::value,
                    y.inc, context.scalar(c), context.scalar(s), TypeOf<S>::value,
                    TypeOf<T>::execution);
  };
  EXPECT_OK((wide ? call(cublasRotEx_64) : call(cublasRotEx)));
  std::vector<Wide> turnedX = valuesOf(x), turnedY = valuesOf(y);
  for (int64_t i = 0; i < n; ++i) {
    turnedX[x.place(i)] = widen(c) * x.at(i) + widen(s) * y.at(i);
    turnedY[y.place(i)] = widen(c) * y.at(i) - std::conj(widen(s)) * x.at(i);
  }
  expectArray(context, x, turnedX, tolerance<T>(1));
  expectArray(context, y, turnedY, tolerance<T>(1));
}

TEST(TypedVectors, Rotations) {
  forAll<true>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    testRotation<T, T>(wide, context, random);
    testRotation<T, typename TypeOf<T>::Real>(wide, context, random);
  });
}

TEST(TypedVectors, MakeRotation) {
  forAll<true>([](auto kind, bool, Context &context, Random &random) {
    using T = decltype(kind);
    using R = typename TypeOf<T>::Real;
    T before = random.value<T>(), other = random.value<T>();
    T *a = context.scalar(before), *b = context.scalar(other), *s = context.scalar(T{});
    R *c = context.scalar(R{});
    EXPECT_OK(cublasRotgEx(context, a, b, TypeOf<T>::value, c, s, TypeOf<T>::value,
                           TypeOf<T>::execution));
    Wide cosine = widen(context.result(c)), sine = widen(context.result(s));
    expectNear(cosine * widen(before) + sine * widen(other), widen(context.result(a)),
               tolerance<T>(0), 0);
    expectNear(cosine * widen(other) - std::conj(sine) * widen(before), 0, tolerance<T>(0), 1);
  });
}

TEST(TypedVectors, ModifiedRotations) {
  forAll<false>([](auto kind, bool wide, Context &context, Random &random) {
    using T = decltype(kind);
    struct Numbers {
      T n[5];
    };
    int64_t n = random.size();
    constexpr cudaDataType type = TypeOf<T>::value, execution = TypeOf<T>::execution;
    // The rotation that makes y1 zero, for d1 = d2 = 1: rows of length one up to scales.
    T x1 = narrow<T>(0.75), y1 = narrow<T>(0.5);
    T *d1 = context.scalar(narrow<T>(1)), *d2 = context.scalar(narrow<T>(1));
    T *at = context.scalar(x1), *other = context.scalar(y1);
    auto *param = context.scalar(Numbers{});
    EXPECT_OK(
        cublasRotmgEx(context, d1, type, d2, type, at, type, other, type, param, type, execution));
    Numbers numbers = context.result(param);
    ASSERT_EQ(widen(numbers.n[0]).real(), 0); // |d1 x1^2| > |d2 y1^2|: h11 = h22 = 1
    Wide h21 = widen(numbers.n[2]), h12 = widen(numbers.n[3]);
    expectNear(h21 * widen(x1) + widen(y1), 0, tolerance<T>(0), 0);
    expectNear(widen(x1) + h12 * widen(y1), widen(context.result(at)), tolerance<T>(0), 1);

    Vector<T> x(random, n, random.step()), y(random, n, random.step());
    auto call = [&](auto function) {
      return function(context, n, x.data(), type, x.inc, y.data(), type, y.inc, param, type,
                      execution);
    };
    EXPECT_OK((wide ? call(cublasRotmEx_64) : call(cublasRotmEx)));
    std::vector<Wide> turnedX = valuesOf(x), turnedY = valuesOf(y);
    for (int64_t i = 0; i < n; ++i) {
      turnedX[x.place(i)] = x.at(i) + h12 * y.at(i);
      turnedY[y.place(i)] = h21 * x.at(i) + y.at(i);
    }
    expectArray(context, x, turnedX, tolerance<T>(1));
    expectArray(context, y, turnedY, tolerance<T>(1));
  });
}

TEST(TypedVectors, Errors) {
  Context context;
  Random random(6);
  Vector<float> x(random, 4, 1), y(random, 4, 1);
  float one = 1, result = 0;
  constexpr auto F = CUDA_R_32F, H = CUDA_R_16F, D = CUDA_R_64F;
  EXPECT_EQ(cublasAxpyEx(nullptr, 4, &one, F, x.data(), F, 1, y.data(), F, 1, F),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasAxpyEx(context, 4, nullptr, F, x.data(), F, 1, y.data(), F, 1, F),
            CUBLAS_STATUS_INVALID_VALUE);
  constexpr auto No = CUBLAS_STATUS_NOT_SUPPORTED;
  EXPECT_EQ(cublasAxpyEx(context, 4, &one, F, x.data(), H, 1, y.data(), F, 1, F), No);
  EXPECT_EQ(cublasAxpyEx(context, 4, &one, F, x.data(), F, 1, y.data(), F, 1, D), No);
  EXPECT_EQ(cublasAxpyEx(context, 4, &one, D, x.data(), H, 1, y.data(), H, 1, D), No);
  EXPECT_EQ(cublasDotEx(context, 4, x.data(), F, 1, y.data(), F, 1, &result, D, F), No);
  EXPECT_EQ(cublasDotEx(context, 4, x.data(), H, 1, y.data(), H, 1, &result, H, H), No);
  EXPECT_EQ(cublasNrm2Ex(context, 4, x.data(), F, 1, &result, D, F), No);
  EXPECT_EQ(cublasScalEx(context, 4, &one, H, x.data(), F, 1, F), No);
  EXPECT_EQ(cublasCopyEx(context, 4, x.data(), F, 1, y.data(), H, 1), No);
  EXPECT_EQ(cublasSwapEx(context, 4, x.data(), CUDA_R_8I, 1, y.data(), CUDA_R_8I, 1), No);
  EXPECT_EQ(cublasRotEx(context, 4, x.data(), F, 1, y.data(), F, 1, &one, &one, D, F), No);
  EXPECT_EQ(cublasRotmEx(context, 4, x.data(), CUDA_C_32F, 1, y.data(), CUDA_C_32F, 1, &one,
                         CUDA_C_32F, CUDA_C_32F),
            No);
}

} // namespace
