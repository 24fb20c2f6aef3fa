// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generator.h"

#include <new>

namespace heddle::rand {

bool isQuasi(curandRngType_t type) { return type >= CURAND_RNG_QUASI_DEFAULT; }

bool hasLongWords(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

curandRngType_t resolveType(curandRngType_t type) {
  switch (type) {
  case CURAND_RNG_PSEUDO_DEFAULT:
    return CURAND_RNG_PSEUDO_XORWOW;
  case CURAND_RNG_QUASI_DEFAULT:
    return CURAND_RNG_QUASI_SOBOL32;
  case CURAND_RNG_PSEUDO_XORWOW:
  case CURAND_RNG_PSEUDO_MRG32K3A:
  case CURAND_RNG_PSEUDO_MTGP32:
  case CURAND_RNG_PSEUDO_MT19937:
  case CURAND_RNG_PSEUDO_PHILOX4_32_10:
  case CURAND_RNG_QUASI_SOBOL32:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
  case CURAND_RNG_QUASI_SOBOL64:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
    return type;
  case CURAND_RNG_TEST:
    break;
  }
  return CURAND_RNG_TEST;
}

bool hasOrdering(const curandGenerator_st &generator, curandOrdering_t ordering) {
  curandRngType_t type = generator.settings.type;
  if (isQuasi(type))
    return ordering == CURAND_ORDERING_QUASI_DEFAULT;
  switch (ordering) {
  case CURAND_ORDERING_PSEUDO_DEFAULT:
  case CURAND_ORDERING_PSEUDO_LEGACY:
    return true;
  case CURAND_ORDERING_PSEUDO_BEST: // MT19937's depends on the device
    return type != CURAND_RNG_PSEUDO_MT19937 || !generator.onHost;
  case CURAND_ORDERING_PSEUDO_DYNAMIC:
    return type != CURAND_RNG_PSEUDO_MT19937 && !generator.onHost;
  case CURAND_ORDERING_PSEUDO_SEEDED:
    return type == CURAND_RNG_PSEUDO_XORWOW;
  case CURAND_ORDERING_QUASI_DEFAULT:
    break;
  }
  return false;
}

namespace {

std::unique_ptr<Engine> makeEngine(const Settings &settings) {
  switch (settings.type) {
  case CURAND_RNG_PSEUDO_XORWOW:
    return makeXorwow(settings);
  case CURAND_RNG_PSEUDO_MRG32K3A:
    return makeMrg32k3a(settings);
  case CURAND_RNG_PSEUDO_MTGP32:
    return makeMtgp32(settings);
  case CURAND_RNG_PSEUDO_MT19937:
    return makeMt19937(settings);
  case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    return makePhilox(settings);
  default:
    return makeSobol(settings);
  }
}

} // namespace

curandStatus_t prepare(curandGenerator_st &generator) {
  if (!generator.engine)
    generator.engine = makeEngine(generator.settings);
  return generator.engine ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

} // namespace heddle::rand
