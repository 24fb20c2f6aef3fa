// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT against the definition of the transform: random shapes, layouts and kinds.
#include "fft/cufft_test_data.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cufftXt.h>

using namespace heddle::fft;

namespace {

int64_t pick(std::mt19937 &random, int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(random);
}

Layout randomLayout(const Problem &problem, bool input, std::mt19937 &random) {
  Layout layout{};
  layout.stride = pick(random, 1, 3);
  int64_t size = layout.stride;
  for (int d = 0; d < problem.rank; ++d) {
    int64_t n = d == problem.rank - 1 ? rowElements(problem, input) : problem.n[d];
    layout.embed[d] = n + pick(random, 0, 2);
    size *= layout.embed[d];
  }
  layout.dist = size + pick(random, 0, 5);
  return layout;
}

Problem randomProblem(std::mt19937 &random, Kind kind, Number number) {
  Problem problem{};
  problem.kind = kind, problem.number = number;
  problem.rank = int(pick(random, 1, 3));
  constexpr int64_t Most[] = {60, 13, 7};
  for (int d = 0; d < problem.rank; ++d)
    problem.n[d] = pick(random, 1, Most[problem.rank - 1]);
  problem.batch = pick(random, 1, 4);
  return problem;
}

cufftHandle makePlan(const Problem &p, cudaDataType in, cudaDataType out, cudaDataType by) {
  long long n[3], inEmbed[3], outEmbed[3];
  for (int d = 0; d < 3; ++d)
    n[d] = p.n[d], inEmbed[d] = p.in.embed[d], outEmbed[d] = p.out.embed[d];
  cufftHandle plan;
  size_t size = 1;
  EXPECT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
  EXPECT_EQ(cufftXtMakePlanMany(plan, p.rank, n, p.advanced ? inEmbed : nullptr, p.in.stride,
                                p.in.dist, in, p.advanced ? outEmbed : nullptr, p.out.stride,
                                p.out.dist, out, p.batch, &size, by),
            CUFFT_SUCCESS);
  EXPECT_EQ(size, workBytes(p));
  return plan;
}

template <typename T> cudaDataType typeOf(bool complex) {
  if constexpr (std::is_same_v<T, double>)
    return complex ? CUDA_C_64F : CUDA_R_64F;
  else if constexpr (std::is_same_v<T, float>)
    return complex ? CUDA_C_32F : CUDA_R_32F;
  else if constexpr (std::is_same_v<T, __half>)
    return complex ? CUDA_C_16F : CUDA_R_16F;
  else
    return complex ? CUDA_C_16BF : CUDA_R_16BF;
}

/// Transforms random data by the plan for `problem`, checks every number of the output's memory,
/// gaps included, and that an input out of place is left alone. `shift`: numbers by which the data
/// lie beside an aligned address.
template <typename T>
void checkTransform(const Problem &problem, bool inPlace, bool forward, double tolerance,
                    std::mt19937 &random, int64_t shift = 0) {
  size_t inCount = size_t(extent(problem, true, inPlace)) * elementBytes(problem, true) / sizeof(T);
  size_t outCount =
      size_t(extent(problem, false, inPlace)) * elementBytes(problem, false) / sizeof(T);
  if (inPlace)
    inCount = outCount = std::max(inCount, outCount);
  std::vector<T> in(shift + inCount, T(Gap)), out(shift + outCount, T(Gap));
  std::vector<T> inData(inCount, T(Gap));
  std::vector<Signal> signals;
  for (int64_t b = 0; b < problem.batch; ++b) {
    signals.push_back(randomSignal(problem, forward, random));
    scatter(problem, true, inPlace, b, signals.back().in, inData);
  }
  std::copy(inData.begin(), inData.end(), in.begin() + shift);
  DeviceNumbers<T> from(in), to(out);
  T *target = (inPlace ? from : to).data() + shift;

  bool inComplex = elementBytes(problem, true) == 2 * sizeof(T);
  bool outComplex = elementBytes(problem, false) == 2 * sizeof(T);
  cufftHandle plan =
      makePlan(problem, typeOf<T>(inComplex), typeOf<T>(outComplex), typeOf<T>(true));
  EXPECT_EQ(cufftXtExec(plan, from.data() + shift, target, forward ? CUFFT_FORWARD : CUFFT_INVERSE),
            CUFFT_SUCCESS);
  EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS); // the work may still wait
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);

  std::vector<double> expected(outCount, Gap);
  std::vector<bool> isElement(outCount);
  Layout layout = layoutOf(problem, false, inPlace);
  double largest = 1;
  for (int64_t b = 0; b < problem.batch; ++b) {
    int64_t row = rowElements(problem, false), whole = problem.n[problem.rank - 1];
    for (int64_t i = 0; i < elementCount(problem, false); ++i) {
      int64_t place = placeOf(problem, layout, false, b, i) * (outComplex ? 2 : 1);
      Value value = signals[b].out[i / row * whole + i % row];
      expected[place] = value.real(), isElement[place] = true;
      if (outComplex)
        expected[place + 1] = value.imag(), isElement[place + 1] = true;
      largest = std::max(largest, std::abs(value));
    }
  }
  std::vector<T> result = (inPlace ? from : to).read();
  for (size_t i = 0; i < outCount; ++i) {
    if (isElement[i]) {
      ASSERT_NEAR(double(result[shift + i]), expected[i], tolerance * largest) << "number " << i;
    } else if (!inPlace) {
      ASSERT_EQ(double(result[shift + i]), Gap) << "between elements, number " << i;
    }
  }
  if (!inPlace) {
    std::vector<T> after = from.read();
    ASSERT_EQ(std::memcmp(after.data(), in.data(), in.size() * sizeof(T)), 0)
        << "the input changed";
  }
}

