// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores and reductions that an mbarrier is told of, reductions in bulk, barriers that reduce over some threads, and
// registers of 128 bits in inline PTX.
// NVCC: -arch=sm_90
#include "ptx.h"

#include <cuda_fp16.h>

using u32 = uint32_t;
using u64 = uint64_t;

__device__ inline u32 windowOf(const void *p) { return u32(__cvta_generic_to_shared(p)); }

__device__ inline void waitFor(u32 barrier, u32 parity) {
  asm volatile("{\n .reg .pred done;\n"
               "again_%=:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               " @!done bra again_%=;\n }" ::"r"(barrier), "r"(parity) : "memory");
}

/// Each block of a cluster writes into the next one's shared memory, which waits for the bytes.
__global__ void __cluster_dims__(4, 1, 1) neighbours(u32 *out) {
  __shared__ alignas(16) u32 cells[4 * 32];
  __shared__ u32 total, most;
  __shared__ u64 wide, barrier;
  u32 rank, t = threadIdx.x, own = windowOf(&barrier);
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  u32 next = (rank + 1) % 4;
  if (t == 0) {
    total = 0, most = 0, wide = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n"
                 "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
                 ::"r"(own), "r"(32 * (16 + 4 + 4 + 8)) : "memory");
  }
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
  auto remote = [&](const void *p) {
    u32 address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(windowOf(p)), "r"(next));
    return address;
  };
  u32 there = remote(&barrier);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
               ::"r"(remote(cells + 4 * t)), "r"(rank), "r"(t), "r"(rank * t), "r"(7), "r"(there) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
               ::"r"(remote(&total)), "r"(t + rank), "r"(there) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];"
               ::"r"(remote(&most)), "r"(t * (rank + 1)), "r"(there) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];"
               ::"r"(remote(&wide)), "l"(u64(t) << 32 | 1), "r"(there) : "memory");
  waitFor(own, 0);
  u32 *to = out + 8 * (32 * blockIdx.x + t);
  for (int i = 0; i < 4; ++i)
    to[i] = cells[4 * t + i];
  to[4] = total, to[5] = most, to[6] = u32(wide >> 32), to[7] = u32(wide);
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

/// One block of a cluster fetches words for some of its blocks.
__global__ void __cluster_dims__(4, 1, 1) fetchForOthers(const u32 *in, u32 *out) {
  __shared__ alignas(128) u32 tile[64];
  __shared__ u64 barrier;
  constexpr unsigned short Mask = 0b1011;
  u32 rank, t = threadIdx.x, own = windowOf(&barrier);
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  tile[t] = tile[t + 32] = 99;
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 ::"r"(own), "r"(Mask >> rank & 1 ? 256 : 0) : "memory");
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
  if (rank == 1 && t == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                 ::"r"(windowOf(tile)), "l"(in + blockIdx.x / 4 * 64), "r"(own), "h"(Mask) : "memory");
  waitFor(own, 0);
  out[64 * blockIdx.x + t] = tile[t], out[64 * blockIdx.x + t + 32] = tile[t + 32];
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}

/// Sums of an array in shared memory to one in global memory, in bulk.
template <class T> __global__ void bulk(const T *in, T *out, int n, int form) {
  extern __shared__ __align__(128) unsigned char memory[];
  T *tile = (T *)memory;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    tile[i] = in[blockIdx.x * n + i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 from = windowOf(tile), bytes = n * sizeof(T);
    if (form == 0)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    else if (form == 1)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    else if (form == 2)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    else if (form == 3)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    else if (form == 4)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    else
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%0], [%1], %2;" ::"l"(out), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

template <class T, class F> void checkBulk(const char *name, int form, F combine) {
  const int n = 16 / int(sizeof(T)) * 12, blocks = 5;
  Random random(43);
  std::vector<T> in(n * blocks), want(n);
  for (T &x : in)
    x = T(float(random.below(200) - 100));
  for (T &x : want)
    x = T(float(random.below(200) - 100));
  Buffer<T> from(in), to(want);
  for (int i = 0; i < n * blocks; ++i)
    want[i % n] = combine(want[i % n], in[i]);
  bulk<T><<<blocks, 32, n * sizeof(T)>>>(from, to, n, form);
  checkLaunch();
  std::vector<T> got = to.get();
  for (int i = 0; i < n; ++i)
    expect(name, i, double(float(got[i])), double(float(want[i])));
}

/// The warps of a block reduce among themselves at barriers of their own, again and again.
__global__ void someThreads(const u32 *in, u32 *out, int rounds) {
  u32 t = threadIdx.x, mine = 1 + t / 64, sum = 0, value = in[t];
  for (int i = 0; i < rounds; ++i) {
    u32 votes, any, all;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, %2, 64, p; }"
                 : "=r"(votes) : "r"(value >> i & 1), "r"(mine) : "memory");
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.cta.red.or.pred q, %2, %3, p; selp.u32 %0, 1, 0, q; }"
                 : "=r"(any) : "r"(value >> i & 3), "r"(mine), "r"(64) : "memory");
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.and.pred q, %2, 64, !p; selp.u32 %0, 1, 0, q; }"
                 : "=r"(all) : "r"((value >> i & 31) == 5 ? 1 : 0), "r"(mine) : "memory");
    sum = sum * 3 + votes + 100 * any + 1000 * all;
  }
  out[t] = sum;
}

