// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host API's numbers: against what a GPU makes, against the device API's functions on the host,
// and by the moments of the distributions; in streams and graphs.
#include "recorded_case.h"

#include <cuda_runtime_api.h>
#include <curand.h>
#include <curand_kernel.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace {

TEST(Curand, MakesWhatAGpuMakes) {
  const struct {
    const char *line;
    unsigned long long hash;
  } Recorded[] = {
#define RECORDED(line, hash) {line, hash},
#include "recorded.inc"
  };
  for (const auto &[line, expected] : Recorded) {
    unsigned long long hash;
    ASSERT_EQ(runRecorded(line, &hash), 0) << line;
    EXPECT_EQ(hash, expected) << line;
  }
}

template <typename T, typename F> std::vector<T> onHost(curandRngType_t type, size_t count, F &&f) {
  curandGenerator_t generator;
  EXPECT_EQ(curandCreateGeneratorHost(&generator, type), CURAND_STATUS_SUCCESS);
  std::vector<T> numbers(count);
  EXPECT_EQ(f(generator, numbers.data()), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  return numbers;
}

/// The numbers that "CUDA Fortran for Scientists and Engineers" prints for seed 1234 are XORWOW's
/// first of each stream.
TEST(Curand, StreamsAreSubsequences) {
  constexpr size_t Count = 3 * 4096 + 17;
  auto numbers = onHost<unsigned>(CURAND_RNG_PSEUDO_XORWOW, Count, [](auto g, unsigned *out) {
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    return curandGenerate(g, out, Count);
  });
  for (size_t i : {size_t(0), size_t(1), size_t(5), size_t(4095), size_t(4096), Count - 1}) {
    curandState s;
    curand_init(1234, i % 4096, i / 4096, &s);
    EXPECT_EQ(numbers[i], curand(&s)) << i;
  }
}

/// A stream's words go out as eight threads of a GPU hold them.
TEST(Curand, Mt19937IsTheStandards) {
  auto numbers = onHost<unsigned>(CURAND_RNG_PSEUDO_MT19937, 8, [](auto g, unsigned *out) {
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    return curandGenerate(g, out, 8);
  });
  std::mt19937 standard(1234);
  std::vector<unsigned> sequence(624);
  for (unsigned &x : sequence)
    x = unsigned(standard());
  const size_t first[] = {0, 113, 170, 283, 340, 397, 510, 567};
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(numbers[i], sequence[first[i]]);
  }
}

TEST(Curand, JumpsAreSteps) {
  curandStateMRG32k3a m, n;
  curand_init(99, 3, 1000, &m), curand_init(99, 3, 0, &n);
  curandStateXORWOW x, y;
  curand_init(99, 3, 1000, &x), curand_init(99, 3, 0, &y);
  curandStatePhilox4_32_10_t p, q;
  curand_init(99, 3, 1001, &p), curand_init(99, 3, 1, &q);
  for (int i = 0; i < 1000; ++i)
    curand(&n), curand(&y), curand(&q);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(curand(&m), curand(&n));
    EXPECT_EQ(curand(&x), curand(&y));
    EXPECT_EQ(curand(&p), curand(&q));
  }
}

template <typename T>
void expectMoments(const std::vector<T> &numbers, double mean, double variance) {
  double sum = 0, squares = 0;
  for (T x : numbers)
    sum += x, squares += (x - mean) * (x - mean);
  double n = double(numbers.size());
  EXPECT_NEAR(sum / n, mean, 6 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 12 * variance / std::sqrt(n) + 12 * std::sqrt(variance / n));
}

