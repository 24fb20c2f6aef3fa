// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuRAND says of generators, settings and lengths that are none; the statuses are those of a
// GPU's library.
#include <curand.h>

#include <gtest/gtest.h>

namespace {

class CurandErrors : public testing::TestWithParam<bool> {
protected:
  curandStatus_t create(curandRngType_t type) {
    return GetParam() ? curandCreateGeneratorHost(&generator, type)
                      : curandCreateGenerator(&generator, type);
  }
  void TearDown() override {
    if (generator)
      curandDestroyGenerator(generator);
  }

  curandGenerator_t generator = nullptr;
  float numbers[16];
};

INSTANTIATE_TEST_SUITE_P(, CurandErrors, testing::Bool());

TEST(CurandNull, NoGenerator) {
  float numbers[4];
  EXPECT_EQ(curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_DEFAULT),
            CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandCreateGeneratorHost(nullptr, CURAND_RNG_PSEUDO_DEFAULT),
            CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandGenerateUniform(nullptr, numbers, 4), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandGeneratePoisson(nullptr, nullptr, 4, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(nullptr, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandSetGeneratorOffset(nullptr, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandSetGeneratorOrdering(nullptr, CURAND_ORDERING_PSEUDO_BEST),
            CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(nullptr, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandSetStream(nullptr, nullptr), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandGenerateSeeds(nullptr), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
}

TEST_P(CurandErrors, Types) {
  for (int type : {1, 50, 99, 162, 205})
    EXPECT_EQ(create(curandRngType_t(type)), CURAND_STATUS_TYPE_ERROR) << type;
}

TEST_P(CurandErrors, PseudorandomSettings) {
  ASSERT_EQ(create(CURAND_RNG_PSEUDO_MTGP32), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetGeneratorOffset(generator, 5), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 1), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED),
            CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT),
            CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC),
            GetParam() ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateLongLong(generator, nullptr, 5), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandGenerateLongLong(generator, nullptr, 0), CURAND_STATUS_SUCCESS);
}

TEST_P(CurandErrors, QuasirandomSettings) {
  ASSERT_EQ(create(CURAND_RNG_QUASI_SOBOL64), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 5), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 0), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 20001), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 3), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateUniform(generator, numbers, 10), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandGenerate(generator, nullptr, 3), CURAND_STATUS_TYPE_ERROR);
}

TEST_P(CurandErrors, LengthsAndLambdas) {
  ASSERT_EQ(create(CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerateNormal(generator, numbers, 5, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  for (double lambda : {-1.0, 0.0, 400001.0, 1e9})
    EXPECT_EQ(curandGeneratePoisson(generator, nullptr, 4, lambda), CURAND_STATUS_OUT_OF_RANGE)
        << lambda;
}

TEST(CurandVersion, Parts) {
  int major, minor, patch, version;
  ASSERT_EQ(curandGetProperty(MAJOR_VERSION, &major), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetProperty(MINOR_VERSION, &minor), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetProperty(PATCH_LEVEL, &patch), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandGetVersion(&version), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(version, major * 1000 + minor * 100 + patch);
  EXPECT_EQ(curandGetProperty(libraryPropertyType(9), &version), CURAND_STATUS_OUT_OF_RANGE);
}

} // namespace
