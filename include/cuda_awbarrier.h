// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::experimental::awbarrier, the class around cuda_awbarrier_primitives.h (CUDA 11 guide,
// "Asynchronous Barrier"). It lives in shared memory; one thread calls init before the others use
// it.
#ifndef HEDDLE_CUDA_AWBARRIER_H
#define HEDDLE_CUDA_AWBARRIER_H
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#endif

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace nvcuda {
namespace experimental {

class awbarrier {
public:
  class arrival_token {
  public:
    arrival_token() = default;
    HEDDLE_D __UINT32_TYPE__ pending_count() const { return __mbarrier_token_pending_count(token_); }

  private:
    HEDDLE_D explicit arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
    friend class awbarrier;
  };

  awbarrier() = default;
  awbarrier(const awbarrier &) = delete;
  awbarrier &operator=(const awbarrier &) = delete;

  HEDDLE_D arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
  HEDDLE_D arrival_token arrive_and_drop() {
    return arrival_token(__mbarrier_arrive_and_drop(&barrier_));
  }
  /// Looks once, or a few times: whether the token's phase is over.
  HEDDLE_D bool timed_wait(arrival_token token, __UINT32_TYPE__ hint_cycles) {
    return __mbarrier_try_wait(&barrier_, token.token_, hint_cycles);
  }
  HEDDLE_D bool timed_wait_parity(bool phase, __UINT32_TYPE__ hint_cycles) {
    return __mbarrier_try_wait_parity(&barrier_, phase, hint_cycles);
  }
  HEDDLE_D bool try_wait(arrival_token token, __UINT32_TYPE__ maxSleepNanosec) {
    return __mbarrier_try_wait(&barrier_, token.token_, maxSleepNanosec);
  }
  HEDDLE_D bool try_wait_parity(bool phase, __UINT32_TYPE__ maxSleepNanosec) {
    return __mbarrier_try_wait_parity(&barrier_, phase, maxSleepNanosec);
  }
  HEDDLE_D void wait(arrival_token token) {
    while (!__mbarrier_test_wait(&barrier_, token.token_))
      ;
  }
  HEDDLE_D void wait_parity(bool phase) {
    while (!__mbarrier_test_wait_parity(&barrier_, phase))
      ;
  }
  HEDDLE_D void arrive_and_wait() { wait(arrive()); }
  static __host__ __device__ constexpr ptrdiff_t max() { return (1 << 14) - 1; }

private:
  __mbarrier_t barrier_;
  friend HEDDLE_D void init(awbarrier *barrier, __UINT32_TYPE__ expected_count);
  friend HEDDLE_D void inval(awbarrier *barrier);
  friend class pipeline;
};

HEDDLE_D void init(awbarrier *barrier, __UINT32_TYPE__ expected_count) {
  __mbarrier_init(&barrier->barrier_, expected_count);
}
HEDDLE_D void inval(awbarrier *barrier) { __mbarrier_inval(&barrier->barrier_); }

} // namespace experimental
} // namespace nvcuda

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
