// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define BINS 256

kernel void clearBins(global unsigned *bins) { bins[get_local_id(0)] = 0; }

kernel void histogramShared(int n, global const uchar *in, global unsigned *bins) {
  local unsigned mine[BINS];
  mine[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&mine[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);
}

kernel void histogramGlobal(int n, global const uchar *in, global unsigned *bins) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&bins[in[i]]);
}
