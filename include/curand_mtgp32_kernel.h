// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32 in kernels (cuRAND guide, 3.1.2): up to 256 threads of a block draw together from one
// state, one number each; so all threads of the block call these functions, and they meet in
// barriers.
#ifndef HEDDLE_CURAND_MTGP32_KERNEL_H
#define HEDDLE_CURAND_MTGP32_KERNEL_H
#define CURAND_MTGP32_KERNEL_H

#ifdef __cplusplus // there is no C form of the device API

#include "curand_mtgp32.h"
#include "heddle/random/mtgp32_step.h"

#ifdef __CUDACC__

namespace heddle {
namespace random {

/// Thread t of d takes its number: the tempering's row is one of `tables`. Values have no shift but
/// in single form.
template <bool Single>
__device__ inline unsigned drawMtgp(curandStateMtgp32_t *state, unsigned t, unsigned d) {
  const mtgp32_kernel_params_t *k = state->k;
  int set = state->pIdx;
  unsigned pos = k->pos_tbl[set], *s = state->s, at = t + (unsigned)state->offset;
  unsigned r = recurMtgp(s[at & MTGP32_STATE_MASK], s[(at + 1) & MTGP32_STATE_MASK],
                         s[(at + pos) & MTGP32_STATE_MASK], k->mask[0], k->sh1_tbl[set],
                         k->sh2_tbl[set], k->param_tbl[set]);
  s[(at + MTGP32_N) & MTGP32_STATE_MASK] = r;
  unsigned row = temperMtgp(s[(at + pos - 1) & MTGP32_STATE_MASK]);
  unsigned number = Single ? r >> 9 ^ k->single_temper_tbl[set][row] : r ^ k->temper_tbl[set][row];
  __syncthreads();
  if (t == 0)
    state->offset = (int)(((unsigned)state->offset + d) & MTGP32_STATE_MASK);
  __syncthreads();
  return number;
}

__device__ inline unsigned threadOfBlock() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ inline unsigned threadsOfBlock() { return blockDim.x * blockDim.y * blockDim.z; }

} // namespace random
} // namespace heddle

/// The next 32 bits for each thread of the block.
__device__ inline unsigned int curand(curandStateMtgp32_t *state) {
  return heddle::random::drawMtgp<false>(state, heddle::random::threadOfBlock(),
                                         heddle::random::threadsOfBlock());
}

/// The same for thread number `index` of the n that draw.
__device__ inline unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state,
                                                      unsigned char index, unsigned char n) {
  return heddle::random::drawMtgp<false>(state, index, n);
}

/// A number of [1, 2) for each thread, and for thread number `index` of n.
__device__ inline float curand_mtgp32_single(curandStateMtgp32_t *state) {
  return __uint_as_float(heddle::random::drawMtgp<true>(state, heddle::random::threadOfBlock(),
                                                        heddle::random::threadsOfBlock()));
}
__device__ inline float curand_mtgp32_single_specific(curandStateMtgp32_t *state,
                                                      unsigned char index, unsigned char n) {
  return __uint_as_float(heddle::random::drawMtgp<true>(state, index, n));
}

#endif // __CUDACC__

#endif // __cplusplus

#endif // HEDDLE_CURAND_MTGP32_KERNEL_H
