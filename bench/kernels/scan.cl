// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define BLOCK 256

int scanOfBlock(int mine, local int *cells) {
  int thread = get_local_id(0);
  cells[thread] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    int left = thread >= distance ? cells[thread - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[thread] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return cells[thread];
}

kernel void scanBlocks(global const int *in, global int *out, global int *sums) {
  local int cells[BLOCK];
  int i = get_global_id(0);
  int sum = scanOfBlock(in[i], cells);
  out[i] = sum;
  if (get_local_id(0) == BLOCK - 1)
    sums[get_group_id(0)] = sum;
}

kernel void scanSums(int blocks, global int *sums) {
  local int cells[BLOCK];
  int before = 0, thread = get_local_id(0);
  for (int start = 0; start < blocks; start += BLOCK) {
    int sum = scanOfBlock(sums[start + thread], cells);
    sums[start + thread] = before + sum;
    before += cells[BLOCK - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel void addSums(global const int *sums, global int *out) {
  if (get_group_id(0) > 0)
    out[get_global_id(0)] += sums[get_group_id(0) - 1];
}
