// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One addition that some threads make to shared memory and others to global memory: the block looks at the former.
#include "support.h"

__global__ void mixed(int *sums, int *total, int phase) {
  __shared__ int cells[64];
  int t = threadIdx.x;
  cells[t] = 0;
  __syncthreads();
  int *place = (t + phase) % 2 ? &cells[t / 2] : &sums[t];
  atomicAdd(place, t + 1);
  __syncthreads();
  atomicAdd(total, cells[t]);
}

/// The same by a pointer that was stored.
__global__ void stored(int *sums, int *total) {
  __shared__ int cells[64];
  __shared__ int *places[2];
  int t = threadIdx.x;
  cells[t] = 0;
  if (t == 0) {
    places[0] = sums;
    places[1] = cells;
  }
  __syncthreads();
  atomicAdd(places[t % 2] + t, t + 1);
  __syncthreads();
  atomicAdd(total, cells[t]);
}

int main() {
  constexpr int Blocks = 100;
  for (int form : {0, 1}) {
    Buffer<int> sums(64), total(1);
    if (form)
      stored<<<Blocks, 64>>>(sums.data, total.data);
    else
      mixed<<<Blocks, 64>>>(sums.data, total.data, 0);
    std::vector<int> wantSums(64);
    int wantTotal = 0;
    for (int t = 0; t < 64; ++t)
      (t % 2 ? wantTotal : wantSums[t]) += Blocks * (t + 1);
    expectAll("sum", sums.get(), wantSums);
    expect("total", form, total.get()[0], wantTotal);
  }
  return finish();
}
