// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host API's functions: checks of arguments, in the order that a GPU's library makes them, and
// then the work, in the generator's stream or, for a generator of the host, at once.
#include "generator.h"
#include "sobol_tables.h"
#include "support/stream_work.h"

#include <new>

using namespace heddle::rand;
namespace library = heddle::library;

#define HEDDLE_API extern "C" __attribute__((visibility("default")))

namespace {

curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool onHost) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  curandRngType_t resolved = resolveType(type);
  if (resolved == CURAND_RNG_TEST)
    return CURAND_STATUS_TYPE_ERROR;
  auto *made = new (std::nothrow) curandGenerator_st;
  if (!made)
    return CURAND_STATUS_ALLOCATION_FAILED;
  made->settings.type = resolved;
  made->settings.ordering =
      isQuasi(resolved) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
  made->onHost = onHost;
  *generator = made;
  return CURAND_STATUS_SUCCESS;
}

/// Changes a setting, after which the sequence begins anew.
template <typename T>
curandStatus_t change(curandGenerator_t generator, T Settings::*setting, T value) {
  generator->settings.*setting = value;
  generator->engine.reset();
  return CURAND_STATUS_SUCCESS;
}

/// True for the generators whose normal numbers come in pairs that a call cannot split.
bool makesPairs(curandRngType_t type) {
  return type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A;
}

library::MemoryRows memoryOf(const Request &request) {
  Distribution d = request.distribution;
  bool isLong = d == Distribution::Bits64 || d == Distribution::UniformDouble ||
                d == Distribution::NormalDouble;
  int64_t bytes = int64_t(request.count) * (isLong ? 8 : 4);
  return library::written({request.output, bytes, bytes, 1});
}

curandStatus_t generate(curandGenerator_t generator, Request request) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  const Settings &settings = generator->settings;
  bool normal = request.distribution == Distribution::Normal ||
                request.distribution == Distribution::NormalDouble;
  bool isLong = hasLongWords(settings.type);
  if ((request.distribution == Distribution::Bits && isLong) ||
      (request.distribution == Distribution::Bits64 && !isLong))
    return request.count == 0 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_TYPE_ERROR;
  if ((isQuasi(settings.type) && request.count % settings.dimensions != 0) ||
      (normal && makesPairs(settings.type) && request.count % 2 != 0))
    return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (request.count == 0)
    return CURAND_STATUS_SUCCESS;
  if (curandStatus_t status = prepare(*generator); status != CURAND_STATUS_SUCCESS)
    return status;
  auto work = [engine = generator->engine, poisson = generator->poisson, request] {
    engine->generate(request);
  };
  if (generator->onHost) {
    work();
    return CURAND_STATUS_SUCCESS;
  }
  const std::initializer_list<library::MemoryRows> memory = {memoryOf(request)};
  if (!library::mayAccess(memory))
    return CURAND_STATUS_LAUNCH_FAILURE;
  return library::enqueue(generator->stream, work, library::toTell(memory)) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t generateNormal(curandGenerator_t generator, Distribution distribution, void *output,
                              size_t count, double mean, double deviation, bool exponential) {
  Request request{distribution, output, count};
  request.mean = mean, request.deviation = deviation, request.exponential = exponential;
  return generate(generator, request);
}

/// Hands out a table, which lives as long as the program and is not to be written.
template <typename To, typename From> curandStatus_t give(To **to, const From *table) {
  *to = const_cast<To *>(table);
  return table ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

} // namespace

HEDDLE_API curandStatus_t curandCreateGenerator(curandGenerator_t *generator,
                                                curandRngType_t rng_type) {
  return create(generator, rng_type, false);
}

HEDDLE_API curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                                    curandRngType_t rng_type) {
  return create(generator, rng_type, true);
}

HEDDLE_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

HEDDLE_API curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

HEDDLE_API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                             unsigned long long seed) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (isQuasi(generator->settings.type))
    return CURAND_STATUS_TYPE_ERROR;
  return change(generator, &Settings::seed, seed);
}

HEDDLE_API curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                                   unsigned long long offset) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (generator->settings.type == CURAND_RNG_PSEUDO_MTGP32 ||
      generator->settings.type == CURAND_RNG_PSEUDO_MT19937)
    return CURAND_STATUS_TYPE_ERROR;
  return change(generator, &Settings::offset, offset);
}

HEDDLE_API curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                                     curandOrdering_t order) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (!hasOrdering(*generator, order))
    return CURAND_STATUS_OUT_OF_RANGE;
  return change(generator, &Settings::ordering, order);
}

