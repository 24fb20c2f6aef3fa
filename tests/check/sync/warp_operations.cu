// RUN: %heddle cc %s -o %t
// RUN: %check --tool synccheck %s %t | FileCheck %s
// CHECK: '__shfl_down_sync' with a mask that names threads elsewhere, in kernel halfOfAll(int*)
// CHECK: the mask is 0xffffffff: threads (16,0,0) to (31,0,0) do not come to it
// CHECK-NEXT: they parted
// CHECK: with a mask that leaves out the caller
// CHECK: by thread (16,0,0) in block (0,0,0), and 15 more
// CHECK: with different masks in threads that name each other
// CHECK: the mask is 0xffffffff, that of thread (3,0,0) is 0x000000ff
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Member masks of warp operations, each wrong one beside its correct twin.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void halfOfAll(int *out) {
  int t = threadIdx.x;
  if (t < 16)
    out[t] = __shfl_down_sync(~0u, t, 1); // error: mask-names-absent-threads
  out[t] += 1;
}
__global__ void halfOfHalf(int *out) {
  int t = threadIdx.x;
  if (t < 16)
    out[t] = __shfl_down_sync(0xffff, t, 1);
  out[t] += 1;
}
// Threads that have ended are not waited for.
__global__ void restReturned(int *out) {
  int t = threadIdx.x;
  if (t >= 16)
    return;
  out[t] = __shfl_up_sync(~0u, t, 1);
}
__global__ void restReturnedAfterStore(int *out) {
  int t = threadIdx.x;
  if (t >= 16) {
    out[t] = 5;
    return;
  }
  out[t] = __shfl_up_sync(~0u, t, 1);
}

__global__ void leftOut(int *out) {
  int t = threadIdx.x;
  out[t] = __shfl_xor_sync(0xffff, t, 1); // error: mask-without-caller
}
__global__ void named(int *out) {
  int t = threadIdx.x;
  out[t] = __shfl_xor_sync(~0u, t, 1);
}

__global__ void differing(int *out) {
  int t = threadIdx.x;
  out[t] = __shfl_xor_sync(t == 3 ? 0xff : ~0u, t, 1); // error: masks-differ
}
__global__ void tiles(int *out) { // each eight threads name each other
  int t = threadIdx.x;
  out[t] = __shfl_xor_sync(0xffu << t / 8 * 8, t, 1);
}

__global__ void ballotInside(int *out, int n) {
  int t = threadIdx.x;
  unsigned all = 0;
  if (out[t] < n)
    all = __ballot_sync(~0u, t & 1); // error: mask-names-absent-threads
  out[t] = all;
}
__global__ void ballotOfActive(int *out, int n) {
  int t = threadIdx.x;
  unsigned all = 0;
  unsigned mask = __ballot_sync(~0u, out[t] < n);
  if (out[t] < n)
    all = __ballot_sync(mask, t & 1);
  out[t] = all;
}

__global__ void syncInside(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 20)
    __syncwarp(); // error: mask-names-absent-threads
  out[t] = s[t ^ 1];
}
__global__ void syncOutside(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp();
  if (t < 20)
    s[t] = 2;
  __syncwarp(0xffffffff);
  out[t] = s[t ^ 1];
}

__global__ void syncLeftOut(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp(0x0000ffff); // error: mask-without-caller
  out[t] = s[t ^ 1];
}
__global__ void syncHalves(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  out[t] = s[t ^ 1];
}

// Each part with its own mask, one of which names threads of the other part.
template <unsigned REST> __device__ void syncParts(int *out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 8) {
    __syncwarp(0xff);
    s[t] += out[t] + 1;
  } else {
    s[t] += out[t] + 2;
    __syncwarp(REST); // error: mask-names-absent-threads
  }
  out[t] = s[t];
}
__global__ void syncOverlapping(int *out) { syncParts<0xfffffff0>(out); }
__global__ void syncApart(int *out) { syncParts<0xffffff00>(out); }

__global__ void allInLoop(int *out, int n) { // the threads' turns differ
  int t = threadIdx.x, sum = 0;
  for (int i = t; i < n; i += 32)
    sum += __all_sync(~0u, i < 40); // error: mask-names-absent-threads
  out[t] = sum;
}
__global__ void allTogether(int *out, int n) {
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < n; first += 32)
    sum += __all_sync(~0u, first + t < 40);
  out[t] = sum;
}

__global__ void reduced(int *out) {
  int t = threadIdx.x, sum = 0;
  if (t % 2)
    sum = __reduce_add_sync(0xffffffff, t); // error: mask-names-absent-threads
  out[t] = sum;
}
__global__ void reducedOdd(int *out) {
  int t = threadIdx.x, sum = 0;
  if (t % 2)
    sum = __reduce_add_sync(0xaaaaaaaa, t);
  out[t] = sum;
}

__global__ void matched(int *out) {
  int t = threadIdx.x;
  out[t] = __match_any_sync(0x7fffffff, t / 4); // error: mask-without-caller
}
__global__ void matchedByAll(int *out) {
  int t = threadIdx.x;
  unsigned peers = __match_any_sync(~0u, t / 4);
  out[t] = __shfl_sync(peers, t, __ffs(peers) - 1);
}

__global__ void broadcast(int *out) {
  int t = threadIdx.x;
  if (t > 0)
    out[t] = __shfl_sync(0xffffffff, t, 1); // error: mask-names-absent-threads
  out[t]++;
}
__global__ void groups(int *out) {
  int t = threadIdx.x;
  if (t > 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    out[t] = group.shfl(t, 1);
  }
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[t] += tile.shfl_down(t, 1);
}
// Both arms do the same with the same mask: threads meet there.
__global__ void meeting(int *out) {
  int t = threadIdx.x;
  if (t < 16)
    out[t] = __shfl_xor_sync(~0u, t, 16);
  else
    out[t] = __shfl_xor_sync(~0u, 2 * t, 16);
}

template <class K, class... T> void run(K kernel, T... arguments) {
  int *out;
  cudaMalloc(&out, 4 * 32);
  cudaMemset(out, 0, 4 * 32);
  for (int i = 0; i < 32; i += 2)
    cudaMemset(out + i, 1, 1);
  kernel<<<1, 32>>>(out, arguments...);
  cudaFree(out);
}

int main() {
  run(halfOfAll);
  run(halfOfHalf);
  run(restReturned);
  run(restReturnedAfterStore);
  run(leftOut);
  run(named);
  run(syncOverlapping);
  run(syncApart);
  run(differing);
  run(tiles);
  run(ballotInside, 1);
  run(ballotOfActive, 1);
  run(syncInside);
  run(syncOutside);
  run(syncLeftOut);
  run(syncHalves);
  run(allInLoop, 50);
  run(allTogether, 50);
  run(reduced);
  run(reducedOdd);
  run(matched);
  run(matchedByAll);
  run(broadcast);
  run(groups);
  run(meeting);
  return cudaDeviceSynchronize() != cudaSuccess;
}
