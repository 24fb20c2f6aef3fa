// RUN: %nvcc -std=c++17 -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/ptx>: bulk copies through shared memory with an mbarrier, copies of boxes of a tensor, stores and reductions in
// other blocks of a cluster, single instructions and special registers.
#include "../tensor.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

#if __cccl_ptx_isa < 800
#error "the functions of PTX ISA 8.0 are there"
#endif

/// Each block fetches its part, adds to it and writes it back: as the documentation's example does.
__global__ void addInBulk(int *data, float *sums) {
  constexpr u32 Count = 256;
  __shared__ alignas(16) int tile[Count];
  __shared__ alignas(16) float own[Count];
  __shared__ uint64_t barrier;
  int *part = data + blockIdx.x * Count;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, blockDim.x);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  uint64_t state;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, part, sizeof tile, &barrier);
    state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
  } else {
    state = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier);
  }
  while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &barrier, state))
    ;
  for (u32 i = threadIdx.x; i < Count; i += blockDim.x) {
    tile[i] += 1000 + int(blockIdx.x);
    own[i] = float(i);
  }
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, part, tile, sizeof tile);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, own, sizeof own);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    ptx::mbarrier_inval(&barrier);
  }
}

void testBulk() {
  std::vector<int> in(5 * 256), want;
  for (int i = 0; i < int(in.size()); ++i)
    want.push_back((in[size_t(i)] = 3 * i) + 1000 + i / 256);
  Buffer<int> data(in);
  Buffer<float> sums(256);
  addInBulk<<<5, 96>>>(data, sums);
  checkLaunch();
  expectAll("bulk", data.get(), want);
  std::vector<float> wantSums;
  for (int i = 0; i < 256; ++i)
    wantSums.push_back(5.0f * float(i));
  expectAll("sums", sums.get(), wantSums);
}

/// A block of a cluster writes into the next one's shared memory, which waits for the bytes by parity.
__global__ void __cluster_dims__(2, 1, 1) neighbours(u32 *out) {
  __shared__ alignas(16) u32 cells[4 * 32];
  __shared__ u32 total;
  __shared__ u64 barrier;
  u32 t = threadIdx.x, rank = ptx::get_sreg_cluster_ctarank();
  auto there = [&](auto *p) { return static_cast<decltype(p)>(__cluster_map_shared_rank(p, rank ^ 1)); };
  if (t == 0) {
    total = 0;
    ptx::mbarrier_init(&barrier, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &barrier, 32 * (16 + 4));
  }
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  u32 values[4] = {rank, t, rank * t, ptx::getctarank(ptx::space_cluster, there(&total))};
  ptx::st_async(there(cells + 4 * t), values, there(&barrier));
  ptx::red_async(ptx::op_add, there(&total), t + rank, there(&barrier));
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0))
    ;
  for (int i = 0; i < 4; ++i)
    out[5 * (32 * blockIdx.x + t) + i] = cells[4 * t + i];
  out[5 * (32 * blockIdx.x + t) + 4] = total;
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

void testCluster() {
  Buffer<u32> out(2 * 32 * 5);
  neighbours<<<2, 32>>>(out);
  checkLaunch();
  std::vector<u32> want;
  for (u32 block = 0; block < 2; ++block)
    for (u32 t = 0; t < 32; ++t)
      for (u32 value : {block ^ 1, t, (block ^ 1) * t, block, 496 + 32 * (block ^ 1)})
        want.push_back(value);
  expectAll("neighbours", out.get(), want);
}

/// A box of a matrix is read, and written elsewhere.
__global__ void moveBox(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int box[8 * 16];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    const int32_t from[2] = {4, 2}, to[2] = {24, 20};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, from, &barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof box);
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
      ;
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, to, box);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, to, box);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

void testTensor() {
  constexpr int Width = 40, Height = 30;
  std::vector<int> numbers(Width * Height);
  for (int i = 0; i < Width * Height; ++i)
    numbers[size_t(i)] = i;
  Buffer<int> data(numbers);
  CUtensorMap map;
  cuuint64_t sizes[2] = {Width, Height}, strides[1] = {Width * sizeof(int)};
  cuuint32_t box[2] = {16, 8}, steps[2] = {1, 1};
  auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled>(driverFunction("cuTensorMapEncodeTiled"));
  expectTrue("a map", encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data.data, sizes, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  moveBox<<<1, 32>>>(map);
  checkLaunch();
  std::vector<int> want = numbers;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 16; ++x)
      want[size_t((20 + y) * Width + 24 + x)] = 2 * ((2 + y) * Width + 4 + x);
  expectAll("box", data.get(), want);
}

