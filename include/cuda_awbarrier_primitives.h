// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in shared memory that threads arrive at and wait for in two steps (CUDA guide,
// "Asynchronous Barrier", primitives interface).
#ifndef HEDDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define HEDDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "cuda_runtime.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#if !defined(__CUDACC_RTC__)
#include <stdint.h>
#endif

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

typedef __UINT64_TYPE__ __mbarrier_t;
typedef __UINT64_TYPE__ __mbarrier_token_t;

/// Fewer than the PTX ISA allows, as CUDA says.
HEDDLE_D __UINT32_TYPE__ __mbarrier_maximum_count() { return (1 << 14) - 1; }
HEDDLE_D void __mbarrier_init(__mbarrier_t *barrier, __UINT32_TYPE__ expected_count) {
  __heddle_mbarrier_init(barrier, expected_count);
}
HEDDLE_D void __mbarrier_inval(__mbarrier_t *barrier) { __heddle_mbarrier_inval(barrier); }
HEDDLE_D __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return __heddle_mbarrier_arrive(barrier);
}
HEDDLE_D __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return __heddle_mbarrier_arrive_drop(barrier);
}
HEDDLE_D bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return __heddle_mbarrier_test_wait(barrier, token);
}
HEDDLE_D bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity) {
  return __heddle_mbarrier_test_wait_parity(barrier, phase_parity);
}
HEDDLE_D __UINT32_TYPE__ __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return __heddle_mbarrier_pending_count(token);
}
// May wait for a while; they look once here: a loop around them gives way at each turn.
HEDDLE_D bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, __UINT32_TYPE__) {
  return __heddle_mbarrier_test_wait(barrier, token);
}
HEDDLE_D bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool phase_parity, __UINT32_TYPE__) {
  return __heddle_mbarrier_test_wait_parity(barrier, phase_parity);
}

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
