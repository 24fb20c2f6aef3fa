// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobol's quasirandom sequences in kernels (cuRAND guide, 3.2), in the order of Gray's code
// (Antonov and Saleev 1979): number i is the sum (exclusive or) of the direction vectors that the
// bits of i ^ i / 2 choose, so that each differs from the one before by one vector. Scrambled
// sequences begin at a constant.
#ifndef HEDDLE_RANDOM_SOBOL_H
#define HEDDLE_RANDOM_SOBOL_H

#include "../../curand.h"
#include "../../host_defines.h"

/// A sequence of one dimension: `i` numbers are past, `x` comes.
struct curandStateSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateScrambledSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
struct curandStateSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};

typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

namespace heddle {
namespace random {

/// Number i of a sequence without its constant.
template <typename T> __host__ __device__ inline T sobolNumber(const T *vectors, T i) {
  T x = 0, gray = i ^ i >> 1;
  for (int bit = 0; gray; ++bit, gray >>= 1)
    if (gray & 1)
      x ^= vectors[bit];
  return x;
}

/// Which bit changes in Gray's code after number i; the last one after all.
template <typename T> __host__ __device__ inline int changedBit(T i) {
  constexpr int Last = 8 * (int)sizeof(T) - 1;
  return ~i ? (sizeof(T) == 4 ? __builtin_ctz((unsigned)~i)
                              : __builtin_ctzll(~(unsigned long long)i))
            : Last;
}

template <typename S, typename T>
__host__ __device__ inline void initSobol(const T *vectors, T constant, T offset, S *s) {
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
    s->direction_vectors[bit] = vectors[bit];
  s->c = constant, s->i = offset;
  s->x = constant ^ sobolNumber(vectors, offset);
}

template <typename T, typename S> __host__ __device__ inline T nextSobol(S *s) {
  T x = s->x;
  s->x ^= s->direction_vectors[changedBit(s->i)];
  ++s->i;
  return x;
}

template <typename T, typename S> __host__ __device__ inline void skipSobol(T n, S *s) {
  s->i += n;
  s->x = s->c ^ sobolNumber<T>(s->direction_vectors, s->i);
}

} // namespace random
} // namespace heddle

/// The sequence of a dimension's direction vectors, from number `offset` on; scrambled by a
/// constant.
__host__ __device__ inline void curand_init(curandDirectionVectors32_t direction_vectors,
                                            unsigned int offset, curandStateSobol32_t *state) {
  heddle::random::initSobol(direction_vectors, 0u, offset, state);
}
__host__ __device__ inline void curand_init(curandDirectionVectors32_t direction_vectors,
                                            unsigned int scramble_c, unsigned int offset,
                                            curandStateScrambledSobol32_t *state) {
  heddle::random::initSobol(direction_vectors, scramble_c, offset, state);
}
__host__ __device__ inline void curand_init(curandDirectionVectors64_t direction_vectors,
                                            unsigned long long offset,
                                            curandStateSobol64_t *state) {
  heddle::random::initSobol(direction_vectors, 0ull, offset, state);
}
__host__ __device__ inline void curand_init(curandDirectionVectors64_t direction_vectors,
                                            unsigned long long scramble_c,
                                            unsigned long long offset,
                                            curandStateScrambledSobol64_t *state) {
  heddle::random::initSobol(direction_vectors, scramble_c, offset, state);
}

/// The sequence's next number.
__host__ __device__ inline unsigned int curand(curandStateSobol32_t *state) {
  return heddle::random::nextSobol<unsigned int>(state);
}
__host__ __device__ inline unsigned int curand(curandStateScrambledSobol32_t *state) {
  return heddle::random::nextSobol<unsigned int>(state);
}
__host__ __device__ inline unsigned long long curand(curandStateSobol64_t *state) {
  return heddle::random::nextSobol<unsigned long long>(state);
}
__host__ __device__ inline unsigned long long curand(curandStateScrambledSobol64_t *state) {
  return heddle::random::nextSobol<unsigned long long>(state);
}

/// Skips n numbers.
__host__ __device__ inline void skipahead(unsigned int n, curandStateSobol32_t *state) {
  heddle::random::skipSobol(n, state);
}
__host__ __device__ inline void skipahead(unsigned int n, curandStateScrambledSobol32_t *state) {
  heddle::random::skipSobol(n, state);
}
__host__ __device__ inline void skipahead(unsigned long long n, curandStateSobol64_t *state) {
  heddle::random::skipSobol(n, state);
}
__host__ __device__ inline void skipahead(unsigned long long n,
                                          curandStateScrambledSobol64_t *state) {
  heddle::random::skipSobol(n, state);
}

#endif // HEDDLE_RANDOM_SOBOL_H
