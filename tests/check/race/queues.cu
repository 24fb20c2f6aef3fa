// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues, lists and scans, as programs have them; wrong ones beside right ones.
// RUN: %heddle cc -arch=sm_90 -std=c++17 %s -o %t && %check --tool all %s %t
#include <cuda/atomic>
#include <cuda/semaphore>

constexpr int N = 128, Blocks = 4;
#define I int(blockIdx.x * blockDim.x + threadIdx.x)

// A ring between two blocks, with a head and a tail.
struct Ring {
  volatile int head, tail;
  int slots[8];
};
__global__ void ring(Ring *r, int *out) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 32; ++i) {
      while (r->head - r->tail == 8)
        ;
      __threadfence();
      r->slots[i % 8] = i * i;
      __threadfence();
      r->head = i + 1;
    }
  } else if (blockIdx.x == 1) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      while (r->head == i)
        ;
      __threadfence();
      sum += r->slots[i % 8];
      __threadfence();
      r->tail = i + 1;
    }
    *out = sum;
  }
}
__global__ void ringUnfenced(Ring *r, int *out) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    for (int i = 0; i < 32; ++i) {
      while (r->head - r->tail == 8)
        ;
      __threadfence();
      r->slots[i % 8] = i * i; // error: race-read-write
      r->head = i + 1;
    }
  } else if (blockIdx.x == 1) {
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      while (r->head == i)
        ;
      __threadfence();
      sum += r->slots[i % 8];
      __threadfence();
      r->tail = i + 1;
    }
    *out = sum;
  }
}

// A queue of many writers, and then of many readers.
struct Queue {
  int count, items[Blocks * N];
};
__global__ void push(Queue *q) {
  int at = atomicAdd(&q->count, 1);
  q->items[at] = I;
}
__global__ void drain(Queue *q, int *out) {
  int at = atomicSub(&q->count, 1) - 1;
  out[at] = q->items[at];
}
__global__ void pushAndPop(Queue *q, int *out) { // both at once
  int at = atomicAdd(&q->count, 1);
  q->items[at] = I; // error: race-read-write
  if (at > 0)
    out[I] = q->items[at - 1];
}

// A list: who puts a node in front writes it before.
struct Node {
  int value, next;
};
__global__ void prepend(Node *nodes, int *head) {
  nodes[I].value = I;
  int old = *(volatile int *)head, seen;
  do {
    seen = old;
    nodes[I].next = seen;
    __threadfence();
    old = atomicCAS(head, seen, I);
  } while (old != seen);
}
__global__ void walk(Node *nodes, int *head, int *out) {
  if (I == 0) {
    int sum = 0;
    for (int at = *head; at >= 0; at = nodes[at].next)
      sum += nodes[at].value;
    *out = sum;
  }
}

// A hash table with open addresses.
__global__ void insert(int *keys, int *values, int n) {
  int key = I * 7 + 1, at = key % n;
  for (;;) {
    int seen = atomicCAS(&keys[at], 0, key);
    if (seen == 0 || seen == key)
      break;
    at = (at + 1) % n;
  }
  values[at] = I;
}
__global__ void lookUp(const int *keys, const int *values, int n, int *out) {
  int key = I * 7 + 1, at = key % n;
  while (keys[at] != key)
    at = (at + 1) % n;
  out[I] = values[at];
}
__global__ void insertAndLook(int *keys, int *values, int n, int *out) {
  int key = (I / 2) * 7 + 1, at = key % n;
  for (;;) {
    int seen = atomicCAS(&keys[at], 0, key);
    if (seen == 0) {
      values[at] = I; // error: race-read-write
      break;
    }
    if (seen == key) {
      out[I] = values[at];
      break;
    }
    at = (at + 1) % n;
  }
}

