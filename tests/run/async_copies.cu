// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %widths %t
// HARDWARE: not there (CUDA 13 has no nvcuda::experimental; the functions of mbarriers are ours)
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes around asynchronous copies and barriers, and what PTX's bulk copies stand on: barriers that count
// bytes, copies that tell them, also to other blocks of a cluster, and addresses of 32 bits.
#include "support.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
#include <type_traits>
namespace cg = cooperative_groups;
namespace nv = nvcuda::experimental;

static_assert(std::is_trivially_default_constructible_v<nv::awbarrier>, "it lies in shared memory");

/// A ring of tiles of two stages; the barrier is one of all threads.
__global__ void classes(const int *in, int *out, int tiles) {
  __shared__ nv::awbarrier barrier;
  __shared__ int ring[2][96], pair[2], longer[4];
  int t = int(threadIdx.x), n = int(blockDim.x);
  if (t == 0)
    init(&barrier, n);
  __syncthreads();
  nv::pipeline pipe;
  nv::memcpy_async(ring[0][t], in[t], pipe);
  size_t batch = pipe.commit(), first = batch;
  for (int i = 0; i < tiles; i++) {
    size_t now = batch;
    if (i + 1 < tiles) {
      nv::memcpy_async(ring[(i + 1) % 2][t], in[(i + 1) * n + t], pipe);
      batch = pipe.commit();
    }
    pipe.wait(now);
    barrier.arrive_and_wait();
    out[i * n + t] = ring[i % 2][(t * 7 + 1) % n];
    nv::awbarrier::arrival_token token = barrier.arrive();
    if (i % 2)
      barrier.wait(token);
    else
      while (!barrier.try_wait(token, 50))
        ;
  }
  if (t == 0) {
    nv::memcpy_async(pair, *reinterpret_cast<const int (*)[2]>(in), pipe);
    nv::memcpy_async(longer, *reinterpret_cast<const int (*)[3]>(in), pipe);
    pipe.arrive_on(barrier);
    pipe.commit_and_wait();
    out[tiles * n] = pair[1] * 1000 + longer[2] + longer[3];
    out[tiles * n + 1] = int(batch - first);
    out[tiles * n + 2] = int(barrier.arrive().pending_count());
  }
}

void testClasses(int threads, int tiles, Random &random) {
  std::vector<int> in(threads * tiles), want;
  for (int &v : in)
    v = random.below(1000);
  for (int i = 0; i < tiles * threads; i++)
    want.push_back(in[i / threads * threads + (i % threads * 7 + 1) % threads]);
  want.insert(want.end(), {in[1] * 1000 + in[2], tiles - 1, threads});
  Buffer<int> deviceIn(in), out(want.size());
  classes<<<1, threads>>>(deviceIn, out, tiles);
  checkLaunch();
  expectAll("classes", out.get(), want);
}

/// One thread announces the bytes of a tile and copies it in pieces; all wait for arrivals and bytes.
__global__ void bytes(const int4 *in, int4 *out, int tiles, int pieces) {
  __shared__ alignas(16) int4 tile[64];
  __shared__ unsigned long long barrier;
  int t = int(threadIdx.x), n = int(blockDim.x);
  in += blockIdx.x * tiles * 64, out += blockIdx.x * tiles * 64;
  if (t == 0)
    __heddle_mbarrier_init(&barrier, 1);
  __syncthreads();
  for (int i = 0; i < tiles; i++) {
    if (t == 0) {
      if (i % 2) // the first bytes may come before they are announced
        __heddle_bulk_copy(tile, in + i * 64, 16, &barrier);
      __heddle_mbarrier_arrive_expect_tx(&barrier, sizeof(tile));
      for (int p = i % 2 ? 1 : 0; p < 64; p += pieces) {
        int count = min(pieces, 64 - p);
        __heddle_bulk_copy(tile + p, in + i * 64 + p, 16 * count, &barrier);
      }
    }
    while (!__heddle_mbarrier_test_wait_parity(&barrier, i % 2))
      ;
    for (int k = t; k < 64; k += n)
      out[i * 64 + k] = tile[63 - k];
    __syncthreads();
  }
}

void testBytes(int threads, int tiles, int pieces, Random &random) {
  int blocks = 2;
  std::vector<int4> in(blocks * tiles * 64), want(in.size());
  for (int4 &v : in)
    v = {random.below(100), random.below(100), random.below(100), random.below(100)};
  for (size_t i = 0; i < in.size(); i++)
    want[i] = in[i / 64 * 64 + 63 - i % 64];
  Buffer<int4> deviceIn(in), out(in.size());
  bytes<<<blocks, threads>>>(deviceIn, out, tiles, pieces);
  checkLaunch();
  expectAll("bytes " + std::to_string(threads), out.get(), want);
}