/// Words of 128 bits, by way of a register of that size.
__global__ void wide(const u64 *in, u64 *out, u32 n) {
  u32 i = threadInGrid();
  if (i >= n)
    return;
  u64 low, high;
  asm volatile("{ .reg .b128 q; ld.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }" : "=l"(low), "=l"(high) : "l"(in + 2 * i));
  asm volatile("{ .reg .b128 q; mov.b128 q, {%1, %2}; st.global.b128 [%0], q; }" ::"l"(out + 2 * i), "l"(high + 1), "l"(low) : "memory");
}

/// Compare-and-swap and exchange of 128 bits: [0] counts, [1] takes the halves of one thread, and [2] adds up what
/// was in [1] before.
__global__ void wideAtomics(ulonglong2 *cells) {
  u64 t = threadInGrid(), low = 0, high = 0, wantLow, wantHigh;
  do {
    wantLow = low, wantHigh = high;
    asm volatile("{ .reg .b128 c, v, r; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};"
                 " atom.global.cas.b128 r, [%2], c, v; mov.b128 {%0, %1}, r; }"
                 : "=l"(low), "=l"(high)
                 : "l"(cells), "l"(wantLow), "l"(wantHigh), "l"(wantLow + 1), "l"(wantHigh + t)
                 : "memory");
  } while (low != wantLow || high != wantHigh);
  asm volatile("{ .reg .b128 v, r; mov.b128 v, {%3, %4}; atom.relaxed.gpu.global.exch.b128 r, [%2], v;"
               " mov.b128 {%0, %1}, r; }" : "=l"(low), "=l"(high) : "l"(cells + 1), "l"(t), "l"(t * 7) : "memory");
  atomicAdd(&cells[2].x, low);
  atomicAdd(&cells[2].y, high);
}

struct Pairs {
  float a, b, c, d, e, f;
};
#define PAIRS(name, text, first, second)                                                           \
  struct name {                                                                                    \
    __host__ __device__ u64 operator()(const Pairs &v) const {                                     \
      float x = 0, y = 0;                                                                          \
      EITHER(asm("{ .reg .b64 r, p, q, s; mov.b64 p, {%2, %3}; mov.b64 q, {%4, %5}; mov.b64 s, {%6, %7};" text \
                 " mov.b64 {%0, %1}, r; }" : "=f"(x), "=f"(y) : "f"(v.a), "f"(v.b), "f"(v.c), "f"(v.d), "f"(v.e), "f"(v.f)), \
             (x = first, y = second));                                                             \
      u32 low, high;                                                                               \
      memcpy(&low, &x, 4), memcpy(&high, &y, 4);                                                   \
      return u64(high) << 32 | low;                                                                \
    }                                                                                              \
  };
PAIRS(AddPairs, "add.rn.f32x2 r, p, q;", v.a + v.c, v.b + v.d)
PAIRS(SubPairs, "sub.f32x2 r, p, q;", v.a - v.c, v.b - v.d)
PAIRS(MulPairs, "mul.rn.ftz.f32x2 r, p, q;", v.a * v.c, v.b *v.d)
PAIRS(FmaPairs, "fma.rn.f32x2 r, p, q, s;", fmaf(v.a, v.c, v.e), fmaf(v.b, v.d, v.f))

