// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clusterlaunchcontrol: blocks that do the work of others that they cancel, until none is left. Whatever the answers
// are, each piece of work is done once.
// NVCC: -arch=sm_100a
#include "ptx.h"

#include <vector>

__device__ inline unsigned windowOf(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ inline void waitFor(unsigned barrier, unsigned parity) {
  asm volatile("{ .reg .pred done;\n again_%=: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n @!done bra again_%=; }"
               ::"r"(barrier), "r"(parity) : "memory");
}

/// Asks; every thread has the answer.
#define ASK(multicast)                                                                                             \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(windowOf(&told)) : "memory");     \
  if (asks)                                                                                                        \
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" multicast ".b128 [%0], [%1];" \
                 ::"r"(windowOf(answer)), "r"(windowOf(&told)) : "memory")

template <bool isCluster> __device__ void work(unsigned *count) {
  __shared__ alignas(16) unsigned long long answer[2];
  __shared__ unsigned long long told;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(windowOf(&told)) : "memory");
  __syncthreads();
  if (isCluster)
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  unsigned block = blockIdx.x;
  for (unsigned parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      const bool asks = !isCluster || rank == 0;
      if (isCluster) {
        ASK(".multicast::cluster::all");
      } else {
        ASK("");
      }
    }
    atomicAdd(&count[block], 1);
    waitFor(windowOf(&told), parity);
    unsigned isOther, x, y, z, again;
    asm volatile("{ .reg .b128 a; .reg .pred p; mov.b128 a, {%5, %6};\n"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;\n selp.u32 %0, 1, 0, p;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, a;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %4, a; }"
                 : "=r"(isOther), "=r"(x), "=r"(y), "=r"(z), "=r"(again) : "l"(answer[0]), "l"(answer[1]) : "memory");
    if (!isOther)
      break;
    block = x + rank + (again - x);
    __syncthreads();
    if (isCluster)
      asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  }
  if (isCluster)
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

__global__ void alone(unsigned *count) { work<false>(count); }
__global__ __cluster_dims__(4, 1, 1) void together(unsigned *count) { work<true>(count); }

int main() {
  constexpr unsigned blocks = 40, threads = 48;
  for (auto kernel : {alone, together}) {
    Buffer<unsigned> count(std::vector<unsigned>{std::vector<unsigned>(blocks)});
    kernel<<<blocks, threads>>>(count);
    checkLaunch();
    expectAll(kernel == alone ? "alone" : "in clusters", count.get(), std::vector<unsigned>(blocks, threads));
  }
  return finish();
}
