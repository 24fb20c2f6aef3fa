// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races on global memory within a launch, each kernel beside its correct twin.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck --print-level info %s %t
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

constexpr int N = 128, Blocks = 8;
__device__ int counter, flags[Blocks];
__device__ volatile int ready[Blocks];
__device__ float partial[Blocks];

__device__ int indexOfThread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Counting without atomic operations.
__global__ void count(const int *in, int *bins) {
  bins[in[indexOfThread()] & 7]++; // error: race-read-write, race-write-write
}
__global__ void countRight(const int *in, int *bins) { atomicAdd(&bins[in[indexOfThread()] & 7], 1); }
// ... a plain read beside it.
__global__ void countAndRead(const int *in, int *bins, int *out) {
  atomicAdd(&bins[in[indexOfThread()] & 7], 1); // error: race-read-write
  out[indexOfThread()] = bins[0];
}
// ... an atomic operation of the block only, between blocks.
__global__ void countOfBlock(int *bins) {
  atomicAdd_block(&bins[threadIdx.x & 7], 1); // error: race-atomic-scope
}
__global__ void countOfBlockRight(int *bins) {
  atomicAdd_block(&bins[8 * blockIdx.x + (threadIdx.x & 7)], 1);
}

// A step in place reads what neighbours write, those of other blocks too.
__global__ void smooth(int *a, int n) {
  int i = indexOfThread();
  int left = i > 0 ? a[i - 1] : 0;
  __syncthreads();
  a[i] += left; // error: race-read-write
}
__global__ void smoothRight(const int *a, int *b) {
  int i = indexOfThread();
  b[i] = a[i] + (i > 0 ? a[i - 1] : 0);
}
// ... within a block there is a barrier.
__global__ void smoothInBlock(int *a) {
  int i = indexOfThread();
  int left = threadIdx.x > 0 ? a[i - 1] : 0;
  __syncthreads();
  a[i] += left;
}
__global__ void smoothInBlockWrong(int *a) {
  int i = indexOfThread();
  int left = threadIdx.x > 0 ? a[i - 1] : 0;
  a[i] += left; // error: race-read-write
}

// The last block adds up what all have left.
__global__ void lastBlock(const float *in, float *out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x]; // error: race-read-write
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x < Blocks)
    out[threadIdx.x] = partial[threadIdx.x];
}
__global__ void lastBlockRight(const float *in, float *out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x]; // info: race-no-fence
    __threadfence();
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x < Blocks)
    out[threadIdx.x] = partial[threadIdx.x];
}
// All threads write, and all fence before the barrier.
__global__ void lastBlockOfAll(const int *in, int *all, int *out) {
  __shared__ bool isLast;
  all[indexOfThread()] = in[indexOfThread()]; // info: race-no-fence
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  __syncthreads();
  if (isLast)
    for (int i = threadIdx.x; i < Blocks * N; i += N)
      out[i] = all[i];
}
// One fences for all, behind the barrier.
__global__ void lastBlockOfOne(const int *in, int *all, int *out) {
  __shared__ bool isLast;
  all[indexOfThread()] = in[indexOfThread()]; // info: race-no-fence
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  }
  __syncthreads();
  if (isLast)
    for (int i = threadIdx.x; i < Blocks * N; i += N)
      out[i] = all[i];
}
// The fence comes before other threads have written.
__global__ void lastBlockTooEarly(const int *in, int *all, int *out) {
  __shared__ bool isLast;
  all[indexOfThread()] = in[indexOfThread()]; // error: race-read-write
  if (threadIdx.x == 0) {
    __threadfence();
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  }
  __syncthreads();
  if (isLast)
    for (int i = threadIdx.x; i < Blocks * N; i += N)
      out[i] = all[i];
}
// The fence reaches the block only.
__global__ void lastBlockNear(const float *in, float *out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x]; // error: race-read-write
    __threadfence_block();
    isLast = atomicInc((unsigned *)&counter, Blocks - 1) == Blocks - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x < Blocks)
    out[threadIdx.x] = partial[threadIdx.x];
}