int main() {
  Buffer<u32> ring(8 * 32 * 8);
  neighbours<<<8, 32>>>(ring);
  checkLaunch();
  std::vector<u32> got = ring.get();
  for (u32 i = 0; i < 8 * 32; ++i) {
    u32 from = (i / 32 + 3) % 4, t = i % 32, sum = 31 * 16 + 32 * from;
    const u32 want[] = {from, t, from * t, 7, sum, 31 * (from + 1), 31 * 16, 32};
    for (int k = 0; k < 8; ++k)
      expect("neighbours", 8 * i + k, got[8 * i + k], want[k]);
  }

  std::vector<u32> words128(128);
  for (u32 i = 0; i < 128; ++i)
    words128[i] = i * 7;
  Buffer<u32> source(words128), fetched(8 * 64);
  fetchForOthers<<<8, 32>>>(source, fetched);
  checkLaunch();
  got = fetched.get();
  for (u32 i = 0; i < 8 * 64; ++i)
    expect("multicast", i, got[i], i / 64 % 4 == 2 ? 99 : words128[i / 256 * 64 + i % 64]);

  checkBulk<u32>("sums of words", 0, [](u32 a, u32 b) { return a + b; });
  checkBulk<int>("least words", 1, [](int a, int b) { return a < b ? a : b; });
  checkBulk<float>("sums of floats", 2, [](float a, float b) { return a + b; });
  checkBulk<__half>("sums of halves", 3, [](__half a, __half b) { return __half(float(a) + float(b)); });
  checkBulk<__half>("greatest halves", 4, [](__half a, __half b) { return float(a) < float(b) ? b : a; });
  checkBulk<long long>("bits of doubles", 5, [](long long a, long long b) { return a ^ b; });

  const int threads = 192, rounds = 9;
  Random random(47);
  std::vector<u32> in(threads);
  for (u32 &x : in)
    x = random.bits() & random.bits() & random.bits() & random.bits();
  Buffer<u32> from(in), to(threads);
  someThreads<<<1, threads>>>(from, to, rounds);
  checkLaunch();
  got = to.get();
  for (u32 t = 0; t < threads; ++t) {
    u32 sum = 0;
    for (int i = 0; i < rounds; ++i) {
      u32 votes = 0, any = 0, all = 1;
      for (u32 k = t / 64 * 64; k < t / 64 * 64 + 64; ++k) {
        votes += in[k] >> i & 1;
        any |= (in[k] >> i & 3) != 0;
        all &= (in[k] >> i & 31) != 5;
      }
      sum = sum * 3 + votes + 100 * any + 1000 * all;
    }
    expect("some threads", t, got[t], sum);
  }

  const u32 n = 77;
  std::vector<u64> words(2 * n);
  for (u64 &x : words)
    x = random.next();
  Buffer<u64> wideIn(words), wideOut(2 * n);
  wide<<<3, 32>>>(wideIn, wideOut, n);
  checkLaunch();
  std::vector<u64> wideGot = wideOut.get();
  for (u32 i = 0; i < n; ++i) {
    expect("b128, low", i, wideGot[2 * i], words[2 * i + 1] + 1);
    expect("b128, high", i, wideGot[2 * i + 1], words[2 * i]);
  }

  Buffer<ulonglong2> cells(3);
  cudaMemset(cells, 0, 3 * sizeof(ulonglong2));
  wideAtomics<<<4, 50>>>(cells);
  checkLaunch();
  std::vector<ulonglong2> cell = cells.get();
  expect("b128 cas, low", 0, cell[0].x, 200ull);
  expect("b128 cas, high", 0, cell[0].y, 199ull * 100);
  expect("b128 exch, low", 0, cell[1].x + cell[2].x, 199ull * 100);
  expect("b128 exch, high", 0, cell[1].y, 7 * cell[1].x);
  expect("b128 exch, sum", 0, cell[1].y + cell[2].y, 7 * 199ull * 100);

  std::vector<Pairs> pairs(200);
  for (Pairs &p : pairs)
    for (float *x : {&p.a, &p.b, &p.c, &p.d, &p.e, &p.f})
      *x = float(random.below(20001) - 10000) / 7;
  mapOnDevice<AddPairs>("add.f32x2", pairs, OneShape);
  mapOnDevice<SubPairs>("sub.f32x2", pairs, OneShape);
  mapOnDevice<MulPairs>("mul.f32x2", pairs, OneShape);
  mapOnDevice<FmaPairs>("fma.f32x2", pairs, OneShape);
  return finish();
}