/// Block 0 of a cluster copies to all others of odd rank; each block gives its sum to block 0, by
/// addresses of 32 bits, and arrives at its barrier.
__global__ void __cluster_dims__(4, 1, 1) multicast(const int4 *in, int *out) {
  __shared__ alignas(16) int4 tile[32];
  __shared__ unsigned long long barrier, sums;
  __shared__ int parts[4];
  cg::cluster_group cluster = cg::this_cluster();
  int t = int(threadIdx.x), rank = int(cluster.block_rank());
  if (t == 0) {
    __heddle_mbarrier_init(&barrier, 1);
    __heddle_mbarrier_init(&sums, 4);
  }
  tile[t] = {1, 1, 1, 1};
  cluster.sync();
  if (rank == 0 && t == 0)
    __heddle_bulk_copy_multicast(tile, in + blockIdx.x / 4 * 32, sizeof(tile), &barrier, 0xa);
  if (rank % 2) {
    if (t == 0)
      __heddle_mbarrier_arrive_expect_tx(&barrier, sizeof(tile));
    while (!__heddle_mbarrier_test_wait_parity(&barrier, 0))
      ;
  }
  int sum = tile[t].x + tile[t].y * 2 + tile[t].z * 3 + tile[t].w * 4;
  sum = __reduce_add_sync(~0u, sum);
  if (t == 0) {
    unsigned parts0 = __heddle_map_shared_window(unsigned(__cvta_generic_to_shared(parts)), 0);
    unsigned sums0 = __heddle_map_shared_window(unsigned(__cvta_generic_to_shared(&sums)), 0);
    static_cast<int *>(__heddle_from_shared_window(parts0))[rank] = sum;
    __heddle_mbarrier_arrive(__heddle_from_shared_window(sums0));
    out[gridDim.x + blockIdx.x] = int(__heddle_rank_in_shared_window(parts0)) * 10 +
                                  int(__heddle_rank_in_shared_window(unsigned(__cvta_generic_to_shared(parts))));
  }
  if (rank == 0) {
    while (!__heddle_mbarrier_test_wait_parity(&sums, 0))
      ;
    if (t < 4)
      out[blockIdx.x + t] = parts[t];
  }
  cluster.sync();
}

void testMulticast(int clusters, Random &random) {
  std::vector<int4> in(clusters * 32);
  std::vector<int> want(clusters * 8);
  for (int4 &v : in)
    v = {random.below(100), random.below(100), random.below(100), random.below(100)};
  for (int b = 0; b < clusters * 4; b++) {
    for (int t = 0; t < 32; t++) {
      int4 v = b % 2 ? in[b / 4 * 32 + t] : int4{1, 1, 1, 1};
      want[b] += v.x + v.y * 2 + v.z * 3 + v.w * 4;
    }
    want[clusters * 4 + b] = b % 4;
  }
  Buffer<int4> deviceIn(in);
  Buffer<int> out(clusters * 8);
  multicast<<<clusters * 4, 32>>>(deviceIn, out);
  checkLaunch();
  expectAll("multicast", out.get(), want);
}

/// More threads of a warp arrive than a phase takes: several phases go by. (An H200 takes the warp's arrivals for one
/// and ends the kernel.)
__global__ void surplus(unsigned *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, 16);
  __syncthreads();
  out[threadIdx.x] = __mbarrier_token_pending_count(__mbarrier_arrive(&barrier));
}

/// By a tile, a number of bytes that is no whole number of elements. (An H200 leaves out the end.)
__global__ void oddBytes(const short *in, short *out, int bytes) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (tile.meta_group_rank() == 1)
    cg::memcpy_async(tile, out, in, bytes);
  cg::wait(tile);
}

__global__ void isValid(int *out) { out[0] = cg::this_grid().is_valid() + 2 * cg::this_multi_grid().is_valid(); }

/// What a GPU takes otherwise.
void testOwn() {
  Buffer<unsigned> missing(48);
  surplus<<<1, 48>>>(missing);
  std::vector<unsigned> phases = missing.get(), left;
  std::sort(phases.begin(), phases.end());
  for (unsigned i = 0; i < 48; i++)
    left.push_back(i / 3 + 1);
  expectAll("surplus", phases, left);
  Buffer<short> odd(8);
  oddBytes<<<1, 16>>>(Buffer<short>(std::vector<short>{1, 2, 0x304, 4}), odd, 5);
  expectAll("odd bytes", odd.get(), {1, 2, 4, 0, 0, 0, 0, 0});
}

int main() {
  const char *device = std::getenv("HEDDLE_DEVICE");
  if (!device || std::string(device).substr(0, 3) != "gpu")
    testOwn();
  Buffer<int> valid(1);
  valid.put({7});
  isValid<<<1, 1>>>(valid);
  expectAll("no cooperative launch", valid.get(), {0});
  Random random(7207);
  testClasses(96, 5, random);
  testClasses(33, 4, random);
  testBytes(64, 5, 64, random);
  testBytes(32, 4, 7, random);
  testBytes(100, 3, 20, random);
  testMulticast(3, random);
  return finish();
}
