// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL 1.2 adds floats by exchanging them as integers.
#define DIMENSIONS 8
#define CENTRES 16
#define CELLS (CENTRES * (DIMENSIONS + 1))

kernel void start(global const float *first, global float *centres, global float *sums) {
  int i = get_local_id(0);
  if (i < CENTRES * DIMENSIONS)
    centres[i] = first[i];
  if (i < CELLS)
    sums[i] = 0;
}

void addLocal(volatile local float *cell, float value) {
  volatile local int *bits = (volatile local int *)cell;
  int old = *bits, seen;
  while ((seen = atomic_cmpxchg(bits, old, as_int(as_float(old) + value))) != old)
    old = seen;
}

void addGlobal(volatile global float *cell, float value) {
  volatile global int *bits = (volatile global int *)cell;
  int old = *bits, seen;
  while ((seen = atomic_cmpxchg(bits, old, as_int(as_float(old) + value))) != old)
    old = seen;
}

kernel void assign(int points, global const float *coordinates, global const float *centres,
                   global int *nearest, global float *sums) {
  local float groupCentres[CENTRES * DIMENSIONS], groupSums[CELLS];
  int thread = get_local_id(0), i = get_global_id(0);
  if (thread < CENTRES * DIMENSIONS)
    groupCentres[thread] = centres[thread];
  if (thread < CELLS)
    groupSums[thread] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < points) {
    float mine[DIMENSIONS], least = 3e38f;
    int best = 0;
    for (int d = 0; d < DIMENSIONS; ++d)
      mine[d] = coordinates[d * points + i];
    for (int c = 0; c < CENTRES; ++c) {
      float distance = 0;
      for (int d = 0; d < DIMENSIONS; ++d) {
        float difference = mine[d] - groupCentres[c * DIMENSIONS + d];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    nearest[i] = best;
    local float *sum = groupSums + best * (DIMENSIONS + 1);
    for (int d = 0; d < DIMENSIONS; ++d)
      addLocal(&sum[d], mine[d]);
    addLocal(&sum[DIMENSIONS], 1.0f);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < CELLS)
    addGlobal(&sums[thread], groupSums[thread]);
}

kernel void move(global float *centres, global float *sums) {
  int c = get_local_id(0);
  global float *sum = sums + c * (DIMENSIONS + 1);
  float count = sum[DIMENSIONS];
  for (int d = 0; d < DIMENSIONS; ++d) {
    if (count > 0)
      centres[c * DIMENSIONS + d] = sum[d] / count;
    sum[d] = 0;
  }
  sum[DIMENSIONS] = 0;
}
