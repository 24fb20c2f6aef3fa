// RUN: %nvcc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp operations, special registers, barriers and fences of inline PTX against plain C++.
// NVCC: -arch=sm_90
#include "ptx.h"

using i32 = int32_t;
using u32 = uint32_t;
using u64 = uint64_t;

constexpr int Results = 20;

/// One row of results for each of the warp's 32 threads; the second warp of a block has 17.
__global__ void operations(const u32 *in, u32 *out) {
  u32 i = threadInGrid(), x = in[i], r, lane;
  u32 *row = out + Results * i;
  u32 all = threadIdx.x < 32 ? ~0u : (1u << 17) - 1;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, %2;" : "=r"(r) : "r"(x), "r"(all));
  row[0] = r;
  asm volatile("shfl.sync.up.b32 %0, %1, %2, 0x0, %3;" : "=r"(r) : "r"(x), "r"(3), "r"(all));
  row[1] = r;
  asm volatile("{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %1, 1, 0x1f, %2; @!p mov.u32 %0, 7; }" : "=r"(r) : "r"(x), "r"(all));
  row[2] = lane == 16 && threadIdx.x >= 32 ? 0 : r; // its partner is not there
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 1, 0x1807, %2; @!p add.u32 %0, %0, 1; }" : "=r"(r) : "r"(x), "r"(all));
  row[3] = lane == 16 && threadIdx.x >= 32 ? 0 : r; // segments of 8
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 0x40000000; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(r) : "r"(x), "r"(all));
  row[4] = r;
  asm volatile("{ .reg .pred p, q; setp.gt.u32 p, %1, 0x40000000; vote.sync.any.pred q, p, %2; selp.u32 %0, 1, 0, q;"
               "  vote.sync.all.pred q, !p, %2; @q add.u32 %0, %0, 2; vote.sync.uni.pred q, p, %2; @q add.u32 %0, %0, 4; }"
               : "=r"(r) : "r"(x), "r"(all));
  row[5] = r;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(x & 3), "r"(all));
  row[6] = r;
  asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %1, %2; @p add.u32 %0, %0, 1; }" : "=r"(r) : "l"(u64(i / 64)), "r"(all));
  row[7] = r;
  asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(all));
  row[8] = r;
  asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(all));
  row[9] = r;
  asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(all));
  row[10] = r;
  asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(all));
  row[11] = r;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
  row[12] = r;
  asm("{ .reg .u32 t; mov.u32 %0, %%lanemask_ge; mov.u32 t, %%lanemask_eq; xor.b32 %0, %0, t; }" : "=r"(r));
  row[13] = r;
  asm("{ .reg .u32 t; mov.u32 %0, %%tid.x; mov.u32 t, %%ntid.x; mad.lo.u32 %0, %0, 1000, t; mov.u32 t, %%ctaid.x;"
      "  mad.lo.u32 %0, %0, 10, t; mov.u32 t, %%nctaid.x; mad.lo.u32 %0, %0, 10, t; }"
      : "=r"(r));
  row[14] = r;
  asm("{ .reg .u32 t; mov.u32 %0, %%dynamic_smem_size; mov.u32 t, %%tid.y; add.u32 %0, %0, t; mov.u32 t, %%ctaid.z; add.u32 %0, %0, t; }" : "=r"(r));
  row[15] = r;
  asm volatile("{ .reg .pred p; elect.sync %0|p, %1; @p or.b32 %0, %0, 0x100; }" : "=r"(r) : "r"(all));
  row[16] = (r & 0x100) + 0 * lane;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 20; bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(threadIdx.x));
  row[17] = r;
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 20; bar.red.or.pred q, 1, p; selp.u32 %0, 1, 0, q; bar.red.and.pred q, 1, p; @q add.u32 %0, %0, 2; }" : "=r"(r) : "r"(threadIdx.x));
  row[18] = r;
  asm volatile("bar.warp.sync %0;" ::"r"(all));
  asm volatile("membar.cta; membar.gl; membar.sys; fence.acq_rel.gpu; fence.sc.cta; fence.proxy.async;" ::: "memory");
  asm volatile("nanosleep.u32 %0;" ::"r"(10));
  u64 before, after, nanoseconds;
  u32 low;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(before));
  asm volatile("mov.u32 %0, %%clock;" : "=r"(low));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  row[19] = after >= before && nanoseconds > 1000000000 && low != 1;
}