HEDDLE_API curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                                  unsigned num_dimensions) {
  constexpr unsigned MaxDimensions = 20000;
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (!isQuasi(generator->settings.type))
    return CURAND_STATUS_TYPE_ERROR;
  if (num_dimensions < 1 || num_dimensions > MaxDimensions)
    return CURAND_STATUS_OUT_OF_RANGE;
  return change(generator, &Settings::dimensions, num_dimensions);
}

HEDDLE_API curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *outputPtr,
                                         size_t num) {
  return generate(generator, {Distribution::Bits, outputPtr, num});
}

HEDDLE_API curandStatus_t curandGenerateLongLong(curandGenerator_t generator,
                                                 unsigned long long *outputPtr, size_t num) {
  return generate(generator, {Distribution::Bits64, outputPtr, num});
}

HEDDLE_API curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *outputPtr,
                                                size_t num) {
  return generate(generator, {Distribution::Uniform, outputPtr, num});
}

HEDDLE_API curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator,
                                                      double *outputPtr, size_t num) {
  return generate(generator, {Distribution::UniformDouble, outputPtr, num});
}

HEDDLE_API curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *outputPtr,
                                               size_t n, float mean, float stddev) {
  return generateNormal(generator, Distribution::Normal, outputPtr, n, mean, stddev, false);
}

HEDDLE_API curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr,
                                                     size_t n, double mean, double stddev) {
  return generateNormal(generator, Distribution::NormalDouble, outputPtr, n, mean, stddev, false);
}

HEDDLE_API curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr,
                                                  size_t n, float mean, float stddev) {
  return generateNormal(generator, Distribution::Normal, outputPtr, n, mean, stddev, true);
}

HEDDLE_API curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator,
                                                        double *outputPtr, size_t n, double mean,
                                                        double stddev) {
  return generateNormal(generator, Distribution::NormalDouble, outputPtr, n, mean, stddev, true);
}

HEDDLE_API curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *outputPtr,
                                                size_t n, double lambda) {
  if (!generator)
    return CURAND_STATUS_NOT_INITIALIZED;
  if (!(lambda > 0 && lambda <= PoissonTable::MaxLambda))
    return CURAND_STATUS_OUT_OF_RANGE;
  if (!generator->poisson || generator->poisson->lambda() != lambda)
    generator->poisson = std::make_shared<PoissonTable>(
        lambda, heddle::rand::poissonMethod(generator->settings.type, lambda));
  Request request{Distribution::Poisson, outputPtr, n};
  request.poisson = generator->poisson.get();
  return generate(generator, request);
}

HEDDLE_API curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator ? prepare(*generator) : CURAND_STATUS_NOT_INITIALIZED;
}

HEDDLE_API curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                                      curandDirectionVectorSet_t set) {
  if (!vectors)
    return CURAND_STATUS_OUT_OF_RANGE;
  switch (set) {
  case CURAND_DIRECTION_VECTORS_32_JOEKUO6:
    return give(vectors, SobolTables<uint32_t>::plain());
  case CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6:
    return give(vectors, SobolTables<uint32_t>::scrambled());
  default:
    return CURAND_STATUS_OUT_OF_RANGE;
  }
}

HEDDLE_API curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                                      curandDirectionVectorSet_t set) {
  if (!vectors)
    return CURAND_STATUS_OUT_OF_RANGE;
  switch (set) {
  case CURAND_DIRECTION_VECTORS_64_JOEKUO6:
    return give(vectors, SobolTables<unsigned long long>::plain());
  case CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6:
    return give(vectors, SobolTables<unsigned long long>::scrambled());
  default:
    return CURAND_STATUS_OUT_OF_RANGE;
  }
}

HEDDLE_API curandStatus_t curandGetScrambleConstants32(unsigned **constants) {
  return constants ? give(constants, SobolTables<uint32_t>::constants())
                   : CURAND_STATUS_OUT_OF_RANGE;
}

HEDDLE_API curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) {
  return constants ? give(constants, SobolTables<unsigned long long>::constants())
                   : CURAND_STATUS_OUT_OF_RANGE;
}

HEDDLE_API curandStatus_t curandGetVersion(int *version) {
  if (!version)
    return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

HEDDLE_API curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  if (!value)
    return CURAND_STATUS_OUT_OF_RANGE;
  switch (type) {
  case MAJOR_VERSION:
    *value = CURAND_VER_MAJOR;
    return CURAND_STATUS_SUCCESS;
  case MINOR_VERSION:
    *value = CURAND_VER_MINOR;
    return CURAND_STATUS_SUCCESS;
  case PATCH_LEVEL:
    *value = CURAND_VER_PATCH;
    return CURAND_STATUS_SUCCESS;
  }
  return CURAND_STATUS_OUT_OF_RANGE;
}
