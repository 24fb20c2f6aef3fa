// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define BLOCK 256

void sumOfBlock(float mine, local float *cache, global float *sums) {
  int thread = get_local_id(0);
  cache[thread] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = BLOCK / 2; half_ > 0; half_ /= 2) {
    if (thread < half_)
      cache[thread] += cache[thread + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (thread == 0)
    sums[get_group_id(0)] = cache[0];
}

kernel void reduceTree(global const float *in, global float *sums) {
  local float cache[BLOCK];
  sumOfBlock(in[get_global_id(0)], cache, sums);
}

kernel void reduceStrided(int n, global const float *in, global float *sums) {
  local float cache[BLOCK];
  float mine = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    mine += in[i];
  sumOfBlock(mine, cache, sums);
}
