// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator of the host API: settings, and the engine that they make when numbers are wanted.
#pragma once

#include "engine.h"
#include "poisson_table.h"

#include <memory>

/// What a curandGenerator_t points to.
struct curandGenerator_st {
  heddle::rand::Settings settings;
  bool onHost = false;
  cudaStream_t stream = nullptr;

  /// Null until numbers are wanted, and again after each change of a setting. Work in streams
  /// shares it.
  std::shared_ptr<heddle::rand::Engine> engine;
  /// Of the last Poisson distribution.
  std::shared_ptr<const heddle::rand::PoissonTable> poisson;
};

namespace heddle::rand {

/// Whether a type is a quasirandom generator, and whether its numbers have 64 bits.
bool isQuasi(curandRngType_t type);
bool hasLongWords(curandRngType_t type);
/// The default types' own names; CURAND_RNG_TEST for what is none.
curandRngType_t resolveType(curandRngType_t type);
/// Whether a generator of that type can have the ordering, on a device or on the host.
bool hasOrdering(const curandGenerator_st &generator, curandOrdering_t ordering);
/// Makes the engine if there is none.
curandStatus_t prepare(curandGenerator_st &generator);

} // namespace heddle::rand
