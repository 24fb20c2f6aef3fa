// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences and barriers of clusters (<cuda/ptx>; PTX ISA, "membar / fence", "barrier.cluster").
#ifndef HEDDLE_CUDA_PTX_FENCES_H
#define HEDDLE_CUDA_PTX_FENCES_H

#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

#define HEDDLE_PTX_FENCE(SEM)                                                                      \
  template <dot_scope Scope> __device__ static inline void fence(sem_##SEM##_t, scope_t<Scope>) {  \
    HEDDLE_PTX_SCOPED("fence." #SEM, ";", ::: "memory");                                           \
  }
HEDDLE_PTX_FENCE(sc)
HEDDLE_PTX_FENCE(acq_rel)
HEDDLE_PTX_FENCE(acquire)
HEDDLE_PTX_FENCE(release)
#undef HEDDLE_PTX_FENCE

__device__ static inline void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ static inline void fence_proxy_alias() {
  asm volatile("fence.proxy.alias;" ::: "memory");
}
__device__ static inline void fence_proxy_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}
template <dot_space Space> __device__ static inline void fence_proxy_async(space_t<Space>) {
  if constexpr (Space == dot_space::global)
    asm volatile("fence.proxy.async.global;" ::: "memory");
  else if constexpr (Space == dot_space::cluster)
    asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
  else
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
template <dot_scope Scope>
__device__ static inline void fence_proxy_tensormap_generic(sem_release_t, scope_t<Scope>) {
  HEDDLE_PTX_SCOPED("fence.proxy.tensormap::generic.release", ";", ::: "memory");
}
template <int N, dot_scope Scope>
__device__ static inline void fence_proxy_tensormap_generic(sem_acquire_t, scope_t<Scope>,
                                                            const void *map, n32_t<N>) {
  HEDDLE_PTX_SCOPED("fence.proxy.tensormap::generic.acquire", " [%0], %1;", ::"l"(map), "n"(N)
                    : "memory");
}

__device__ static inline void barrier_cluster_arrive() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
}
__device__ static inline void barrier_cluster_arrive(sem_release_t) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ static inline void barrier_cluster_arrive(sem_relaxed_t) {
  asm volatile("barrier.cluster.arrive.relaxed;");
}
__device__ static inline void barrier_cluster_wait() {
  asm volatile("barrier.cluster.wait;" ::: "memory");
}
__device__ static inline void barrier_cluster_wait(sem_acquire_t) {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

__device__ static inline uint32_t getctarank(space_cluster_t, const void *address) {
  uint32_t rank;
  asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(__heddle::window(address)));
  return rank;
}

} // namespace ptx
} // namespace cuda

#endif
