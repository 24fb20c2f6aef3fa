// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks look back at pairs of 64 bits, a state and a sum, that earlier blocks publish: one warp looks at 32 of them at
// once, or one thread at one after the other. Again and again, for the order of the blocks may change between launches.
#include "ptx.h"

enum : uint64_t { Absent = 99, Partial = 100, Whole = 101 };

struct Pair {
  uint64_t sum, state;
};

__device__ void publish(Pair *at, uint64_t sum, uint64_t state) {
  asm volatile("st.global.cg.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(sum), "l"(state) : "memory");
}

__device__ Pair look(const Pair *at) {
  Pair pair;
  asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(pair.sum), "=l"(pair.state) : "l"(at) : "memory");
  return pair;
}

/// 32 places before the first block hold `Whole` sums of 0.
__global__ void prepare(Pair *states, int blocks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 32)
    states[i] = {0, Whole};
  if (i < blocks)
    states[32 + i] = {0, Absent};
}

__device__ uint64_t lookBackAsWarp(const Pair *states, int block) {
  const int lane = threadIdx.x;
  uint64_t sum = 0;
  for (int first = block - 1;; first -= 32) {
    Pair seen;
    do {
      __threadfence_block();
      seen = look(states + 32 + max(first - lane, -32));
    } while (__any_sync(~0u, seen.state == Absent));
    unsigned whole = __ballot_sync(~0u, seen.state == Whole);
    uint64_t mine = lane < __ffs(whole) || whole == 0 ? seen.sum : 0;
    for (int distance = 16; distance > 0; distance /= 2)
      mine += __shfl_xor_sync(~0u, mine, distance);
    sum += mine;
    if (whole)
      return sum;
  }
}

__device__ uint64_t lookBackAsThread(const Pair *states, int block) {
  uint64_t sum = 0;
  for (int other = block - 1;; other--) {
    Pair seen;
    do
      seen = look(states + 32 + other);
    while (seen.state == Absent);
    sum += seen.sum;
    if (seen.state == Whole)
      return sum;
  }
}

template <bool AsWarp> __global__ void sumsBefore(const unsigned *in, uint64_t *out, Pair *states, int n) {
  __shared__ uint64_t before;
  __shared__ unsigned long long total;
  const int block = blockIdx.x, i = block * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    total = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0)
      publish(states + 32 + block, total, Partial);
    if (AsWarp || threadIdx.x == 0) {
      uint64_t found = AsWarp ? lookBackAsWarp(states, block) : lookBackAsThread(states, block);
      if (threadIdx.x == 0) {
        before = found;
        publish(states + 32 + block, found + total, Whole);
      }
    }
  }
  __syncthreads();
  if (i < n)
    out[i] = before;
}

template <bool AsWarp> void test(Random &random, int n, int threads) {
  std::vector<unsigned> in(n);
  for (unsigned &x : in)
    x = random.below(5000);
  std::vector<uint64_t> want(n);
  uint64_t sum = 0, before = 0;
  for (int i = 0; i < n; i++) {
    if (i % threads == 0)
      before = sum;
    want[i] = before;
    sum += in[i];
  }
  const int blocks = (n + threads - 1) / threads;
  Buffer<unsigned> source(in);
  Buffer<Pair> states(32 + blocks);
  for (int round = 0; round < 3; round++) {
    Buffer<uint64_t> out(n);
    prepare<<<(blocks + 31) / 32, 32>>>(states, blocks);
    sumsBefore<AsWarp><<<blocks, threads>>>(source, out, states, n);
    checkLaunch();
    expectAll(AsWarp ? "as a warp" : "as threads", out.get(), want);
  }
}

int main() {
  Random random(5);
  for (int n : {1, 700, 5000, 50021})
    for (int threads : {32, 128, 77}) {
      test<true>(random, n, threads);
      test<false>(random, n, threads);
    }
  return finish();
}
