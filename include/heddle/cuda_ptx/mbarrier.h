// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier.* (<cuda/ptx>; PTX ISA, "mbarrier"). Arrivals at a barrier of another block of the
// cluster give no state.
#ifndef HEDDLE_CUDA_PTX_MBARRIER_H
#define HEDDLE_CUDA_PTX_MBARRIER_H

#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

__device__ static inline void mbarrier_init(uint64_t *barrier, const uint32_t &count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__heddle::window(barrier)), "r"(count)
               : "memory");
}
__device__ static inline void mbarrier_inval(uint64_t *barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__heddle::window(barrier)) : "memory");
}

__device__ static inline uint64_t mbarrier_arrive(uint64_t *barrier) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(__heddle::window(barrier))
               : "memory");
  return state;
}
__device__ static inline uint64_t mbarrier_arrive(uint64_t *barrier, const uint32_t &count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(__heddle::window(barrier)), "r"(count)
               : "memory");
  return state;
}
__device__ static inline uint64_t mbarrier_arrive_no_complete(uint64_t *barrier,
                                                              const uint32_t &count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
               : "=l"(state)
               : "r"(__heddle::window(barrier)), "r"(count)
               : "memory");
  return state;
}

// Both orders have each of these.
#define HEDDLE_PTX_ARRIVALS(SEM)                                                                   \
  template <dot_scope Scope>                                                                       \
  __device__ static inline uint64_t mbarrier_arrive(sem_##SEM##_t, scope_t<Scope>, space_shared_t, \
                                                    uint64_t *barrier) {                           \
    uint64_t state;                                                                                \
    HEDDLE_PTX_SCOPED("mbarrier.arrive." #SEM, ".shared::cta.b64 %0, [%1];",                       \
                      : "=l"(state)                                                                \
                      : "r"(__heddle::window(barrier))                                             \
                      : "memory");                                                                 \
    return state;                                                                                  \
  }                                                                                                \
  template <dot_scope Scope>                                                                       \
  __device__ static inline uint64_t mbarrier_arrive(sem_##SEM##_t, scope_t<Scope>, space_shared_t, \
                                                    uint64_t *barrier, const uint32_t &count) {    \
    uint64_t state;                                                                                \
    HEDDLE_PTX_SCOPED("mbarrier.arrive." #SEM, ".shared::cta.b64 %0, [%1], %2;",                   \
                      : "=l"(state)                                                                \
                      : "r"(__heddle::window(barrier)), "r"(count)                                 \
                      : "memory");                                                                 \
    return state;                                                                                  \
  }                                                                                                \
  __device__ static inline void mbarrier_arrive(sem_##SEM##_t, scope_cluster_t, space_cluster_t,   \
                                                uint64_t *barrier) {                               \
    asm volatile("mbarrier.arrive." #SEM                                                           \
                 ".cluster.shared::cluster.b64 _, [%0];" ::"r"(__heddle::window(barrier))          \
                 : "memory");                                                                      \
  }                                                                                                \
  __device__ static inline void mbarrier_arrive(sem_##SEM##_t, scope_cluster_t, space_cluster_t,   \
                                                uint64_t *barrier, const uint32_t &count) {        \
    asm volatile("mbarrier.arrive." #SEM                                                           \
                 ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__heddle::window(barrier)),     \
                 "r"(count)                                                                        \
                 : "memory");                                                                      \
  }                                                                                                \
  template <dot_scope Scope>                                                                       \
  __device__ static inline uint64_t mbarrier_arrive_expect_tx(                                     \
      sem_##SEM##_t, scope_t<Scope>, space_shared_t, uint64_t *barrier, const uint32_t &bytes) {   \
    uint64_t state;                                                                                \
    HEDDLE_PTX_SCOPED("mbarrier.arrive.expect_tx." #SEM, ".shared::cta.b64 %0, [%1], %2;",         \
                      : "=l"(state)                                                                \
                      : "r"(__heddle::window(barrier)), "r"(bytes)                                 \
                      : "memory");                                                                 \
    return state;                                                                                  \
  }                                                                                                \
  __device__ static inline void mbarrier_arrive_expect_tx(                                         \
      sem_##SEM##_t, scope_cluster_t, space_cluster_t, uint64_t *barrier, const uint32_t &bytes) { \
    asm volatile("mbarrier.arrive.expect_tx." #SEM                                                 \
                 ".cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(__heddle::window(barrier)),     \
                 "r"(bytes)                                                                        \
                 : "memory");                                                                      \
  }
HEDDLE_PTX_ARRIVALS(release)
HEDDLE_PTX_ARRIVALS(relaxed)
#undef HEDDLE_PTX_ARRIVALS

template <dot_scope Scope>
__device__ static inline void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_shared_t,
                                                 uint64_t *barrier, uint32_t bytes) {
  HEDDLE_PTX_SCOPED("mbarrier.expect_tx.relaxed", ".shared::cta.b64 [%0], %1;",
                    ::"r"(__heddle::window(barrier)), "r"(bytes)
                    : "memory");
}
template <dot_scope Scope>
__device__ static inline void mbarrier_expect_tx(sem_relaxed_t, scope_t<Scope>, space_cluster_t,
                                                 uint64_t *barrier, uint32_t bytes) {
  HEDDLE_PTX_SCOPED("mbarrier.expect_tx.relaxed", ".shared::cluster.b64 [%0], %1;",
                    ::"r"(__heddle::window(barrier)), "r"(bytes)
                    : "memory");
}

// Waits for the phase of a state or with a parity: once (test_wait), or for a while (try_wait), for
// which a hint may be given; with an order the hint is left out. PHASE is the type, REGISTER its
// letter.
#define HEDDLE_PTX_WAIT_TEXT(NAME) "{\n .reg .pred done;\n " NAME
#define HEDDLE_PTX_WAIT_END ".shared::cta.b64 done, [%1], %2;\n selp.u32 %0, 1, 0, done;\n}"
#define HEDDLE_PTX_HINTED_END ".shared::cta.b64 done, [%1], %2, %3;\n selp.u32 %0, 1, 0, done;\n}"

#define HEDDLE_PTX_WAIT(FUNCTION, NAME, PHASE, REGISTER)                                           \
  __device__ static inline bool FUNCTION(uint64_t *barrier, const PHASE &phase) {                  \
    uint32_t done;                                                                                 \
    asm volatile(HEDDLE_PTX_WAIT_TEXT(NAME) HEDDLE_PTX_WAIT_END                                    \
                 : "=r"(done)                                                                      \
                 : "r"(__heddle::window(barrier)), REGISTER(phase)                                 \
                 : "memory");                                                                      \
    return done != 0;                                                                              \
  }                                                                                                \
  HEDDLE_PTX_SCOPED_WAIT(FUNCTION, NAME, PHASE, REGISTER, acquire)                                 \
  HEDDLE_PTX_SCOPED_WAIT(FUNCTION, NAME, PHASE, REGISTER, relaxed)
#define HEDDLE_PTX_SCOPED_WAIT(FUNCTION, NAME, PHASE, REGISTER, SEM)                               \
  template <dot_scope Scope>                                                                       \
  __device__ static inline bool FUNCTION(sem_##SEM##_t, scope_t<Scope>, uint64_t *barrier,         \
                                         const PHASE &phase) {                                     \
    uint32_t done;                                                                                 \
    HEDDLE_PTX_SCOPED(HEDDLE_PTX_WAIT_TEXT(NAME) "." #SEM, HEDDLE_PTX_WAIT_END,                    \
                      : "=r"(done)                                                                 \
                      : "r"(__heddle::window(barrier)), REGISTER(phase)                            \
                      : "memory");                                                                 \
    return done != 0;                                                                              \
  }
#define HEDDLE_PTX_HINTED_WAIT(FUNCTION, NAME, PHASE, REGISTER)                                    \
  __device__ static inline bool FUNCTION(uint64_t *barrier, const PHASE &phase,                    \
                                         const uint32_t &hint) {                                   \
    uint32_t done;                                                                                 \
    asm volatile(HEDDLE_PTX_WAIT_TEXT(NAME) HEDDLE_PTX_HINTED_END                                  \
                 : "=r"(done)                                                                      \
                 : "r"(__heddle::window(barrier)), REGISTER(phase), "r"(hint)                      \
                 : "memory");                                                                      \
    return done != 0;                                                                              \
  }                                                                                                \
  template <dot_sem Sem, dot_scope Scope,                                                          \
            enable_if_t<Sem == dot_sem::acquire || Sem == dot_sem::relaxed, int> = 0>              \
  __device__ static inline bool FUNCTION(sem_t<Sem>, scope_t<Scope> scope, uint64_t *barrier,      \
                                         const PHASE &phase, const uint32_t &) {                   \
    return FUNCTION(sem_t<Sem>(), scope, barrier, phase);                                          \
  }
HEDDLE_PTX_WAIT(mbarrier_test_wait, "mbarrier.test_wait", uint64_t, "l")
HEDDLE_PTX_WAIT(mbarrier_test_wait_parity, "mbarrier.test_wait.parity", uint32_t, "r")
HEDDLE_PTX_WAIT(mbarrier_try_wait, "mbarrier.try_wait", uint64_t, "l")
HEDDLE_PTX_WAIT(mbarrier_try_wait_parity, "mbarrier.try_wait.parity", uint32_t, "r")
HEDDLE_PTX_HINTED_WAIT(mbarrier_try_wait, "mbarrier.try_wait", uint64_t, "l")
HEDDLE_PTX_HINTED_WAIT(mbarrier_try_wait_parity, "mbarrier.try_wait.parity", uint32_t, "r")
#undef HEDDLE_PTX_WAIT
#undef HEDDLE_PTX_SCOPED_WAIT
#undef HEDDLE_PTX_HINTED_WAIT
#undef HEDDLE_PTX_WAIT_TEXT
#undef HEDDLE_PTX_WAIT_END
#undef HEDDLE_PTX_HINTED_END

} // namespace ptx
} // namespace cuda

#endif
