// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps take their work from a queue: one lane takes, tells the others, and does something alone where the turn ends, so
// that the compiler joins the two. With what lanes keep from turn to turn, turns that end early, and a queue that grows.
// RUN: %heddle cc -O3 %s -o %t
// RUN: %widths(64) %t
#include "support.h"

constexpr int Rows = 700, Most = 90;

__device__ static int sumOf(const int *values, int first, int last, int lane) {
  int sum = 0;
  for (int i = first + lane; i < last; i += 32)
    sum += values[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  return sum;
}

__global__ void plain(const int *start, const int *values, int *sums, int *next) {
  int lane = threadIdx.x % 32;
  while (true) {
    int row = 0;
    if (lane == 0)
      row = atomicAdd(next, 1);
    row = __shfl_sync(~0u, row, 0);
    if (row >= Rows)
      break;
    int sum = sumOf(values, start[row], start[row + 1], lane);
    if (lane == 0)
      sums[row] = sum;
  }
}

// Lane 0 knows how many it took and the last one, the others how many turns there were; some turns end early.
__global__ void kept(const int *start, const int *values, int *sums, int *next, int *taken, int *turns) {
  int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int count = 0, last = -1, turn = 0, row = 0;
  while (true) {
    if (lane == 0) {
      row = atomicAdd(next, 1);
      if (row < Rows) {
        count++;
        last = max(last, row);
      }
    }
    row = __shfl_sync(~0u, row, 0);
    if (row >= Rows)
      break;
    turn++;
    int first = start[row], end = start[row + 1];
    if (first == end) {
      if (lane == 0)
        sums[row] = 0;
      continue;
    }
    int sum = sumOf(values, first, end, lane);
    if (sum & 1) {
      if (lane == 0)
        sums[row] = sum;
    } else if (lane == 0) {
      sums[row] = sum + last - row;
    }
  }
  if (lane == 0)
    taken[warp] = count;
  if (lane == 31)
    turns[warp] = turn;
}

// The leader is another lane, and the row of the turn before is still needed.
__global__ void before(const int *start, const int *values, int *sums, int *next, int *chain) {
  int lane = threadIdx.x % 32, previous = -1;
  for (;;) {
    int row;
    if (lane == 7)
      row = atomicAdd(next, 1);
    row = __shfl_sync(~0u, row, 7);
    if (row >= Rows)
      return;
    int sum = sumOf(values, start[row], start[row + 1], lane);
    if (lane == 7) {
      sums[row] = sum;
      chain[row] = previous;
      previous = row;
    }
  }
}

// Each item below Rows / 2 adds another one to the queue; warps wait until all are done.
__global__ void growing(int *queue, int *head, int *tail, int *done, int *seen) {
  int lane = threadIdx.x % 32;
  while (true) {
    int item = -1;
    if (lane == 0) {
      int at = atomicAdd(head, 1);
      if (at < Rows) {
        while ((item = *(volatile int *)&queue[at]) < 0 && *(volatile int *)done < Rows)
          __nanosleep(20);
      }
    }
    item = __shfl_sync(~0u, item, 0);
    if (item < 0)
      break;
    int lanes = __reduce_add_sync(~0u, 1);
    if (lane == 0) {
      seen[item] = lanes;
      if (item < Rows / 2) {
        int at = atomicAdd(tail, 1);
        __threadfence();
        *(volatile int *)&queue[at] = item + Rows / 2;
      }
      atomicAdd(done, 1);
    }
  }
}

int main() {
  Random random(5);
  std::vector<int> start(Rows + 1), values, want(Rows), none(Rows, -7);
  for (int row = 0; row < Rows; ++row) {
    int length = random.below(4) ? random.below(Most) : 0;
    for (int i = 0; i < length; ++i) {
      values.push_back(random.below(100));
      want[row] += values.back();
    }
    start[row + 1] = int(values.size());
  }
  constexpr int Warps = 6 * 3;
  Buffer<int> deviceStart(start), deviceValues(values);
  std::vector<int> zero(1);
  {
    Buffer<int> sums(none), next(zero);
    plain<<<6, 96>>>(deviceStart.data, deviceValues.data, sums.data, next.data);
    expectAll("plain", sums.get(), want);
  }
  {
    Buffer<int> sums(none), next(zero), taken(Warps), turns(Warps);
    kept<<<6, 96>>>(deviceStart.data, deviceValues.data, sums.data, next.data, taken.data, turns.data);
    expectAll("kept", sums.get(), want);
    expectAll("turns", turns.get(), taken.get());
    int all = 0;
    for (int count : taken.get())
      all += count;
    expectTrue("taken", all == Rows);
  }
  {
    Buffer<int> sums(none), next(zero), chain(none);
    before<<<6, 96>>>(deviceStart.data, deviceValues.data, sums.data, next.data, chain.data);
    expectAll("before", sums.get(), want);
    std::vector<int> follows(Rows);
    for (int row : chain.get())
      if (row >= 0)
        follows[row]++;
    for (int count : follows)
      expectTrue("chain", count <= 1);
  }
  {
    std::vector<int> queue(Rows, -1), full(1, Rows / 2), ones(Rows, 32);
    for (int i = 0; i < Rows / 2; ++i)
      queue[i] = i;
    Buffer<int> items(queue), head(zero), tail(full), done(zero), seen(none);
    growing<<<4, 64>>>(items.data, head.data, tail.data, done.data, seen.data);
    expectAll("growing", seen.get(), ones);
  }
  return finish();
}
