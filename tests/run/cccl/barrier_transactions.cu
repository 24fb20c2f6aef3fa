// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/barrier> of CUDA 12: bulk copies that a block's barrier counts, as the programming guide has them.
#include "../support.h"

#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/utility>

template <class T> void expectOne(const char *what, const T &got, const T &want) { expect(what, 0, got, want); }

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
constexpr int Length = 256;

/// Adds one to each number of the block's part, in shared memory.
template <int How> __global__ void addOne(int *data) {
  __shared__ alignas(16) int part[Length];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  int *own = data + blockIdx.x * Length;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    if (How == 0) {
      cuda::memcpy_async(part, own, cuda::aligned_size_t<16>(sizeof part), barrier);
      token = barrier.arrive();
    } else if (How == 1) {
      cuda::device::memcpy_async_tx(part, own, cuda::aligned_size_t<16>(sizeof part), barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof part);
    } else {
      cde::cp_async_bulk_global_to_shared(part, own, sizeof part, barrier);
      cuda::device::barrier_expect_tx(barrier, sizeof part);
      token = barrier.arrive();
    }
  } else {
    token = barrier.arrive();
  }
  barrier.wait(cuda::std::move(token));
  for (int i = int(threadIdx.x); i < Length; i += int(blockDim.x))
    part[i] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(own, part, sizeof part);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

template <int How> void test(const char *name) {
  int *data;
  CUDA_OK(cudaMallocManaged(&data, 4 * Length * sizeof(int)));
  for (int i = 0; i < 4 * Length; ++i)
    data[i] = i * 3;
  addOne<How><<<4, 64>>>(data);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 4 * Length; ++i)
    expectOne(name, data[i], i * 3 + 1);
  CUDA_OK(cudaFree(data));
}

int main() {
  test<0>("memcpy_async");
  test<1>("memcpy_async_tx");
  test<2>("cp_async_bulk");
  return finish();
}
