// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DIGITS 16
#define BLOCK 128
#define RUN 8
#define TILE (BLOCK * RUN)
#define TILES ((1 << 20) / TILE)
#define SCAN_BLOCK 256

int sumBefore(int size, int mine, local int *cells) {
  int thread = get_local_id(0);
  cells[thread] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < size; distance *= 2) {
    int left = thread >= distance ? cells[thread - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[thread] += left;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return cells[thread] - mine;
}

kernel void countDigits(int shift, global const uint *keys, global int *counts) {
  local int bins[DIGITS];
  int thread = get_local_id(0), tile = get_group_id(0);
  if (thread < DIGITS)
    bins[thread] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = thread; i < TILE; i += BLOCK)
    atomic_inc(&bins[keys[tile * TILE + i] >> shift & (DIGITS - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < DIGITS)
    counts[thread * TILES + tile] = bins[thread];
}

kernel void scanCounts(global int *counts) {
  local int cells[SCAN_BLOCK];
  const int share = DIGITS * TILES / SCAN_BLOCK;
  global int *mine = counts + get_local_id(0) * share;
  int sum = 0;
  for (int i = 0; i < share; ++i)
    sum += mine[i];
  int running = sumBefore(SCAN_BLOCK, sum, cells);
  for (int i = 0; i < share; ++i) {
    int count = mine[i];
    mine[i] = running;
    running += count;
  }
}

kernel void scatter(int shift, global const uint *keys, global const int *starts, global uint *out) {
  local uint tile[TILE];
  local int counts[DIGITS * BLOCK], cells[BLOCK], firsts[DIGITS];
  int thread = get_local_id(0), group = get_group_id(0);
  for (int i = thread; i < TILE; i += BLOCK)
    tile[i] = keys[group * TILE + i];
  for (int digit = 0; digit < DIGITS; ++digit)
    counts[digit * BLOCK + thread] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  uint mine[RUN];
  int before[RUN];
  for (int i = 0; i < RUN; ++i) {
    mine[i] = tile[thread * RUN + i];
    before[i] = counts[(mine[i] >> shift & (DIGITS - 1)) * BLOCK + thread]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  int sum = 0;
  for (int i = 0; i < DIGITS; ++i)
    sum += counts[thread * DIGITS + i];
  int running = sumBefore(BLOCK, sum, cells);
  for (int i = 0; i < DIGITS; ++i) {
    int count = counts[thread * DIGITS + i];
    counts[thread * DIGITS + i] = running;
    running += count;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < DIGITS)
    firsts[thread] = counts[thread * BLOCK];
  for (int i = 0; i < RUN; ++i)
    tile[counts[(mine[i] >> shift & (DIGITS - 1)) * BLOCK + thread] + before[i]] = mine[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = thread; i < TILE; i += BLOCK) {
    int digit = tile[i] >> shift & (DIGITS - 1);
    out[starts[digit * TILES + group] + i - firsts[digit]] = tile[i];
  }
}
