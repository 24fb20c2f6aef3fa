// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device API's distributions (cuRAND guide, 3.1.4) over the generators: what each takes of a
// generator's words is what NVIDIA's functions take, so that sequences of mixed calls agree.
#ifndef HEDDLE_RANDOM_DISTRIBUTIONS_H
#define HEDDLE_RANDOM_DISTRIBUTIONS_H

#include "inverse_normal.h"
#include "mrg32k3a.h"
#include "philox.h"
#include "uniform.h"
#include "xorwow.h"

#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

namespace heddle {
namespace random {

/// The generators whose normal numbers come in pairs, of which one waits in the state.
template <typename S> struct IsPaired {
  static constexpr bool value = false;
};
template <> struct IsPaired<curandStateXORWOW> {
  static constexpr bool value = true;
};
template <> struct IsPaired<curandStateMRG32k3a> {
  static constexpr bool value = true;
};
template <> struct IsPaired<curandStatePhilox4_32_10> {
  static constexpr bool value = true;
};

template <bool Condition, typename T> struct EnableIf {};
template <typename T> struct EnableIf<true, T> {
  using type = T;
};
template <typename S, typename T> using IfPaired = typename EnableIf<IsPaired<S>::value, T>::type;
template <typename S, typename T> using IfSingle = typename EnableIf<!IsPaired<S>::value, T>::type;

/// The upper 32 bits of a word, which are all of most.
__host__ __device__ inline unsigned upperWord(unsigned word) { return word; }
__host__ __device__ inline unsigned upperWord(unsigned long long word) {
  return (unsigned)(word >> 32);
}

// A uniform number of a generator's next words. MRG32k3a's are quotients by its modulus; the
// others' are the middles of words' intervals, and in double precision of 53 bits where two words
// are taken.
template <typename S> __host__ __device__ inline float nextUniform(S *s) {
  return toUniform(upperWord(curand(s)));
}
__host__ __device__ inline float nextUniform(curandStateMRG32k3a *s) {
  return (float)toMrgDouble(nextMrg(*s));
}
template <typename S> __host__ __device__ inline double nextUniformDouble(S *s) {
  return toUniformDouble(curand(s));
}
__host__ __device__ inline double nextUniformDouble(curandStateMRG32k3a *s) {
  return toMrgDouble(nextMrg(*s));
}
__host__ __device__ inline double nextUniformDouble(curandStateXORWOW *s) {
  unsigned low = curand(s);
  return toUniformDouble(low, curand(s));
}

/// A pair of uniform numbers in double precision, of all the words that a pair of normal ones
/// takes.
template <typename S> __host__ __device__ inline double2 nextUniformPair(S *s) {
  double2 r;
  r.x = nextUniformDouble(s), r.y = nextUniformDouble(s);
  return r;
}
__host__ __device__ inline double2 nextUniformPair(curandStatePhilox4_32_10 *s) {
  uint4 words = curand4(s);
  double2 r;
  r.x = toUniformDouble(words.x, words.y), r.y = toUniformDouble(words.z, words.w);
  return r;
}

/// A pair of normal numbers of a pair of uniform ones (Box and Muller 1958).
__host__ __device__ inline float2 toNormalPair(float u, float turns) {
  float distance = sqrtf(-2.0f * logf(u)), sine, cosine;
  sincosf(turns * 6.283185307f, &sine, &cosine);
  float2 r;
  r.x = sine * distance, r.y = cosine * distance;
  return r;
}
__host__ __device__ inline double2 toNormalPair(double u, double turns) {
  double distance = sqrt(-2.0 * log(u)), sine, cosine;
  sincos(turns * 6.283185307179586477, &sine, &cosine);
  double2 r;
  r.x = sine * distance, r.y = cosine * distance;
  return r;
}

} // namespace random
} // namespace heddle

/// A uniform number of (0, 1].
template <typename S> __host__ __device__ inline float curand_uniform(S *state) {
  return heddle::random::nextUniform(state);
}
template <typename S> __host__ __device__ inline double curand_uniform_double(S *state) {
  return heddle::random::nextUniformDouble(state);
}

/// Two normal numbers of mean 0 and deviation 1.
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, float2> curand_normal2(S *state) {
  float u = heddle::random::nextUniform(state);
  return heddle::random::toNormalPair(u, heddle::random::nextUniform(state));
}
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, double2> curand_normal2_double(S *state) {
  double2 u = heddle::random::nextUniformPair(state);
  return heddle::random::toNormalPair(u.x, u.y);
}

/// A normal number; every second one is what the last pair left.
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, float> curand_normal(S *state) {
  if (state->boxmuller_flag) {
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
  }
  float2 pair = curand_normal2(state);
  state->boxmuller_flag = 1, state->boxmuller_extra = pair.y;
  return pair.x;
}
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, double> curand_normal_double(S *state) {
  if (state->boxmuller_flag_double) {
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
  }
  double2 pair = curand_normal2_double(state);
  state->boxmuller_flag_double = 1, state->boxmuller_extra_double = pair.y;
  return pair.x;
}

/// A normal number of one word, by the inverse of the distribution's integral: of MTGP32, whose
/// threads draw together, and of quasirandom sequences, whose order it keeps.
template <typename S>
__host__ __device__ inline heddle::random::IfSingle<S, float> curand_normal(S *state) {
  return heddle::random::inverseNormalOf(heddle::random::upperWord(curand(state)));
}
template <typename S>
__host__ __device__ inline heddle::random::IfSingle<S, double> curand_normal_double(S *state) {
  return heddle::random::inverseNormalDoubleOf(curand(state));
}

/// Numbers whose logarithms are normal, of that mean and deviation.
template <typename S>
__host__ __device__ inline float curand_log_normal(S *state, float mean, float stddev) {
  return expf(mean + stddev * curand_normal(state));
}
template <typename S>
__host__ __device__ inline double curand_log_normal_double(S *state, double mean, double stddev) {
  return exp(mean + stddev * curand_normal_double(state));
}
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, float2>
curand_log_normal2(S *state, float mean, float stddev) {
  float2 r = curand_normal2(state);
  r.x = expf(mean + stddev * r.x), r.y = expf(mean + stddev * r.y);
  return r;
}
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, double2>
curand_log_normal2_double(S *state, double mean, double stddev) {
  double2 r = curand_normal2_double(state);
  r.x = exp(mean + stddev * r.x), r.y = exp(mean + stddev * r.y);
  return r;
}

#endif // HEDDLE_RANDOM_DISTRIBUTIONS_H