// Scan with look-back: state and value in one word.
__global__ void lookBack(const int *in, int *out, unsigned long long *states, int *ticket) {
  __shared__ int sums[N], tile, before;
  int t = threadIdx.x;
  if (t == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int i = tile * N + t;
  sums[t] = in[i];
  __syncthreads();
  for (int step = 1; step < N; step *= 2) {
    int x = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += x;
    __syncthreads();
  }
  if (t == 0) {
    auto pack = [](unsigned state, int value) { return (unsigned long long)state << 32 | unsigned(value); };
    int total = sums[N - 1], sum = 0;
    if (tile == 0) {
      atomicExch(&states[0], pack(2, total));
    } else {
      atomicExch(&states[tile], pack(1, total));
      for (int k = tile - 1; k >= 0; --k) {
        unsigned long long s;
        while (((s = atomicAdd(&states[k], 0)) >> 32) == 0)
          ;
        sum += int(s);
        if (s >> 32 == 2)
          break;
      }
      atomicExch(&states[tile], pack(2, sum + total));
    }
    before = sum;
  }
  __syncthreads();
  out[i] = sums[t] + before;
}
// ... apart, with a flag behind the value.
__global__ void lookBackApart(const int *in, int *out, int *flags, int *totals) {
  __shared__ int sums[N], before;
  int t = threadIdx.x, tile = blockIdx.x;
  sums[t] = in[I];
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < N; ++k)
      sum += sums[k];
    before = 0;
    if (tile > 0) {
      while (atomicAdd(&flags[tile - 1], 0) == 0)
        ;
      __threadfence();
      before = totals[tile - 1];
    }
    totals[tile] = before + sum;
    __threadfence();
    atomicExch(&flags[tile], 1);
  }
  __syncthreads();
  out[I] = sums[t] + before;
}
__global__ void lookBackEarly(const int *in, int *out, int *flags, int *totals) {
  __shared__ int sums[N], before;
  int t = threadIdx.x, tile = blockIdx.x;
  sums[t] = in[I];
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < N; ++k)
      sum += sums[k];
    before = 0;
    if (tile > 0) {
      while (atomicAdd(&flags[tile - 1], 0) == 0)
        ;
      __threadfence();
      before = totals[tile - 1];
    }
    __threadfence();
    atomicExch(&flags[tile], 1);
    totals[tile] = before + sum; // error: race-read-write
  }
  __syncthreads();
  out[I] = sums[t] + before;
}

// Semaphores and flags of the library.
__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore{1};
__device__ cuda::std::atomic_flag taken = ATOMIC_FLAG_INIT;
__global__ void bySemaphore(int *sum) {
  if (threadIdx.x == 0) {
    semaphore.acquire();
    *sum += 1;
    semaphore.release();
  }
}
__global__ void byFlag(int *sum) {
  if (threadIdx.x == 0) {
    while (taken.test_and_set(cuda::std::memory_order_acquire))
      ;
    *sum += 1;
    taken.clear(cuda::std::memory_order_release);
  }
}
__global__ void byFlagRelaxed(int *sum) {
  if (threadIdx.x == 0) {
    while (taken.test_and_set(cuda::std::memory_order_relaxed))
      ;
    *sum += 1; // error: race-read-write, race-write-write
    taken.clear(cuda::std::memory_order_relaxed);
  }
}

int main() {
  int *in, *out, *more, host[Blocks * N];
  for (int &x : host)
    x = 1;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&more, 4 * sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  auto clear = [&](int value = 0) {
    cudaMemset(more, value, 4 * sizeof(host));
    cudaMemset(out, 0, sizeof(host));
  };
  clear();
  ring<<<2, 32>>>((Ring *)more, out);
  clear();
  ringUnfenced<<<2, 32>>>((Ring *)more, out);
  clear();
  push<<<Blocks, N>>>((Queue *)more);
  drain<<<Blocks, N>>>((Queue *)more, out);
  clear();
  pushAndPop<<<Blocks, N>>>((Queue *)more, out);
  clear(-1);
  prepend<<<Blocks, N>>>((Node *)more, out + 5);
  clear(-1);
  cudaMemset(out, -1, 64);
  prepend<<<Blocks, N>>>((Node *)more, out);
  walk<<<1, 32>>>((Node *)more, out, out + 1);
  clear();
  insert<<<Blocks, N>>>(more, more + 2 * Blocks * N, 2 * Blocks * N);
  lookUp<<<Blocks, N>>>(more, more + 2 * Blocks * N, 2 * Blocks * N, out);
  clear();
  insertAndLook<<<Blocks, N>>>(more, more + 2 * Blocks * N, 2 * Blocks * N, out);
  clear();
  lookBack<<<Blocks, N>>>(in, out, (unsigned long long *)more, more + 64);
  clear();
  lookBackApart<<<Blocks, N>>>(in, out, more, more + 64);
  clear();
  lookBackEarly<<<Blocks, N>>>(in, out, more, more + 64);
  clear();
  bySemaphore<<<Blocks, N>>>(out);
  byFlag<<<Blocks, N>>>(out);
  byFlagRelaxed<<<Blocks, N>>>(out);
  return cudaDeviceSynchronize();
}
