// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
// UNSUPPORTED: checked
//
// Illustrates: lecture 2, "Race Conditions" and "Atomics".
//
// Many threads write to one memory location. With plain stores some thread's value stays, and
// nobody may rely on which; a plain increment loses updates, and nobody knows how many. With an
// atomic operation nothing is lost, and each thread gets the value from before its own operation:
// all different numbers.
#include "common.h"

__global__ void lastWriterWins(volatile int *location) {
  *location = blockIdx.x * blockDim.x + threadIdx.x + 1;
}

__global__ void incrementRacing(volatile int *counter) { *counter = *counter + 1; }

__global__ void incrementAtomically(int *counter, int *tickets) {
  int before = atomicAdd(counter, 1);
  tickets[before] += 1;
}

static void run(int blocks, int threads) {
  int n = blocks * threads, *location = zerosOnDevice<int>(3), *tickets = zerosOnDevice<int>(n);
  lastWriterWins<<<blocks, threads>>>(location);
  incrementRacing<<<blocks, threads>>>(location + 1);
  incrementAtomically<<<blocks, threads>>>(location + 2, tickets);
  std::vector<int> got = toHost(location, 3);
  check(got[0] >= 1 && got[0] <= n, "%d plain stores leave one of the stored values", n);
  check(got[1] >= 1 && got[1] <= n, "%d plain increments count at least 1 and at most all", n);
  check(got[2] == n, "%d atomic increments count %d", n, got[2]);
  check(same(toHost(tickets, n), std::vector<int>(n, 1)), "%d atomic increments return %d values",
        n, n);
  CUDA_CHECK(cudaFree(location));
  CUDA_CHECK(cudaFree(tickets));
}

int main() {
  run(1, 1);
  run(1, 100);
  run(60, 32);
  run(33, 257);
  return exitCode();
}
