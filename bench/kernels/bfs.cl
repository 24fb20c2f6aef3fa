// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define MAX_LEVELS 64

kernel void start(global int *distances, global int *queue, global int *lengths) {
  int i = get_global_id(0);
  distances[i] = i == 0 ? 0 : -1;
  if (i <= MAX_LEVELS)
    lengths[i] = i == 0;
  if (i == 0)
    queue[0] = 0;
}

kernel void expand(int level, global const int *starts, global const int *edges, global int *distances,
                   global const int *queue, global int *next, global int *lengths) {
  int length = lengths[level];
  for (int i = get_global_id(0); i < length; i += get_global_size(0)) {
    int node = queue[i];
    for (int e = starts[node]; e < starts[node + 1]; ++e) {
      int other = edges[e];
      if (distances[other] < 0 && atomic_cmpxchg(&distances[other], -1, level + 1) == -1)
        next[atomic_inc(&lengths[level + 1])] = other;
    }
  }
}
