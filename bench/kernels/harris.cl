// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL 1.2 has no barrier for a warp: in the forms 5 to 7 it is the group's. The size is a constant everywhere:
// POCL 3.1 computes the first form wrongly with get_local_size.
#define BLOCK 256

#define TREE_1                                                                                               \
  for (int distance = 1; distance < BLOCK; distance *= 2) {                                                  \
    if (thread % (2 * distance) == 0)                                                                        \
      cache[thread] += cache[thread + distance];                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
  }
#define TREE_2                                                                                               \
  for (int distance = 1; distance < BLOCK; distance *= 2) {                                                  \
    int left = 2 * distance * thread;                                                                        \
    if (left < BLOCK)                                                                                        \
      cache[left] += cache[left + distance];                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
  }
#define TREE_3                                                                                               \
  for (int part = get_local_size(0) / 2; part > 0; part /= 2) {                                              \
    if (thread < part)                                                                                       \
      cache[thread] += cache[thread + part];                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                            \
  }
#define STEP(part)                                                                                           \
  if (thread < part)                                                                                         \
    cache[thread] += cache[thread + part];                                                                   \
  barrier(CLK_LOCAL_MEM_FENCE);
#define LAST_WARP STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
#define TREE_5                                                                                               \
  for (int part = get_local_size(0) / 2; part > 32; part /= 2) {                                             \
    STEP(part)                                                                                               \
  }                                                                                                          \
  LAST_WARP
#define TREE_6 STEP(128) STEP(64) LAST_WARP

#define ONE_LOAD cache[thread] = in[get_global_id(0)];
#define TWO_LOADS                                                                                            \
  int i = get_group_id(0) * get_local_size(0) * 2 + thread;                                                  \
  cache[thread] = in[i] + in[i + get_local_size(0)];
#define MANY_LOADS                                                                                           \
  float sum = 0;                                                                                             \
  for (int i = get_group_id(0) * BLOCK * 2 + thread; i < n; i += BLOCK * 2 * get_num_groups(0))              \
    sum += in[i] + in[i + BLOCK];                                                                            \
  cache[thread] = sum;

#define REDUCE(name, LOAD, TREE)                                                                             \
  kernel void name(int n, global const float *in, global float *sums) {                                      \
    local float cache[BLOCK];                                                                                \
    int thread = get_local_id(0);                                                                            \
    LOAD barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
    TREE                                                                                                     \
    if (thread == 0)                                                                                         \
      sums[get_group_id(0)] = cache[0];                                                                      \
  }

REDUCE(reduce1, ONE_LOAD, TREE_1)
REDUCE(reduce2, ONE_LOAD, TREE_2)
REDUCE(reduce3, ONE_LOAD, TREE_3)
REDUCE(reduce4, TWO_LOADS, TREE_3)
REDUCE(reduce5, TWO_LOADS, TREE_5)
REDUCE(reduce6, TWO_LOADS, TREE_6)
REDUCE(reduce7, MANY_LOADS, TREE_6)
