// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XORWOW (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003, section 3): a shift
// register of 160 bits and a Weyl sequence. The same code makes the sequences of kernels and of the
// host API.
//
// A jump of n steps applies r(T), r(x) = x^n mod p(x), to the register (make_xorwow_jumps.py says
// why): n's hexadecimal digits each choose a polynomial, and a polynomial is applied in 160 steps,
// so there are no matrices.
#ifndef HEDDLE_RANDOM_XORWOW_H
#define HEDDLE_RANDOM_XORWOW_H

#include "../../host_defines.h"
#include "xorwow_jumps.h"

/// A XORWOW generator (cuRAND device API). The second normal of a pair waits here for the next
/// call.
struct curandStateXORWOW {
  unsigned int d;
  unsigned int v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};

namespace heddle {
namespace random {

constexpr unsigned WeylStep = 362437;

/// One step of the shift register.
__host__ __device__ inline void stepXorwow(unsigned (&v)[5]) {
  unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

/// Applies a polynomial in the register's step to the register.
__host__ __device__ inline void applyXorwow(const unsigned (&polynomial)[5], unsigned (&v)[5]) {
  unsigned sum[5] = {0, 0, 0, 0, 0};
  for (int word = 0; word < 5; ++word)
    for (int bit = 0; bit < 32; ++bit) {
      unsigned chosen = 0u - (polynomial[word] >> bit & 1);
      for (int i = 0; i < 5; ++i)
        sum[i] ^= v[i] & chosen;
      stepXorwow(v);
    }
  for (int i = 0; i < 5; ++i)
    v[i] = sum[i];
}

/// Jumps n times as far as the first entry of the table.
__host__ __device__ inline void jumpXorwow(const unsigned (&table)[16][15][5], unsigned long long n,
                                           unsigned (&v)[5]) {
  for (int digit = 0; n; ++digit, n >>= 4)
    if (n & 15)
      applyXorwow(table[digit][(n & 15) - 1], v);
}

/// The register and the Weyl sequence of a seed, before any jump. Each bit of the seed reaches all
/// words.
__host__ __device__ inline void seedXorwow(unsigned long long seed, curandStateXORWOW &s) {
  unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  s.d = 6615241u + high + low;
  s.v[0] = 123456789u + low, s.v[1] = 362436069u ^ low, s.v[2] = 521288629u + high;
  s.v[3] = 88675123u ^ high, s.v[4] = 5783321u + low;
  s.boxmuller_flag = s.boxmuller_flag_double = 0;
  s.boxmuller_extra = 0, s.boxmuller_extra_double = 0;
}

} // namespace random
} // namespace heddle

typedef struct curandStateXORWOW curandStateXORWOW_t;
/// The default generator of the device API.
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

/// The next 32 bits.
__host__ __device__ inline unsigned int curand(curandStateXORWOW_t *state) {
  heddle::random::stepXorwow(state->v);
  state->d += heddle::random::WeylStep;
  return state->v[4] + state->d;
}

/// Skips n numbers.
__host__ __device__ inline void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  heddle::random::jumpXorwow(heddle::random::XorwowSteps, n, state->v);
  state->d += heddle::random::WeylStep * (unsigned)n;
}

/// Skips n subsequences of 2^67 numbers; the Weyl sequence is back where it was.
__host__ __device__ inline void skipahead_sequence(unsigned long long n,
                                                   curandStateXORWOW_t *state) {
  heddle::random::jumpXorwow(heddle::random::XorwowSequences, n, state->v);
}

/// The generator of the seed, at number `offset` of subsequence `subsequence`.
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset, curandStateXORWOW_t *state) {
  heddle::random::seedXorwow(seed, *state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

#endif // HEDDLE_RANDOM_XORWOW_H