// Blocks hand on a sum in a chain, by flags.
__global__ void chain(const int *in, int *sums) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0)
        ;
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + in[blockIdx.x]; // error: race-read-write
    atomicExch(&flags[blockIdx.x], 1);
  }
}
__global__ void chainRight(const int *in, int *sums) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) == 1)
        ;
      __threadfence();
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + in[blockIdx.x];
    __threadfence();
    atomicExch(&flags[blockIdx.x], 0);
  }
}
__global__ void chainVolatile(const int *in, int *sums) {
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0)
      while (!ready[blockIdx.x - 1])
        ;
    __threadfence();
    sums[blockIdx.x] = (blockIdx.x ? sums[blockIdx.x - 1] : 0) + in[blockIdx.x];
    __threadfence();
    ready[blockIdx.x] = 1;
  }
}
__global__ void chainOfStd(const int *in, int *sums, int *flag) {
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(*flag);
    while (turn.load(cuda::memory_order_acquire) != blockIdx.x)
      ;
    sums[0] += in[blockIdx.x];
    turn.store(blockIdx.x + 1, cuda::memory_order_release);
  }
}
__global__ void chainOfStdWrong(const int *in, int *sums, int *flag) {
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_device> turn(*flag);
    while (turn.load(cuda::memory_order_relaxed) != blockIdx.x)
      ;
    sums[0] += in[blockIdx.x]; // error: race-read-write, race-write-write
    turn.store(blockIdx.x + 1, cuda::memory_order_relaxed);
  }
}

// A lock.
__global__ void lock(int *mutex, int *sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(mutex, 0, 1) != 0)
      ;
    *sum += 1; // error: race-read-write, race-write-write
    atomicExch(mutex, 0);
  }
}
__global__ void lockRight(int *mutex, int *sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(mutex, 0, 1) != 0)
      ;
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(mutex, 0);
  }
}

// The barrier of the grid.
__global__ void grid(int *a, int *b) {
  auto grid = cg::this_grid();
  int i = indexOfThread(), n = N * Blocks;
  for (int k = 0; k < 3; k++) {
    a[i] = k;
    grid.sync();
    b[i] += a[(i + 300) % n];
    grid.sync();
  }
}
__global__ void gridWrong(int *a, int *b) {
  auto grid = cg::this_grid();
  int i = indexOfThread(), n = N * Blocks;
  for (int k = 0; k < 3; k++) {
    a[i] = k; // error: race-read-write
    grid.sync();
    b[i] += a[(i + 300) % n];
  }
}
__global__ void gridBlockOnly(int *a, int *b) {
  int i = indexOfThread(), n = N * Blocks;
  a[i] = i; // error: race-read-write
  __syncthreads();
  b[i] = a[(i + 300) % n];
}

// Found flags: all write the same.
__global__ void found(const int *in, int *any) {
  if (in[indexOfThread()] > 3)
    *any = 1; // info: race-same-value
}
// ... bytes, alone and beside each other.
__global__ void marked(const int *in, unsigned char *seen) {
  int i = indexOfThread();
  seen[blockIdx.x % 2 ? i % 64 : in[i]] = 1; // info: race-same-value
}
__global__ void markedByBlock(const int *in, unsigned char *seen) {
  int i = indexOfThread();
  seen[blockIdx.x % 2 ? i % 64 : in[i]] = blockIdx.x; // error: race-write-write
}
// ... each block computes the same.
__global__ void twice(const int *in, int *a) {
  a[threadIdx.x] = in[threadIdx.x] * 3; // info: race-same-value
}
// ... almost.
__global__ void nearlyTwice(const int *in, int *a) {
  a[threadIdx.x] = threadIdx.x == 40 ? in[indexOfThread()] : in[threadIdx.x]; // error: race-write-write
}
__global__ void lastOne(const int *in, int *any) {
  if (in[indexOfThread()] > 3)
    *any = in[indexOfThread()]; // error: race-write-write
}

