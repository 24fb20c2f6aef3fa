// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011): ten rounds of multiplications make four words of a counter of 128 bits under a key of 64.
// The key is the seed; the counter's upper half is the subsequence, its lower half counts fours of
// numbers.
#ifndef HEDDLE_RANDOM_PHILOX_H
#define HEDDLE_RANDOM_PHILOX_H

#include "../../host_defines.h"
#include "../../vector_types.h"

/// A Philox generator (cuRAND device API): `output` is what the counter makes, STATE the next of
/// its words.
struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};

typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/// Ten rounds of Philox on a counter and a key.
__host__ __device__ inline uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
    uint4 next;
    next.x = (unsigned)(b >> 32) ^ c.y ^ k.x, next.y = (unsigned)b;
    next.z = (unsigned)(a >> 32) ^ c.w ^ k.y, next.w = (unsigned)a;
    c = next;
    k.x += 0x9e3779b9u, k.y += 0xbb67ae85u;
  }
  return c;
}

namespace heddle {
namespace random {

/// Adds n to the counter of 128 bits.
__host__ __device__ inline void addToCounter(uint4 &c, unsigned long long n) {
  unsigned long long low = (unsigned long long)c.y << 32 | c.x, sum = low + n;
  unsigned long long high = ((unsigned long long)c.w << 32 | c.z) + (sum < low);
  c.x = (unsigned)sum, c.y = (unsigned)(sum >> 32), c.z = (unsigned)high,
  c.w = (unsigned)(high >> 32);
}

/// The word that STATE names of four.
__host__ __device__ inline unsigned chooseWord(const uint4 &v, unsigned at) {
  unsigned low = at & 1 ? v.y : v.x, high = at & 1 ? v.w : v.z;
  return at & 2 ? high : low;
}

/// Four words from word `at` of eight.
__host__ __device__ inline uint4 chooseFour(const uint4 &a, const uint4 &b, unsigned at) {
  uint4 r = a;
  if (at & 1)
    r.x = a.y, r.y = a.z, r.z = a.w, r.w = b.x;
  uint4 late;
  late.x = a.z, late.y = a.w, late.z = b.x, late.w = b.y;
  if (at == 3)
    late.x = a.w, late.y = b.x, late.z = b.y, late.w = b.z;
  return at & 2 ? late : r;
}

} // namespace random
} // namespace heddle

/// The next 32 bits.
__host__ __device__ inline unsigned int curand(curandStatePhilox4_32_10_t *state) {
  unsigned word = heddle::random::chooseWord(state->output, state->STATE++);
  if (state->STATE == 4) {
    heddle::random::addToCounter(state->ctr, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    state->STATE = 0;
  }
  return word;
}

/// The next four times 32 bits.
__host__ __device__ inline uint4 curand4(curandStatePhilox4_32_10_t *state) {
  uint4 before = state->output;
  heddle::random::addToCounter(state->ctr, 1);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
  return heddle::random::chooseFour(before, state->output, state->STATE);
}

/// Skips n numbers.
__host__ __device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned)(n & 3);
  heddle::random::addToCounter(state->ctr, n / 4 + (state->STATE > 3));
  state->STATE &= 3;
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}

/// Skips n subsequences of 2^66 numbers.
__host__ __device__ inline void skipahead_sequence(unsigned long long n,
                                                   curandStatePhilox4_32_10_t *state) {
  unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
  state->ctr.z = (unsigned)high, state->ctr.w = (unsigned)(high >> 32);
  state->output = curand_Philox4x32_10(state->ctr, state->key);
}

/// The generator of the seed, at number `offset` of subsequence `subsequence`.
__host__ __device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                                            unsigned long long offset,
                                            curandStatePhilox4_32_10_t *state) {
  *state = curandStatePhilox4_32_10_t{};
  state->key.x = (unsigned)seed, state->key.y = (unsigned)(seed >> 32);
  state->ctr.z = (unsigned)subsequence, state->ctr.w = (unsigned)(subsequence >> 32);
  skipahead(offset, state);
}

#endif // HEDDLE_RANDOM_PHILOX_H
