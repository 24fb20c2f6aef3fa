// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups against the same sums on the host.
// RUN: %heddle run %s
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ int blockSum(cg::thread_group g, int *tmp, int v) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    tmp[lane] = v;
    g.sync();
    if (lane < i)
      v += tmp[lane + i];
    g.sync();
  }
  return v;
}
__global__ void k(int *o, int *in) {
  __shared__ int s[128];
  cg::thread_block b = cg::this_thread_block();
  auto t = cg::tiled_partition<8>(b);
  auto w = cg::tiled_partition<32>(b);
  int r = b.thread_rank();
  cg::memcpy_async(b, s, in, sizeof(int) * 128);
  cg::wait(b);
  o[r] = s[127 - r];
  o[128 + r] = cg::reduce(t, r, cg::plus<int>());
  o[256 + r] = cg::inclusive_scan(w, 1) + 100 * cg::exclusive_scan(t, 2, cg::plus<int>());
  o[384 + r] = 0;
  if (r % 3 == 0) {
    auto c = cg::coalesced_threads();
    o[384 + r] = c.size() * 10000 + c.thread_rank() * 100 + cg::reduce(c, 1, cg::plus<int>()) +
                 c.shfl(r, 1) * 1000000;
  }
  auto l = cg::labeled_partition(w, r % 5);
  o[512 + r] = l.size() * 100 + l.thread_rank() + 10000 * l.meta_group_rank();
  auto bp = cg::binary_partition(w, r % 4 == 1);
  o[640 + r] = bp.size() * 100 + bp.thread_rank();
  b.sync();
  int q = blockSum(b, s, r);
  if (r == 0)
    o[768] = q;
  double d = w.shfl_xor((double)r, 1);
  o[769 + r] = (int)d + t.ballot(r & 1) * 1000 + t.any(r == 5) * 100000000;
}
__global__ void g(int *o) {
  auto gr = cg::this_grid();
  if (gr.thread_rank() == 0)
    o[0] = 7;
  gr.sync();
  if (gr.thread_rank() == gr.size() - 1)
    o[1] = o[0] * 2;
}
int main() {
  int *o, *in;
  cudaMallocManaged(&o, 4000 * 4);
  cudaMallocManaged(&in, 512);
  for (int i = 0; i < 128; i++)
    in[i] = i;
  k<<<1, 128>>>(o, in);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  int bad = 0;
  for (int r = 0; r < 128; r++) {
    int w = r / 32, base = r / 8 * 8;
    bad += o[r] != 127 - r;
    bad += o[128 + r] != 8 * base + 28;
    bad += o[256 + r] != r % 32 + 1 + 200 * (r % 8);
    int n = 0, rk = 0, one = -1, seen = 0;
    for (int i = w * 32; i < w * 32 + 32; i++)
      if (i % 3 == 0) {
        if (i < r)
          rk++;
        if (seen++ == 1)
          one = i;
        n++;
      }
    bad += o[384 + r] != (r % 3 ? 0 : n * 10000 + rk * 100 + n + one * 1000000);
    int ln = 0, lr = 0;
    for (int i = w * 32; i < w * 32 + 32; i++)
      if (i % 5 == r % 5) {
        ln++;
        lr += i < r;
      }
    bad += o[512 + r] % 10000 != ln * 100 + lr;
    int bn = 0, br = 0;
    for (int i = w * 32; i < w * 32 + 32; i++)
      if ((i % 4 == 1) == (r % 4 == 1)) {
        bn++;
        br += i < r;
      }
    bad += o[640 + r] != bn * 100 + br;
    bad += o[769 + r] != (r ^ 1) + 0xaa * 1000 + (r / 8 == 0) * 100000000;
  }
  bad += o[768] != 127 * 64;
  printf("bad %d\n", bad);
  void *args[] = {&o};
  cudaLaunchCooperativeKernel(g, 2, 64, args);
  printf("%s %d\n", cudaGetErrorString(cudaDeviceSynchronize()), o[1]);
  return bad;
}
