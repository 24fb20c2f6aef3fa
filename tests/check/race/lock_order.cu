// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread does when it has given a lock back races with what another did under it, also where that
// one happened to come first. Beside it what is told under the lock, or in another way.
// RUN: %heddle cc -arch=sm_90 -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// RUN: env HEDDLE_WORKERS=1 %check --tool racecheck %s %t | FileCheck %s
// RUN: %check --tool racecheck --seed 5 %s %t | FileCheck %s
//
// CHECK-DAG: in kernel firstOutside
// CHECK-DAG: in kernel secondOutside
// CHECK-DAG: in kernel warpOutside
// CHECK-DAG: in kernel blindWrites

__device__ void acquire(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
}
__device__ void release(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

template <bool FIRST> __device__ void oneOutside(int *data, int *lock) {
  bool isOutside = (blockIdx.x == 0) == FIRST;
  acquire(lock);
  data[1 + blockIdx.x] = isOutside ? 1 : data[0];
  release(lock);
  if (isOutside)
    data[0] = 1; // error: race-read-write
}
__global__ void firstOutside(int *data, int *lock) { oneOutside<true>(data, lock); }
__global__ void secondOutside(int *data, int *lock) { oneOutside<false>(data, lock); }
// Both write a word that nobody reads.
__global__ void blindWrites(int *data, int *lock) {
  acquire(lock);
  data[1] = 5 + blockIdx.x;
  if (blockIdx.x == 0)
    data[0] = 2;
  release(lock);
  if (blockIdx.x == 1)
    data[0] = 1; // error: race-write-write
}
__global__ void warpOutside(int *data, int *lock) {
  if (threadIdx.x % 32)
    return;
  acquire(lock);
  if (threadIdx.x)
    data[0] = 2;
  release(lock);
  if (threadIdx.x == 0)
    data[0] = 1; // error: race-write-write
}

// Who reads under the lock what the other has written knows that that was first.
template <bool FIRST> __device__ void told(int *data, int *lock) {
  bool isTeller = (blockIdx.x == 0) == FIRST;
  acquire(lock);
  int isReady = isTeller ? 1 : data[1];
  if (isTeller) {
    data[0] = 3;
    data[1] = 1;
  }
  release(lock);
  if (!isTeller && isReady)
    data[0] += 1;
}
__global__ void firstTells(int *data, int *lock) { told<true>(data, lock); }
__global__ void secondTells(int *data, int *lock) { told<false>(data, lock); }
__global__ void lastOne(int *data, int *lock) {
  acquire(lock);
  data[0] = blockIdx.x;
  int number = ++data[1];
  release(lock);
  if (number == gridDim.x)
    data[0] += 1;
}
// Nobody works any more behind a stop, which one or two say.
template <bool FIRST, unsigned STOPPERS> __device__ void stopped(int *data, int *lock) {
  bool isWorker = (blockIdx.x == 0) == FIRST;
  acquire(lock);
  if (!isWorker && blockIdx.x <= STOPPERS)
    data[1] = 1;
  if (isWorker && !data[1])
    data[0] += 1;
  release(lock);
  if (!isWorker && blockIdx.x == STOPPERS)
    data[2] = data[0];
}
__global__ void oneStops(int *data, int *lock) { stopped<true, 1>(data, lock); }
__global__ void twoStop(int *data, int *lock) { stopped<true, 2>(data, lock); }

// A flag, or a barrier, behind the lock.
template <bool FIRST> __device__ void flagged(int *data, int *lock) {
  volatile int *flag = lock + 2;
  bool isTeller = (blockIdx.x == 0) == FIRST;
  acquire(lock);
  data[1 + blockIdx.x] = 1;
  if (isTeller)
    data[0] = 3;
  release(lock);
  if (isTeller) {
    *flag = 1;
  } else {
    while (!*flag)
      ;
    __threadfence();
    data[0] = 4;
  }
}
__global__ void firstFlags(int *data, int *lock) { flagged<true>(data, lock); }
__global__ void secondFlags(int *data, int *lock) { flagged<false>(data, lock); }
__global__ void barrier(int *data, int *lock) {
  if (threadIdx.x % 32 == 0) {
    acquire(lock);
    data[1] = threadIdx.x;
    if (threadIdx.x)
      data[0] = 2;
    release(lock);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    data[0] = 1;
}
__global__ void counted(int *data, int *lock) {
  acquire(lock);
  if (blockIdx.x == 0)
    data[0] = 2;
  else
    data[1] = 2;
  release(lock);
  if (atomicAdd(lock + 3, 1) == 1) {
    __threadfence();
    data[0] = 1;
  }
}
// Under the same lock again.
__global__ void again(int *data, int *lock) {
  for (int i = 0; i < 3; ++i) {
    acquire(lock);
    if (i == 2 || blockIdx.x == 0)
      data[0] = blockIdx.x;
    release(lock);
  }
}

int main() {
  int *all;
  cudaMalloc(&all, 4096);
  using Kernel = void(int *, int *);
  for (Kernel *kernel : {firstOutside, secondOutside, blindWrites, firstTells, secondTells, lastOne,
                         oneStops, firstFlags, secondFlags, counted, again}) {
    cudaMemset(all, 0, 4096);
    kernel<<<2, 1>>>(all, all + 128);
  }
  cudaMemset(all, 0, 4096);
  twoStop<<<3, 1>>>(all, all + 128);
  for (Kernel *kernel : {warpOutside, barrier}) {
    cudaMemset(all, 0, 4096);
    kernel<<<1, 64>>>(all, all + 128);
  }
  return cudaDeviceSynchronize();
}
