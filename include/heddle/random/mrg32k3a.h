// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MRG32k3a (L'Ecuyer 1999): two recurrences of order three modulo primes below 2^32, whose
// difference is the number, in [1, m1]. A jump applies a polynomial of degree two for each bit of
// the distance (make_mrg32k3a_jumps.py).
#ifndef HEDDLE_RANDOM_MRG32K3A_H
#define HEDDLE_RANDOM_MRG32K3A_H

#include "../../host_defines.h"
#include "mrg32k3a_jumps.h"

/// An MRG32k3a generator (cuRAND device API); the oldest value of a recurrence is its first.
struct curandStateMRG32k3a {
  unsigned int s1[3];
  unsigned int s2[3];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};

typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace heddle {
namespace random {

constexpr unsigned long long MrgM1 = 4294967087ull, MrgM2 = 4294944443ull;

/// p mod m, for m = 2^32 - C and p < 2^63. Three foldings leave less than 2 m.
template <unsigned long long M> __host__ __device__ inline unsigned foldMrg(unsigned long long p) {
  constexpr unsigned long long C = (1ull << 32) - M;
  p = (p >> 32) * C + (unsigned)p;
  p = (p >> 32) * C + (unsigned)p;
  p = (p >> 32) * C + (unsigned)p;
  return (unsigned)(p >= M ? p - M : p);
}

/// One step of both recurrences; the number in [1, m1].
__host__ __device__ inline unsigned stepMrg(unsigned &a0, unsigned &a1, unsigned &a2, unsigned &b0,
                                            unsigned &b1, unsigned &b2) {
  unsigned p1 = foldMrg<MrgM1>(1403580ull * a1 + 810728ull * (MrgM1 - a0));
  unsigned p2 = foldMrg<MrgM2>(527612ull * b2 + 1370589ull * (MrgM2 - b0));
  a0 = a1, a1 = a2, a2 = p1;
  b0 = b1, b1 = b2, b2 = p2;
  return p1 > p2 ? p1 - p2 : (unsigned)(p1 + (MrgM1 - p2));
}

/// All 32 bits of a number in [1, m1].
__host__ __device__ inline unsigned toMrgBits(unsigned z) { return (unsigned)(z * 1.000000048662); }

/// A number in [1, m1] as one of (0, 1].
__host__ __device__ inline double toMrgDouble(unsigned z) { return z * 2.3283065498378288e-10; }

template <unsigned long long M>
__host__ __device__ inline void applyMrg(const unsigned (&r)[3], const unsigned (&x)[5],
                                         unsigned (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    unsigned long long sum = 0;
    for (int j = 0; j < 3; ++j)
      sum += foldMrg<M>((unsigned long long)r[j] * x[i + j]);
    out[i] = foldMrg<M>(sum);
  }
}

/// Jumps n times as far as the first entry of the table.
__host__ __device__ inline void jumpMrg(const unsigned (&table)[64][2][3], unsigned long long n,
                                        curandStateMRG32k3a &s) {
  for (int bit = 0; n; ++bit, n >>= 1) {
    if (!(n & 1))
      continue;
    unsigned a[5] = {s.s1[0], s.s1[1], s.s1[2], 0, 0}, b[5] = {s.s2[0], s.s2[1], s.s2[2], 0, 0};
    for (int i = 0; i < 2; ++i) {
      a[3 + i] = foldMrg<MrgM1>(1403580ull * a[1 + i] + 810728ull * (MrgM1 - a[i]));
      b[3 + i] = foldMrg<MrgM2>(527612ull * b[2 + i] + 1370589ull * (MrgM2 - b[i]));
    }
    applyMrg<MrgM1>(table[bit][0], a, s.s1);
    applyMrg<MrgM2>(table[bit][1], b, s.s2);
  }
}

/// The next number in [1, m1].
__host__ __device__ inline unsigned nextMrg(curandStateMRG32k3a &s) {
  return stepMrg(s.s1[0], s.s1[1], s.s1[2], s.s2[0], s.s2[1], s.s2[2]);
}

/// The recurrences of a seed, before any jump; 12345 everywhere is L'Ecuyer's default.
__host__ __device__ inline void seedMrg(unsigned long long seed, curandStateMRG32k3a &s) {
  s = curandStateMRG32k3a{};
  unsigned long long low = seed ? (unsigned)seed ^ 0x55555555u : 1;
  unsigned long long high = seed ? (unsigned)(seed >> 32) ^ 0xaaaaaaaau : 1;
  for (int i = 0; i < 3; ++i) {
    s.s1[i] = (unsigned)((i == 1 ? high : low) * 12345 % MrgM1);
    s.s2[i] = (unsigned)((i == 1 ? low : high) * 12345 % MrgM2);
  }
}

} // namespace random
} // namespace heddle

/// The next number in [1, m1], as a double (cuRAND device API, curand_MRG32k3a).
__host__ __device__ inline double curand_MRG32k3a(curandStateMRG32k3a_t *state) {
  return heddle::random::nextMrg(*state);
}

/// The next 32 bits.
__host__ __device__ inline unsigned int curand(curandStateMRG32k3a_t *state) {
  return heddle::random::toMrgBits(heddle::random::nextMrg(*state));
}

/// Skips n numbers.
__host__ __device__ inline void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) {
  heddle::random::jumpMrg(heddle::random::MrgSteps, n, *state);
}

/// Skips n subsequences of 2^76 numbers.
__host__ __device__ inline void skipahead_subsequence(unsigned long long n,
                                                      curandStateMRG32k3a_t *state) {
  heddle::random::jumpMrg(heddle::random::MrgSubsequences, n, *state);
}

/// Skips n sequences of 2^127 numbers.
__host__ __device__ inline void skipahead_sequence(unsigned long long n,
                                                   curandStateMRG32k3a_t *state) {
  heddle::random::jumpMrg(heddle::random::MrgSequences, n, *state);
}

/// The generator of the seed, at number `offset` of subsequence `subsequence`.
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset,
                                            curandStateMRG32k3a_t *state) {
  heddle::random::seedMrg(seed, *state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

#endif // HEDDLE_RANDOM_MRG32K3A_H
