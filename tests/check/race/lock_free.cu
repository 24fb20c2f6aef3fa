// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock-free code between blocks: a stack, a queue of slots, a lock of many readers, a barrier of the
// grid, a sequence lock. Beside each kernel the right one.
// RUN: %heddle cc -arch=sm_90 -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// RUN: %check --tool racecheck --seed 3 %s %t | FileCheck %s
//
// CHECK-DAG: in kernel stackUnfenced
// CHECK-DAG: in kernel queueByTail
// CHECK-DAG: in kernel readWithoutLock
// CHECK-DAG: in kernel ownGridBarrierApart

struct Shared {
  int top, tail, head, lock, data, beside;
  unsigned arrived;
  volatile int sequence, first, second;
  int value[64], next[64], ready[64];
};

template <bool FENCED> __device__ int pushAndLook(Shared *s) {
  int i = blockIdx.x + 1, below = atomicAdd(&s->top, 0), seen;
  s->value[i] = i; // error: race-read-write
  do {
    seen = below;
    s->next[i] = seen;
    if (FENCED)
      __threadfence();
    below = atomicCAS(&s->top, seen, i);
  } while (below != seen);
  __threadfence();
  return seen ? s->value[seen] : 0;
}
__global__ void stackUnfenced(Shared *s, int *out) { out[blockIdx.x] = pushAndLook<false>(s); }
__global__ void stackRight(Shared *s, int *out) { out[blockIdx.x] = pushAndLook<true>(s); }

template <bool BY_TAIL> __device__ void passOn(Shared *s, int *out) {
  if (blockIdx.x < gridDim.x / 2) {
    int at = atomicAdd(&s->tail, 1);
    s->value[at] = at; // error: race-read-write
    __threadfence();
    atomicExch(&s->ready[at], 1);
    return;
  }
  int at = atomicAdd(&s->head, 1);
  while (BY_TAIL ? atomicAdd(&s->tail, 0) <= at : !atomicAdd(&s->ready[at], 0))
    ;
  __threadfence();
  out[at] = s->value[at];
}
__global__ void queueByTail(Shared *s, int *out) { passOn<true>(s, out); }
__global__ void queueByReady(Shared *s, int *out) { passOn<false>(s, out); }

__device__ void write(Shared *s) {
  while (atomicCAS(&s->lock, 0, -1) != 0)
    ;
  __threadfence();
  s->data = 5; // error: race-read-write
  __threadfence();
  atomicExch(&s->lock, 0);
}
__global__ void readWithoutLock(Shared *s, int *out) {
  if (blockIdx.x == 0)
    write(s);
  else
    out[blockIdx.x] = s->data;
}
__global__ void readersLock(Shared *s, int *out) {
  if (blockIdx.x == 0)
    return write(s);
  for (;;) {
    int readers = atomicAdd(&s->lock, 0);
    if (readers >= 0 && atomicCAS(&s->lock, readers, readers + 1) == readers)
      break;
  }
  __threadfence();
  out[blockIdx.x] = s->data;
  __threadfence();
  atomicSub(&s->lock, 1);
}

template <bool TOGETHER> __device__ void mirror(Shared *s, int *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  s->value[i] = static_cast<int>(i); // error: race-read-write
  if (TOGETHER)
    __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&s->arrived, 1);
    while (atomicAdd(&s->arrived, 0) < gridDim.x)
      ;
    __threadfence();
  }
  __syncthreads();
  out[i] = s->value[all - 1 - i];
}
__global__ void ownGridBarrierApart(Shared *s, int *out) { mirror<false>(s, out); }
__global__ void ownGridBarrier(Shared *s, int *out) { mirror<true>(s, out); }

__global__ void sequenceRight(Shared *s, int *out) {
  if (blockIdx.x == 0) {
    s->sequence = s->sequence + 1;
    __threadfence();
    s->first = 1;
    s->second = 2;
    __threadfence();
    s->sequence = s->sequence + 1;
    return;
  }
  int before, sum;
  do {
    before = s->sequence;
    __threadfence();
    sum = s->first + s->second;
    __threadfence();
  } while (before % 2 || before != s->sequence);
  out[blockIdx.x] = sum;
}

int main() {
  Shared *s;
  int *out;
  cudaMalloc(&s, sizeof(Shared));
  cudaMalloc(&out, 256);
  auto run = [&](void (*kernel)(Shared *, int *), int blocks, int threads) {
    cudaMemset(s, 0, sizeof(Shared));
    kernel<<<blocks, threads>>>(s, out);
  };
  for (auto *kernel : {stackUnfenced, stackRight, queueByTail, queueByReady, readWithoutLock,
                       readersLock, sequenceRight})
    run(kernel, 4, 1);
  for (auto *kernel : {ownGridBarrierApart, ownGridBarrier})
    run(kernel, 2, 32);
  return cudaDeviceSynchronize();
}
