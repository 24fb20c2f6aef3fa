// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What <cuda/barrier> has since CUDA 12 beside barriers, on the functions of <cuda/ptx>. CUDA guide, "Asynchronous Data
// Copies using the Tensor Memory Accelerator"; libcu++'s reference, "cuda::device::*_tx".
#ifndef HEDDLE_CUDA_STD_BARRIER_TRANSACTIONS_H
#define HEDDLE_CUDA_STD_BARRIER_TRANSACTIONS_H

#include <cuda/ptx>

#include <cuda.h>

namespace cuda {

enum class async_contract_fulfillment { none, async };

namespace device {

using __heddle_barrier = barrier<thread_scope_block>;

[[nodiscard]] __device__ inline __heddle_barrier::arrival_token barrier_arrive_tx(__heddle_barrier &b, ptrdiff_t arrivals,
                                                                               ptrdiff_t bytes) {
  uint64_t *native = barrier_native_handle(b);
  if (bytes > 0)
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, native,
                            static_cast<uint32_t>(bytes));
  return ptx::mbarrier_arrive(native, static_cast<uint32_t>(arrivals));
}

__device__ inline void barrier_expect_tx(__heddle_barrier &b, ptrdiff_t bytes) {
  ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, barrier_native_handle(b),
                          static_cast<uint32_t>(bytes));
}

/// Copies from global to shared memory; the barrier is told of the bytes that are there.
template <class T, size_t Alignment>
__device__ inline async_contract_fulfillment memcpy_async_tx(T *to, const T *from, aligned_size_t<Alignment> size,
                                                             __heddle_barrier &b) {
  static_assert(Alignment >= 16, "memcpy_async_tx copies what is aligned to 16 bytes");
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, static_cast<uint32_t>(size_t(size)),
                     barrier_native_handle(b));
  return async_contract_fulfillment::async;
}

namespace experimental {

__device__ inline void cp_async_bulk_global_to_shared(void *to, const void *from, uint32_t bytes, __heddle_barrier &b) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, barrier_native_handle(b));
}
__device__ inline void cp_async_bulk_shared_to_global(void *to, const void *from, uint32_t bytes) {
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
}

#define HEDDLE_TENSOR_COPIES(RANK, PARAMETERS, ...)                                                                    \
  __device__ inline void cp_async_bulk_tensor_##RANK##d_global_to_shared(void *to, const CUtensorMap *map, PARAMETERS, \
                                                                         __heddle_barrier &b) {                        \
    const int32_t at[] = {__VA_ARGS__};                                                                                \
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, barrier_native_handle(b));           \
  }                                                                                                                    \
  __device__ inline void cp_async_bulk_tensor_##RANK##d_shared_to_global(const CUtensorMap *map, PARAMETERS,           \
                                                                         const void *from) {                           \
    const int32_t at[] = {__VA_ARGS__};                                                                                \
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, from);                                    \
  }
#define HEDDLE_AND ,
HEDDLE_TENSOR_COPIES(1, int c0, c0)
HEDDLE_TENSOR_COPIES(2, int c0 HEDDLE_AND int c1, c0, c1)
HEDDLE_TENSOR_COPIES(3, int c0 HEDDLE_AND int c1 HEDDLE_AND int c2, c0, c1, c2)
HEDDLE_TENSOR_COPIES(4, int c0 HEDDLE_AND int c1 HEDDLE_AND int c2 HEDDLE_AND int c3, c0, c1, c2, c3)
HEDDLE_TENSOR_COPIES(5, int c0 HEDDLE_AND int c1 HEDDLE_AND int c2 HEDDLE_AND int c3 HEDDLE_AND int c4, c0, c1, c2, c3,
                     c4)
#undef HEDDLE_TENSOR_COPIES
#undef HEDDLE_AND

__device__ inline void cp_async_bulk_commit_group() { ptx::cp_async_bulk_commit_group(); }
template <int N> __device__ inline void cp_async_bulk_wait_group() { ptx::cp_async_bulk_wait_group(ptx::n32_t<N>()); }
template <int N> __device__ inline void cp_async_bulk_wait_group_read() {
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<N>());
}
__device__ inline void fence_proxy_async_shared_cta() { ptx::fence_proxy_async(ptx::space_shared); }

} // namespace experimental
} // namespace device
} // namespace cuda

#endif