/// Producers arrive at a barrier that consumers wait at.
__global__ void halves(u32 *out) {
  __shared__ u32 box[64];
  u32 t = threadIdx.x;
  if (t < 64) {
    box[t] = t * t;
    asm volatile("bar.arrive 2, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 128;" ::: "memory");
    out[t - 64] = box[127 - t];
  }
}

/// A lock by hand: acquire and release, and a loop that polls.
__global__ void locked(u32 *lock, u32 *sum) {
  if (threadIdx.x % 32 == 0) {
    asm volatile("{ .reg .pred p; .reg .b32 old;\n"
                 "again: atom.acquire.gpu.global.cas.b32 old, [%0], 0, 1;\n"
                 "  setp.ne.b32 p, old, 0; @p bra again; }" ::"l"(lock) : "memory");
    *sum = *sum + 1;
    asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");
  }
}

int main() {
  const u32 block = 49, blocks = 3;
  Random random(11);
  std::vector<u32> in(block * blocks);
  for (u32 &x : in)
    x = random.below(3) ? random.bits() : 5;
  Buffer<u32> deviceIn(in), out(Results * in.size());
  operations<<<blocks, block, 80>>>(deviceIn, out);
  checkLaunch();
  std::vector<u32> got = out.get();
  for (u32 i = 0; i < in.size(); ++i) {
    u32 t = i % block, lane = t % 32, first = i - lane, count = t < 32 ? 32 : 17, all = t < 32 ? ~0u : (1u << 17) - 1;
    auto at = [&](u32 l) { return in[first + l]; };
    u32 ballot = 0, matching = 0, sum = 0, most = at(0), least = at(0), exclusive = 0;
    for (u32 l = 0; l < count; ++l) {
      ballot |= u32(at(l) > 0x40000000) << l, matching |= u32((at(l) & 3) == (at(lane) & 3)) << l;
      sum += at(l), exclusive ^= at(l);
      most = i32(at(l)) > i32(most) ? at(l) : most, least = at(l) < least ? at(l) : least;
    }
    bool lonely = lane == 16 && t >= 32, endsSegment = lane % 8 == 7;
    u32 want[Results] = {at(5), lane >= 3 ? at(lane - 3) : at(lane), lonely ? 0 : at(lane ^ 1),
                         lonely ? 0 : endsSegment ? at(lane) + 1 : at(lane + 1), ballot,
                         u32(ballot != 0) + 2 * u32(ballot == 0) + 4 * u32(ballot == 0 || ballot == all), matching,
                         0, sum, most, least, exclusive, (1u << lane) - 1, lane == 31 ? 0 : ~0u << (lane + 1),
                         ((t * 1000 + block) * 10 + i / block) * 10 + blocks, 80, 0, 20, 1, 1};
    bool same = true;
    for (u32 l = 0; l < count; ++l)
      same &= (first + l) / 64 == i / 64;
    want[7] = same ? all + 1 : 0;
    want[16] = got[Results * i + 16]; // counted below
    for (int k = 0; k < Results; ++k)
      expect("operation " + std::to_string(k), i, got[Results * i + k], want[k]);
    if (lane == 0) {
      u32 elected = 0;
      for (u32 l = 0; l < count; ++l)
        elected += got[Results * (first + l) + 16] != 0;
      expect("elected", i, elected, 1u);
    }
  }
  Buffer<u32> squares(64), cells(2);
  halves<<<1, 128>>>(squares);
  locked<<<16, 128>>>(cells, cells + 1);
  checkLaunch();
  std::vector<u32> boxes = squares.get();
  for (u32 t = 0; t < 64; ++t)
    expect("halves", t, boxes[t], (63 - t) * (63 - t));
  expect("locked", 0, cells.get()[1], 64u);
  return finish();
}