constexpr Kind Kinds[] = {Kind::Complex, Kind::RealToComplex, Kind::ComplexToReal};

template <typename T> void checkRandomProblems(Number number, double tolerance, int count) {
  std::mt19937 random(number == Number::Float ? 1 : 2);
  for (int i = 0; i < count; ++i) {
    Kind kind = Kinds[i % 3];
    Problem problem = randomProblem(random, kind, number);
    bool inPlace = pick(random, 0, 1),
         forward = kind != Kind::ComplexToReal && (kind != Kind::Complex || pick(random, 0, 1));
    problem.advanced = (!inPlace || kind == Kind::Complex) && pick(random, 0, 1);
    if (problem.advanced) {
      problem.in = randomLayout(problem, true, random);
      problem.out = inPlace ? problem.in : randomLayout(problem, false, random);
    }
    SCOPED_TRACE(testing::Message()
                 << "problem " << i << " rank " << problem.rank << " of " << problem.n[0] << ' '
                 << problem.n[1] << ' ' << problem.n[2] << " batch " << problem.batch
                 << (inPlace ? " in place" : "") << (problem.advanced ? " advanced" : ""));
    checkTransform<T>(problem, inPlace, forward, tolerance, random,
                      pick(random, 0, 3) == 0 ? 2 : 0);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Cufft, RandomProblemsInFloat) { checkRandomProblems<float>(Number::Float, 1e-5, 90); }
TEST(Cufft, RandomProblemsInDouble) { checkRandomProblems<double>(Number::Double, 1e-13, 90); }

/// In place with layouts of the two sides that differ: element by element that cannot be done
/// without a copy.
TEST(Cufft, TransposesInPlace) {
  std::mt19937 random(3);
  Problem problem{Kind::Complex, Number::Float, 1, {6}, 5, true, {{6}, 1, 6}, {{6}, 5, 1}};
  checkTransform<float>(problem, true, true, 1e-5, random);
}

/// Real data in rows of the complex rows' length, as "advanced" layouts that say what the basic
/// ones do.
TEST(Cufft, PaddedRowsInPlace) {
  std::mt19937 random(4);
  Problem there{Kind::RealToComplex, Number::Double, 2, {5, 7}, 3, true,
                {{5, 8}, 1, 40},     {{5, 4}, 1, 20}};
  checkTransform<double>(there, true, true, 1e-13, random);
  Problem back{Kind::ComplexToReal, Number::Double, 2, {5, 7}, 3, true,
               {{5, 4}, 1, 20},     {{5, 8}, 1, 40}};
  checkTransform<double>(back, true, false, 1e-13, random);
}

template <typename T> void checkSmallNumbers(Number number, double tolerance) {
  std::mt19937 random(5);
  for (Kind kind : Kinds)
    for (bool inPlace : {false, true})
      for (Problem problem :
           {Problem{kind, number, 1, {32}, 3}, Problem{kind, number, 2, {4, 8}, 2},
            Problem{kind, number, 3, {2, 4, 4}, 1}}) {
        checkTransform<T>(problem, inPlace, kind != Kind::ComplexToReal, tolerance, random);
      }
}

TEST(Cufft, Half) { checkSmallNumbers<__half>(Number::Half, 4e-3); }
TEST(Cufft, BFloat16) { checkSmallNumbers<__nv_bfloat16>(Number::BFloat16, 3e-2); }

/// The sizes that are not measured and use threads: a pure tone has one coefficient.
TEST(Cufft, LargeTransform) {
  constexpr int N = 1 << 19, Tone = 12345;
  std::vector<float2> host(N);
  for (int i = 0; i < N; ++i) {
    double angle = 2 * M_PI * double(int64_t(i) * Tone % N) / N;
    host[i] = {float(std::cos(angle)), float(std::sin(angle))};
  }
  DeviceNumbers<float2> data(host);
  cufftHandle plan;
  ASSERT_EQ(cufftPlan1d(&plan, N, CUFFT_C2C, 1), CUFFT_SUCCESS);
  ASSERT_EQ(cufftExecC2C(plan, data.data(), data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
  std::vector<float2> result = data.read();
  for (int i = 0; i < N; ++i) {
    ASSERT_NEAR(result[i].x, i == Tone ? N : 0, 1e-5 * N) << i;
    ASSERT_NEAR(result[i].y, 0, 1e-5 * N) << i;
  }
  EXPECT_EQ(cufftExecC2C(plan, data.data(), data.data(), CUFFT_INVERSE), CUFFT_SUCCESS);
  result = data.read();
  for (int i = 0; i < N; ++i)
    ASSERT_NEAR(result[i].x / N, host[i].x, 1e-4) << i;
  cufftDestroy(plan);
}

/// The functions for one type each, there and back; every way to make a plan.
TEST(Cufft, TypedFunctions) {
  constexpr int X = 6, Y = 5, Z = 4, N = X * Y * Z;
  std::mt19937 random(6);
  std::vector<float> host(N);
  for (float &v : host)
    v = float(pick(random, -9, 9));
  std::vector<double> host2(host.begin(), host.end());
  DeviceNumbers<float> real(host), back(host);
  DeviceNumbers<double> real2(host2), back2(host2);
  DeviceNumbers<float2> complex((std::vector<float2>(N)));
  DeviceNumbers<double2> complex2((std::vector<double2>(N)));
  int n[] = {X, Y, Z};
  cufftHandle there, again, there2, again2;
  ASSERT_EQ(cufftPlan3d(&there, X, Y, Z, CUFFT_R2C), CUFFT_SUCCESS);
  ASSERT_EQ(cufftPlanMany(&again, 3, n, nullptr, 7, 7, nullptr, 7, 7, CUFFT_C2R, 1), CUFFT_SUCCESS);
  ASSERT_EQ(cufftCreate(&there2), CUFFT_SUCCESS);
  ASSERT_EQ(cufftMakePlan3d(there2, X, Y, Z, CUFFT_D2Z, nullptr), CUFFT_SUCCESS);
  ASSERT_EQ(cufftCreate(&again2), CUFFT_SUCCESS);
  size_t work;
  ASSERT_EQ(cufftMakePlanMany(again2, 3, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, 1, &work),
            CUFFT_SUCCESS);
  EXPECT_EQ(work, X * Y * (Z / 2 + 1) * sizeof(double2));
  EXPECT_EQ(cufftExecR2C(there, real.data(), complex.data()), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecC2R(again, complex.data(), back.data()), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecD2Z(there2, real2.data(), complex2.data()), CUFFT_SUCCESS);
  EXPECT_EQ(cufftExecZ2D(again2, complex2.data(), back2.data()), CUFFT_SUCCESS);
  std::vector<float> result = back.read();
  std::vector<double> result2 = back2.read();
  for (int i = 0; i < N; ++i) {
    EXPECT_NEAR(result[i] / N, host[i], 1e-5);
    EXPECT_NEAR(result2[i] / N, host2[i], 1e-13);
  }
  for (cufftHandle plan : {there, again, there2, again2})
    EXPECT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
}

TEST(Cufft, OneAndTwoDimensionsBatches) {
  std::vector<double2> host(24);
  for (int i = 0; i < 24; ++i)
    host[i] = {double(i % 7), double(i % 5)};
  for (int way = 0; way < 4; ++way) {
    cufftHandle plan;
    long long n[] = {4, 6};
    switch (way) {
    case 0:
      ASSERT_EQ(cufftPlan2d(&plan, 4, 6, CUFFT_Z2Z), CUFFT_SUCCESS);
      break;
    case 1:
      ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
      ASSERT_EQ(cufftMakePlan2d(plan, 4, 6, CUFFT_Z2Z, nullptr), CUFFT_SUCCESS);
      break;
    case 2:
      ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
      ASSERT_EQ(cufftMakePlanMany64(plan, 2, n, n, 1, 24, n, 1, 24, CUFFT_Z2Z, 1, nullptr),
                CUFFT_SUCCESS);
      break;
    default:
      ASSERT_EQ(cufftCreate(&plan), CUFFT_SUCCESS);
      ASSERT_EQ(cufftMakePlan1d(plan, 6, CUFFT_Z2Z, 4, nullptr), CUFFT_SUCCESS);
    }
    DeviceNumbers<double2> data(host);
    ASSERT_EQ(cufftExecZ2Z(plan, data.data(), data.data(), CUFFT_FORWARD), CUFFT_SUCCESS);
    ASSERT_EQ(cufftDestroy(plan), CUFFT_SUCCESS);
    double2 sum{};
    for (int i = 0; i < (way < 3 ? 24 : 6); ++i)
      sum.x += host[i].x, sum.y += host[i].y;
    double2 first = data.read()[0];
    EXPECT_NEAR(first.x, sum.x, 1e-12);
    EXPECT_NEAR(first.y, sum.y, 1e-12);
  }
}

} // namespace
