// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Example: Workqueue".
//
// The work per item differs a lot, so threads take items from a common queue instead of owning
// fixed ones: atomicInc hands out the next position. In the lecture's form every thread takes one
// item, and the counter wraps at the end of the queue. In the second form few threads take items
// until none is left.
#include "common.h"

/// Steps of the Collatz sequence down to 1: from none to hundreds.
__host__ __device__ int doWork(unsigned item) {
  int steps = 0;
  for (unsigned long long x = item; x > 1; ++steps)
    x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

__global__ void takeOne(const unsigned *queue, unsigned *counter, int *output, unsigned *taken,
                        unsigned length, int threads) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= threads)
    return;
  unsigned position = atomicInc(counter, length - 1); // 0, 1, ..., length - 1, 0, 1, ...
  output[i] = doWork(queue[position]);
  taken[i] = position;
}

__global__ void takeMany(const unsigned *queue, unsigned *counter, int *output, unsigned length) {
  for (;;) {
    unsigned position = atomicInc(counter, 0xFFFFFFFFu);
    if (position >= length)
      return;
    output[position] = doWork(queue[position]);
  }
}

static void run(unsigned length, int threads) {
  Random random(29);
  std::vector<unsigned> items(length);
  for (unsigned &item : items)
    item = random.next() >> random.integer(8, 31);
  unsigned *queue = toDevice(items), *counter = zerosOnDevice<unsigned>(1);
  unsigned *taken = zerosOnDevice<unsigned>(threads);
  int *output = zerosOnDevice<int>(threads), *results = zerosOnDevice<int>(length);

  takeOne<<<(threads + 63) / 64, 64>>>(queue, counter, output, taken, length, threads);
  std::vector<int> got = toHost(output, threads), times(length);
  std::vector<unsigned> positions = toHost(taken, threads);
  bool right = true, evenly = true;
  for (int i = 0; i < threads; ++i) {
    right = right && positions[i] < length && got[i] == doWork(items[positions[i]]);
    times[positions[i] % length] += 1;
  }
  for (unsigned position = 0; position < length; ++position)
    evenly = evenly &&
             times[position] == threads / int(length) + (int(position) < threads % int(length));
  check(right, "%d threads each did an item of a queue of %u", threads, length);
  check(evenly, "and each item was taken as often as the counter came by");
  check(toHost(counter, 1)[0] == threads % length, "and the counter wrapped");

  CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
  takeMany<<<4, 48>>>(queue, counter, results, length);
  std::vector<int> want(length);
  for (unsigned i = 0; i < length; ++i)
    want[i] = doWork(items[i]);
  check(same(toHost(results, length), want), "192 threads emptied a queue of %u", length);
  check(toHost(counter, 1)[0] == length + 192, "and each of them found it empty once");
  for (void *array :
       {(void *)queue, (void *)counter, (void *)taken, (void *)output, (void *)results})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  run(1, 10);
  run(100, 100);
  run(1000, 333);
  run(77, 1000);
  return exitCode();
}
