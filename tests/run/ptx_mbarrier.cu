// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects, bulk copies and clusters in inline PTX.
// NVCC: -arch=sm_90
#include "ptx.h"

using u32 = uint32_t;
using u64 = uint64_t;

__device__ inline u32 windowOf(const void *p) { return u32(__cvta_generic_to_shared(p)); }

__device__ inline void waitFor(u32 barrier, u32 parity) {
  asm volatile("{\n .reg .pred done;\n"
               "again_%=:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               " @done bra over_%=;\n bra again_%=;\n over_%=:\n }" ::"r"(barrier), "r"(parity) : "memory");
}

/// Rounds of a block: each thread adds its number to its neighbour's, with a barrier between the rounds.
__global__ void rounds(u32 *out, int count) {
  __shared__ u64 barrier;
  __shared__ u32 values[2][96];
  u32 address = windowOf(&barrier), t = threadIdx.x;
  if (t == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(blockDim.x) : "memory");
  __syncthreads();
  values[0][t] = t + blockIdx.x;
  for (int i = 0; i < count; ++i) {
    u64 state;
    u32 pending;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    if (pending == 0 || pending > blockDim.x)
      out[0] = ~0u;
    if (i % 2)
      waitFor(address, i & 1);
    else
      asm volatile("{ .reg .pred done;\n again_%=: mbarrier.test_wait.shared.b64 done, [%0], %1;\n @!done bra again_%=; }"
                   ::"r"(address), "l"(state) : "memory");
    values[(i + 1) % 2][t] = values[i % 2][(t + 1) % blockDim.x] + 1;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = values[count % 2][t];
}

/// One thread fetches a tile, the others wait for its bytes; the result goes back in bulk.
__global__ void tiles(const u32 *in, u32 *out, int count) {
  __shared__ alignas(128) u32 tile[256];
  __shared__ u64 full;
  u32 barrier = windowOf(&full), to = windowOf(tile), t = threadIdx.x;
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    int at = (blockIdx.x * count + i) * 256;
    if (t == 0) {
      u64 state;
      asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier), "r"(1024) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                   ::"r"(to), "l"(in + at), "r"(1024), "r"(barrier) : "memory");
    }
    waitFor(barrier, i & 1);
    for (int k = t; k < 256; k += blockDim.x)
      tile[k] = tile[k] * 3 + k;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + at), "r"(to), "r"(1024) : "memory");
      asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}

/// Each thread's small copies arrive at a barrier.
__global__ void copies(const u32 *in, u32 *out) {
  __shared__ u32 tile[64];
  __shared__ u64 barrier;
  u32 address = windowOf(&barrier), t = threadIdx.x;
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(blockDim.x) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(windowOf(tile + t)), "l"(in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
  waitFor(address, 0);
  out[t] = tile[63 - t];
}

/// The blocks of a cluster read each other's shared memory.
__global__ void __cluster_dims__(4, 1, 1) cluster(u32 *out) {
  __shared__ u32 mine[32];
  u32 rank, blocks, number, other, value, from, generic;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  mine[threadIdx.x] = 100 * rank + 1000 * number + threadIdx.x;
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
  u32 next = (rank + 1) % blocks, address = windowOf(mine + threadIdx.x);
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(address), "r"(next));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(other) : "memory");
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(from) : "r"(other));
  asm volatile("{ .reg .u64 p; mapa.u64 p, %1, %2; ld.u32 %0, [p]; }" : "=r"(generic) : "l"(mine + threadIdx.x), "r"(next) : "memory");
  asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
  out[blockIdx.x * 32 + threadIdx.x] = value == generic && from == next ? value : ~0u;
}

int main() {
  const int threads = 96, blocks = 3, count = 7;
  Buffer<u32> sums(threads * blocks);
  rounds<<<blocks, threads>>>(sums, count);
  checkLaunch();
  std::vector<u32> got = sums.get();
  for (u32 i = 0; i < got.size(); ++i)
    expect("rounds", i, got[i], (i % threads + count) % threads + i / threads + count);

  Random random(31);
  std::vector<u32> in(2 * 4 * 256);
  for (u32 &x : in)
    x = random.bits();
  Buffer<u32> from(in), to(in.size()), back(64), ring(8 * 32);
  tiles<<<2, 64>>>(from, to, 4);
  copies<<<1, 64>>>(from, back);
  cluster<<<8, 32>>>(ring);
  checkLaunch();
  got = to.get();
  for (u32 i = 0; i < got.size(); ++i)
    expect("tiles", i, got[i], in[i] * 3 + i % 256);
  got = back.get();
  for (u32 i = 0; i < 64; ++i)
    expect("copies", i, got[i], in[63 - i]);
  got = ring.get();
  for (u32 i = 0; i < got.size(); ++i)
    expect("cluster", i, got[i], 100 * ((i / 32 + 1) % 4) + 1000 * (i / 128) + i % 32);
  return finish();
}