// Threads beyond the edge take its place, and write the same.
__global__ void clamp(const int *in, int *out) {
  int x = min(threadIdx.x % 8, 4u), y = min(threadIdx.x / 8, 9u);
  out[5 * y + x] = in[5 * y + x]; // info: race-same-value
}

// Swaps of 16 bytes are atomic.
struct alignas(16) Pair {
  unsigned long long a, b;
};
__global__ void swap(Pair *pair, int *sum) {
  Pair mine = {1, 1}, before;
  if (indexOfThread() % 2)
    before = atomicExch(pair, mine);
  else
    __nv_atomic_exchange(pair, &mine, &before, __NV_ATOMIC_RELAXED);
  atomicAdd(sum, int(before.a));
}
__global__ void swapAndRead(Pair *pair, int *sum) {
  Pair mine = {1, 1};
  atomicExch(pair, mine); // error: race-read-write
  sum[indexOfThread()] = int(pair->a);
}

int main() {
  int *in, *a, *b, host[N * Blocks];
  for (int i = 0; i < N * Blocks; i++)
    host[i] = i * 7 % 31;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(a, 0, sizeof(host));
  cudaMemset(b, 0, sizeof(host));
  count<<<Blocks, N>>>(in, a);
  countRight<<<Blocks, N>>>(in, a);
  countAndRead<<<Blocks, N>>>(in, a, b);
  countOfBlock<<<Blocks, N>>>(a);
  countOfBlockRight<<<Blocks, N>>>(a);
  smooth<<<Blocks, N>>>(a, N * Blocks);
  smoothRight<<<Blocks, N>>>(a, b);
  smoothInBlock<<<Blocks, N>>>(a);
  smoothInBlockWrong<<<Blocks, N>>>(a);
  lastBlock<<<Blocks, N>>>((float *)in, (float *)b);
  lastBlockRight<<<Blocks, N>>>((float *)in, (float *)b);
  lastBlockOfAll<<<Blocks, N>>>(in, a, b);
  lastBlockOfOne<<<Blocks, N>>>(in, a, b);
  lastBlockTooEarly<<<Blocks, N>>>(in, a, b);
  lastBlockNear<<<Blocks, N>>>((float *)in, (float *)b);
  chain<<<Blocks, N>>>(in, a);
  chainRight<<<Blocks, N>>>(in, a);
  chainVolatile<<<Blocks, N>>>(in, a);
  cudaMemset(b, 0, sizeof(host));
  chainOfStd<<<Blocks, N>>>(in, a, b);
  chainOfStdWrong<<<Blocks, N>>>(in, a, b + 1);
  lock<<<Blocks, N>>>(b + 2, a);
  lockRight<<<Blocks, N>>>(b + 2, a);
  void *arguments[] = {&a, &b};
  cudaLaunchCooperativeKernel((void *)grid, Blocks, N, arguments);
  cudaLaunchCooperativeKernel((void *)gridWrong, Blocks, N, arguments);
  gridBlockOnly<<<Blocks, N>>>(a, b);
  marked<<<Blocks, N>>>(in, reinterpret_cast<unsigned char *>(a));
  markedByBlock<<<Blocks, N>>>(in, reinterpret_cast<unsigned char *>(a));
  found<<<Blocks, N>>>(in, a);
  lastOne<<<Blocks, N>>>(in, a);
  twice<<<Blocks, N>>>(in, a);
  nearlyTwice<<<Blocks, N>>>(in, a);
  clamp<<<1, N>>>(in, a);
  swap<<<Blocks, N>>>((Pair *)b, a);
  swapAndRead<<<Blocks, N>>>((Pair *)b, a);
  return cudaDeviceSynchronize();
}