TEST(Curand, MomentsOfAllTypes) {
  constexpr size_t Count = 100000;
  for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
                               CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                               CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                               CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
    SCOPED_TRACE(type);
    expectMoments(
        onHost<float>(type, Count,
                      [](auto g, float *o) { return curandGenerateUniform(g, o, Count); }),
        0.5, 1.0 / 12);
    expectMoments(
        onHost<double>(type, Count,
                       [](auto g, double *o) { return curandGenerateUniformDouble(g, o, Count); }),
        0.5, 1.0 / 12);
    expectMoments(
        onHost<float>(type, Count,
                      [](auto g, float *o) { return curandGenerateNormal(g, o, Count, 3, 2); }),
        3, 4);
    expectMoments(onHost<double>(type, Count,
                                 [](auto g, double *o) {
                                   return curandGenerateNormalDouble(g, o, Count, 3, 2);
                                 }),
                  3, 4);
    double logMean = std::exp(0.125), logVariance = (std::exp(0.25) - 1) * std::exp(0.25);
    expectMoments(onHost<float>(type, Count,
                                [](auto g, float *o) {
                                  return curandGenerateLogNormal(g, o, Count, 0, 0.5f);
                                }),
                  logMean, logVariance);
    expectMoments(onHost<double>(type, Count,
                                 [](auto g, double *o) {
                                   return curandGenerateLogNormalDouble(g, o, Count, 0, 0.5);
                                 }),
                  logMean, logVariance);
    for (double lambda : {0.5, 7.0, 90.0, 5000.0})
      expectMoments(onHost<unsigned>(type, Count,
                                     [&](auto g, unsigned *o) {
                                       return curandGeneratePoisson(g, o, Count, lambda);
                                     }),
                    lambda, lambda);
  }
}

TEST(Curand, ContinuesInAGraph) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  constexpr size_t Count = 5000;
  unsigned *numbers;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&numbers), Count * sizeof *numbers), cudaSuccess);
  curandGenerator_t generator;
  ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandSetStream(generator, stream), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGenerateSeeds(generator), CURAND_STATUS_SUCCESS);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(curandGenerate(generator, numbers, Count), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int launch = 0; launch < 3; ++launch)
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  std::vector<unsigned> last(Count);
  ASSERT_EQ(cudaMemcpyAsync(last.data(), numbers, Count * sizeof *numbers, cudaMemcpyDeviceToHost,
                            stream),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  auto all = onHost<unsigned>(CURAND_RNG_PSEUDO_DEFAULT, 3 * Count,
                              [](auto g, unsigned *o) { return curandGenerate(g, o, 3 * Count); });
  EXPECT_TRUE(std::equal(last.begin(), last.end(), all.begin() + 2 * Count));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  curandDestroyGenerator(generator);
  cudaFree(numbers);
  cudaStreamDestroy(stream);
}

TEST(Curand, TablesOfSobol) {
  curandDirectionVectors32_t *words, *scrambled;
  curandDirectionVectors64_t *longs, *scrambledLongs;
  ASSERT_EQ(curandGetDirectionVectors32(&words, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetDirectionVectors64(&longs, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetDirectionVectors32(&scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  ASSERT_EQ(
      curandGetDirectionVectors64(&scrambledLongs, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6),
      CURAND_STATUS_SUCCESS);
  unsigned *constants;
  unsigned long long *longConstants;
  ASSERT_EQ(curandGetScrambleConstants32(&constants), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetScrambleConstants64(&longConstants), CURAND_STATUS_SUCCESS);
  unsigned long long hash = 1469598103934665603ull;
  for (size_t i = 0; i < 20000 * sizeof *words; ++i)
    hash = (hash ^ reinterpret_cast<unsigned char *>(words)[i]) * 1099511628211ull;
  EXPECT_EQ(hash, 0x8d01daffe21f41cbull); // of a GPU's table
  for (int d : {0, 1, 2, 777, 19999}) {
    EXPECT_EQ(constants[d], longConstants[d] >> 32);
    for (int k = 0; k < 32; ++k) {
      EXPECT_EQ(words[d][k], longs[d][k] >> 32);
      EXPECT_EQ(scrambled[d][k], scrambledLongs[d][k] >> 32);
    }
    // A triangular matrix keeps what the first k vectors span of the upper k bits.
    EXPECT_EQ(scrambledLongs[d][0] >> 63, 1u);
  }
}

TEST(Curand, DiscreteDistribution) {
  curandDiscreteDistribution_t distribution;
  ASSERT_EQ(curandCreatePoissonDistribution(20, &distribution), CURAND_STATUS_SUCCESS);
  curandDiscreteDistribution_st head;
  ASSERT_EQ(cudaMemcpy(&head, distribution, sizeof head, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(head.shift, 0u);
  EXPECT_EQ(head.length, 374u); // as on a GPU: those whose probability is no zero
  EXPECT_EQ(curandDestroyDistribution(distribution), CURAND_STATUS_SUCCESS);
}

} // namespace
