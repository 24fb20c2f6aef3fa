// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What module curand_device needs: cuRAND's device functions under C names, for each type of state. States are copied in and
// out, for Fortran's variables may not have the alignment that C++ gives them.
#include <curand_kernel.h>

#include <cstring>

namespace {

template <class State> struct Copied {
  __device__ explicit Copied(void *at) : at(at) { memcpy(&state, at, sizeof state); }
  __device__ ~Copied() { memcpy(at, &state, sizeof state); }
  void *at;
  State state;
};

} // namespace

#define DRAW(State, Result, Name, function)                                                        \
  extern "C" __device__ Result heddleRandom##Name##State(void *at) {                              \
    Copied<State##_t> copied(at);                                                                  \
    return function(&copied.state);                                                                \
  }
#define DRAW_LOG(State, Type, Name, function)                                                      \
  extern "C" __device__ Type heddleRandom##Name##State(void *at, Type mean, Type deviation) {     \
    Copied<State##_t> copied(at);                                                                  \
    return function(&copied.state, mean, deviation);                                               \
  }
#define DISTRIBUTIONS(State)                                                                       \
  extern "C" __device__ unsigned heddleRandomPoisson##State(void *at, double lambda) {            \
    Copied<State##_t> copied(at);                                                                  \
    return curand_poisson(&copied.state, lambda);                                                  \
  }                                                                                                \
  DRAW(State, float, Uniform, curand_uniform)                                                      \
  DRAW(State, double, UniformDouble, curand_uniform_double)                                        \
  DRAW(State, float, Normal, curand_normal)                                                        \
  DRAW(State, double, NormalDouble, curand_normal_double)                                          \
  DRAW_LOG(State, float, LogNormal, curand_log_normal)                                             \
  DRAW_LOG(State, double, LogNormalDouble, curand_log_normal_double)
#define GENERATOR(State)                                                                           \
  extern "C" __device__ void heddleRandomInit##State(                                             \
      unsigned long long seed, unsigned long long sequence, unsigned long long offset, void *at) { \
    Copied<State##_t> copied(at);                                                                  \
    curand_init(seed, sequence, offset, &copied.state);                                            \
  }                                                                                                \
  extern "C" __device__ void heddleRandomSkip##State(unsigned long long count, void *at) {        \
    Copied<State##_t> copied(at);                                                                  \
    skipahead(count, &copied.state);                                                               \
  }                                                                                                \
  extern "C" __device__ void heddleRandomSkipSequence##State(unsigned long long count,            \
                                                              void *at) {                          \
    Copied<State##_t> copied(at);                                                                  \
    skipahead_sequence(count, &copied.state);                                                      \
  }                                                                                                \
  DRAW(State, unsigned, Bits, curand)                                                              \
  DISTRIBUTIONS(State)
#define SOBOL(State, Word)                                                                         \
  extern "C" __device__ void heddleRandomInit##State(Word *vectors, Word offset, void *at) {      \
    Copied<State##_t> copied(at);                                                                  \
    curand_init(vectors, offset, &copied.state);                                                   \
  }                                                                                                \
  SEQUENCE(State, Word)
#define SCRAMBLED_SOBOL(State, Word)                                                               \
  extern "C" __device__ void heddleRandomInit##State(Word *vectors, Word scramble, Word offset,   \
                                                      void *at) {                                  \
    Copied<State##_t> copied(at);                                                                  \
    curand_init(vectors, scramble, offset, &copied.state);                                         \
  }                                                                                                \
  SEQUENCE(State, Word)
#define SEQUENCE(State, Word)                                                                      \
  extern "C" __device__ void heddleRandomSkip##State(Word count, void *at) {                      \
    Copied<State##_t> copied(at);                                                                  \
    skipahead(count, &copied.state);                                                               \
  }                                                                                                \
  DRAW(State, Word, Bits, curand)                                                                  \
  DISTRIBUTIONS(State)

/// A state of a block stays where it is.
template <> struct Copied<curandStateMtgp32_t> {
  __device__ explicit Copied(void *at) : state(*static_cast<curandStateMtgp32_t *>(at)) {}
  curandStateMtgp32_t &state;
};

GENERATOR(curandStateXORWOW)
GENERATOR(curandStateMRG32k3a)
GENERATOR(curandStatePhilox4_32_10)
SOBOL(curandStateSobol32, unsigned)
SCRAMBLED_SOBOL(curandStateScrambledSobol32, unsigned)
SOBOL(curandStateSobol64, unsigned long long)
SCRAMBLED_SOBOL(curandStateScrambledSobol64, unsigned long long)
DRAW(curandStateMtgp32, unsigned, Bits, curand)
DISTRIBUTIONS(curandStateMtgp32)
extern "C" __device__ unsigned heddleRandomMtgp32Specific(curandStateMtgp32_t *state, int index, int n) {
  return curand_mtgp32_specific(state, index, n);
}
extern "C" __device__ float heddleRandomMtgp32Single(curandStateMtgp32_t *state) { return curand_mtgp32_single(state); }
extern "C" __device__ float heddleRandomMtgp32SingleSpecific(curandStateMtgp32_t *state, int index, int n) {
  return curand_mtgp32_single_specific(state, index, n);
}
static_assert(sizeof(curandStateXORWOW_t) == 48 && sizeof(curandStateMRG32k3a_t) == 48 &&
              sizeof(curandStatePhilox4_32_10_t) == 64 && sizeof(curandStateSobol32_t) == 140 &&
              sizeof(curandStateScrambledSobol64_t) == 536 && sizeof(curandStateMtgp32_t) == 4112);
