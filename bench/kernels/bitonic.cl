// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define PIECE 512

kernel void bitonicSort(global const uint *in, global uint *out) {
  local uint keys[PIECE];
  int thread = get_local_id(0), base = get_group_id(0) * PIECE;
  keys[thread] = in[base + thread];
  keys[thread + PIECE / 2] = in[base + thread + PIECE / 2];
  for (int size = 2; size <= PIECE; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int low = 2 * thread - (thread & (stride - 1)), high = low + stride;
      uint a = keys[low], b = keys[high];
      bool ascending = (low & size) == 0;
      if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + thread] = keys[thread];
  out[base + thread + PIECE / 2] = keys[thread + PIECE / 2];
}
