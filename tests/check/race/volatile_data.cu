// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Volatile variables taken for data: what no loop polls needs an order.
// RUN: %heddle cc %s -o %t && %check --tool racecheck --volatile-data yes %s %t
__device__ int flag, narrowFlag, lock, turns;

__global__ void passed(volatile int *data, int *out) {
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence();
    atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
__global__ void passedInBlockOnly(volatile int *data, int *out) {
  if (blockIdx.x == 0) {
    data[0] = 1; // error: race-read-write
    __threadfence_block();
    atomicExch(&narrowFlag, 1);
  } else {
    while (atomicAdd(&narrowFlag, 0) == 0) {
    }
    __threadfence();
    out[0] = data[0];
  }
}
__global__ void plainFlag(volatile int *flag, int *data) { // a loop polls it
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {
    }
    __threadfence();
    data[1] = data[0];
  }
}
__global__ void decidesNoLoop(volatile int *data, int *out) { // what is read in the loop, a wait in which polls
  for (int i = 0; i < 2; ++i)
    if (blockIdx.x == 0) {
      data[i] = i; // error: race-read-write
      __threadfence_block();
      atomicExch(&turns, i + 1);
    } else {
      while (atomicAdd(&turns, 0) <= i) {
      }
      __threadfence();
      if (data[i] == 3)
        atomicAdd(out + i, 1);
      else
        out[i + 4] = 5;
    }
}
__global__ void unlocked(volatile int *data) {
  data[0] = blockIdx.x; // error: race-write-write
}
__global__ void locked(volatile int *data) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  data[0] = blockIdx.x;
  __threadfence();
  atomicExch(&lock, 0);
}

int main() {
  int *data, *out;
  cudaMalloc(&data, 64);
  cudaMalloc(&out, 64);
  cudaMemset(data, 0, 64);
  passed<<<2, 1>>>(data, out);
  passedInBlockOnly<<<2, 1>>>(data, out);
  cudaMemset(data, 0, 64);
  plainFlag<<<2, 1>>>(data, out);
  cudaMemset(data, 0, 64);
  decidesNoLoop<<<2, 1>>>(data, out);
  unlocked<<<4, 1>>>(data);
  locked<<<4, 1>>>(data);
  return cudaDeviceSynchronize();
}