__global__ void singles(u32 *out) {
  u32 lane = ptx::get_sreg_laneid(), t = ptx::get_sreg_tid_x() + ptx::get_sreg_ctaid_x() * ptx::get_sreg_ntid_x();
  bool found;
  u32 *to = out + 8 * t;
  to[0] =
      ptx::bfind(lane * lane + 1) + 100 * ptx::bfind(-int(lane) - 1) + 10000 * ptx::bfind_shiftamt(u64(lane + 1) << 32);
  to[1] = ptx::prmt(0x33221100u, 0x77665544u, 0x7250u + lane % 4) ^ ptx::prmt_rc8(lane, 0u, 0);
  to[2] =
      ptx::shl(lane, 3) + u32(ptx::shr(-int(lane), 2)) + ptx::shr(u64(lane) << 40, 38) + u32(ptx::shl(short(lane), 2));
  to[3] = ptx::shfl_sync_down(lane, found, 4, 31, ~0u) + 100 * found + 1000 * ptx::shfl_sync_idx(lane, 5, 31, ~0u);
  to[4] = ptx::shfl_sync_bfly(lane, 1, 31, ~0u) + ptx::bmsk_clamp(lane, 4) + ptx::bmsk_wrap(3, lane);
  to[5] = ptx::elect_sync(~0u) + 2 * (ptx::get_sreg_lanemask_lt() == (1u << lane) - 1) +
          4 * (ptx::get_sreg_nctaid_x() == 2);
  to[6] = (ptx::get_sreg_clock64() != 0) + 2 * (ptx::get_sreg_globaltimer() != 0) +
          4 * (ptx::get_sreg_warpid() == t / 32 % 2) + // where it lies on a GPU
          8 * (ptx::get_sreg_globaltimer_lo() != 0 || ptx::get_sreg_globaltimer_hi() != 0);
  to[7] = ptx::get_sreg_nwarpid() > 0;
  ptx::fence(ptx::sem_sc, ptx::scope_gpu);
  ptx::fence(ptx::sem_acq_rel, ptx::scope_sys);
  ptx::fence_proxy_async();
  ptx::fence_proxy_alias();
  if (t == 0x7fffffff)
    ptx::trap();
}

void testSingles() {
  Buffer<u32> out(8 * 128);
  singles<<<2, 64>>>(out);
  checkLaunch();
  std::vector<u32> got = out.get();
  auto highest = [](u64 x) { return x ? u32(63 - __builtin_clzll(x)) : ~0u; };
  u32 elected = 0;
  for (u32 t = 0; t < 128; ++t) {
    u32 lane = t % 32, *g = &got[8 * t];
    expect("bfind", t, g[0], highest(lane * lane + 1) + 100 * highest(lane) + 10000 * (31 - highest(lane + 1)));
    const u32 bytes[] = {0x77225500, 0x77225511, 0x77225522, 0x77225533};
    expect("prmt", t, g[1], bytes[lane % 4] ^ (lane * 0x01010101u));
    expect("shifts", t, g[2], lane * 8 + u32(-int(lane) >> 2) + lane * 4 + lane * 4);
    expect("shuffle", t, g[3], (lane < 28 ? lane + 4 : lane) + 100 * (lane < 28) + 5000);
    u32 clamped = lane > 28 ? ~0u << lane : 15u << lane, wrapped = ((1u << lane) - 1) << 3;
    expect("masks", t, g[4], (lane ^ 1) + clamped + wrapped);
    elected += g[5] & 1;
    expect("registers", t, g[5] >> 1, 3u);
    expect("changing registers", t, (g[6] | 4) + 100 * g[7], 115u); // a warp may move
  }
  expect("elected", 0, elected, 4u);
}

int main() {
  testBulk();
  testCluster();
  testTensor();
  testSingles();
  return finish();
}
