// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recurrence of MTGP32, for kernels and for the host API.
#ifndef HEDDLE_RANDOM_MTGP32_STEP_H
#define HEDDLE_RANDOM_MTGP32_STEP_H

#include "../../curand_mtgp32.h"
#include "../../host_defines.h"

namespace heddle {
namespace random {

/// The value 351 places on from x1, which x2 follows; y is the one `pos` places on.
__host__ __device__ inline unsigned recurMtgp(unsigned x1, unsigned x2, unsigned y, unsigned mask,
                                              unsigned sh1, unsigned sh2, const unsigned *table) {
  unsigned x = (x1 & mask) ^ x2;
  x ^= x << sh1;
  y = x ^ y >> sh2;
  return y ^ table[y & 15];
}

/// Which sum of the tempering matrix's rows goes with the value before `pos`.
__host__ __device__ inline unsigned temperMtgp(unsigned t) {
  t ^= t >> 16;
  t ^= t >> 8;
  return t & 15;
}

/// The first values of the set's sequence, 351 of them.
inline void seedMtgp(unsigned *values, const mtgp32_params_fast_t &set, unsigned seed) {
  unsigned hidden = set.tbl[4] ^ set.tbl[8] << 16, fill = hidden;
  fill += fill >> 16;
  fill += fill >> 8;
  for (int i = 0; i < MTGP32_N; ++i)
    values[i] = (fill & 0xff) * 0x01010101u;
  values[0] = seed, values[1] = hidden;
  for (unsigned i = 1; i < MTGP32_N; ++i)
    values[i] ^= 1812433253u * (values[i - 1] ^ values[i - 1] >> 30) + i;
}

/// The seed of set number `index` of a generator.
inline unsigned mtgpSeed(unsigned long long seed, unsigned index) {
  return (unsigned)(seed ^ seed >> 32) + index + 1;
}

} // namespace random
} // namespace heddle

#endif // HEDDLE_RANDOM_MTGP32_STEP_H
