// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fence behind the read of a flag, and behind taking a lock. Beside each kernel that lacks it the
// right one.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck --print-level info %s %t
#include <cuda/atomic>

constexpr int N = 64;
#define IS_WRITER (blockIdx.x == 0)

// A flag that is volatile.
__global__ void polled(int *data, volatile int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0)
      ;
    data[1] = data[0];
  }
}
__global__ void polledRight(int *data, volatile int *flag) {
  if (IS_WRITER) {
    data[0] = 1;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0)
      ;
    __threadfence();
    data[1] = data[0];
  }
}
// The fence comes before the last read.
__global__ void fencedTooEarly(int *data, volatile int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    __threadfence();
    flag[0] = 1;
  } else {
    do
      __threadfence();
    while (flag[0] == 0);
    data[1] = data[0];
  }
}
// It reaches the own block only.
__global__ void fencedNear(int *data, volatile int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[0] == 0)
      ;
    __threadfence_block();
    data[1] = data[0];
  }
}

// Atomic functions.
__global__ void added(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    data[1] = data[0];
  }
}
__global__ void addedRight(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    __threadfence();
    data[1] = data[0];
  }
}

// PTX.
__device__ int relaxed(const int *at) {
  int x;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
  return x;
}
__device__ int acquired(const int *at) {
  int x;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
  return x;
}
__device__ int acquiredInBlock(const int *at) {
  int x;
  asm volatile("ld.acquire.cta.global.s32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
  return x;
}
__device__ void released(int *at) {
  asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(at) : "memory"); // error: race-read-write
}
template <int (*READ)(const int *)> __device__ void readPtx(int *data, int *flag, bool fences) {
  while (READ(flag) == 0)
    ;
  if (fences)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  data[1] = data[0];
}
__global__ void ptxRelaxed(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    released(flag);
  } else {
    readPtx<relaxed>(data, flag, false);
  }
}
__global__ void ptxRelaxedRight(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1;
    released(flag);
  } else {
    readPtx<relaxed>(data, flag, true);
  }
}
__global__ void ptxAcquired(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1;
    released(flag);
  } else {
    readPtx<acquired>(data, flag, false);
  }
}
__global__ void ptxAcquiredInBlock(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    released(flag);
  } else {
    readPtx<acquiredInBlock>(data, flag, false);
  }
}

// Objects of the library.
template <cuda::thread_scope SCOPE> using Ref = cuda::atomic_ref<int, SCOPE>;
constexpr auto Block = cuda::thread_scope_block, Device = cuda::thread_scope_device, System = cuda::thread_scope_system;

__global__ void refRelaxed(int *data, int *flag) {
  Ref<Device> at(*flag);
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    at.store(1, cuda::memory_order_release);
  } else {
    while (at.load(cuda::memory_order_relaxed) == 0)
      ;
    data[1] = data[0];
  }
}
__global__ void refFenced(int *data, int *flag) {
  Ref<Device> at(*flag);
  if (IS_WRITER) {
    data[0] = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, Device);
    at.store(1, cuda::memory_order_relaxed);
  } else {
    while (at.load(cuda::memory_order_relaxed) == 0)
      ;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, Device);
    data[1] = data[0];
  }
}
__global__ void refFencedInBlock(int *data, int *flag) {
  Ref<Device> at(*flag);
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    cuda::atomic_thread_fence(cuda::memory_order_release, Device);
    at.store(1, cuda::memory_order_relaxed);
  } else {
    while (at.load(cuda::memory_order_relaxed) == 0)
      ;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, Block);
    data[1] = data[0];
  }
}
template <cuda::thread_scope SCOPE> __device__ void passOn(int *data, int *flag) {
  Ref<SCOPE> at(*flag);
  if (IS_WRITER) {
    data[0] = 1;
    at.store(1, cuda::memory_order_release);
  } else {
    while (at.load(cuda::memory_order_acquire) == 0)
      ;
    data[1] = data[0];
  }
}
__global__ void refOfDevice(int *data, int *flag) { passOn<Device>(data, flag); }
__global__ void refOfSystem(int *data, int *flag) { passOn<System>(data, flag); }
__global__ void refOfBlock(int *data, int *flag) {
  Ref<Block> at(*flag);
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    at.store(1, cuda::memory_order_release); // error: race-read-write
  } else {
    while (at.load(cuda::memory_order_acquire) == 0)
      ;
    data[1] = data[0];
  }
}
__global__ void refOfBlockRight(int *data, int *flag) { // within a block
  Ref<Block> at(flag[blockIdx.x]);
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 1;
    at.store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (at.load(cuda::memory_order_acquire) == 0)
      ;
    data[blockIdx.x] += 1;
  }
}

// Locks.
__global__ void locked(int *sum, int *lock) {
  if (threadIdx.x)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  *sum += 1; // error: race-read-write, race-write-write
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void lockedRight(int *sum, int *lock) {
  if (threadIdx.x)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void lockedNear(int *sum, int *lock) {
  if (threadIdx.x)
    return;
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence_block();
  *sum += 1; // error: race-read-write, race-write-write
  __threadfence();
  atomicExch(lock, 0);
}
// Of each thread, in a loop that threads of a warp leave one after the other.
__global__ void lockedByAll(int *sum, int *lock) {
  for (bool isDone = false; !isDone;)
    if (atomicCAS(lock, 0, 1) == 0) {
      *sum += 1; // error: race-read-write, race-write-write
      __threadfence();
      atomicExch(lock, 0);
      isDone = true;
    }
}
__global__ void lockedByAllRight(int *sum, int *lock) {
  for (bool isDone = false; !isDone;)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      isDone = true;
    }
}
// A ticket.
__global__ void ticket(int *sum, int *next) {
  if (threadIdx.x)
    return;
  int mine = atomicAdd(&next[0], 1);
  while (atomicAdd(&next[1], 0) != mine)
    ;
  *sum += 1; // error: race-read-write, race-write-write
  __threadfence();
  atomicAdd(&next[1], 1);
}
__global__ void ticketRight(int *sum, int *next) {
  if (threadIdx.x)
    return;
  int mine = atomicAdd(&next[0], 1);
  while (atomicAdd(&next[1], 0) != mine)
    ;
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicAdd(&next[1], 1);
}

// One thread reads the flag for its block.
__device__ void writeAll(int *data, int *flag) {
  data[threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(flag, 1);
}
__global__ void forBlock(int *data, int *flag) {
  if (IS_WRITER)
    return writeAll(data, flag);
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0)
      ;
    __threadfence();
  }
  __syncthreads();
  data[N + threadIdx.x] = data[threadIdx.x];
}
__global__ void forBlockLater(int *data, int *flag) {
  if (IS_WRITER)
    return writeAll(data, flag);
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0)
      ;
  __syncthreads();
  __threadfence();
  data[N + threadIdx.x] = data[threadIdx.x];
}
// As in NVIDIA's samples.
__global__ void forBlockByBarrier(int *data, int *flag) {
  if (IS_WRITER) {
    data[threadIdx.x] = threadIdx.x; // info: race-no-fence
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      atomicExch(flag, 1);
    return;
  }
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0)
      ;
  __syncthreads();
  data[N + threadIdx.x] = data[threadIdx.x];
}
// ... or for its warp.
__global__ void forWarp(int *data, int *flag) {
  if (IS_WRITER) {
    data[threadIdx.x] = threadIdx.x; // error: race-read-write
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
      atomicExch(flag, 1);
    return;
  }
  if (threadIdx.x % 32 == 0)
    while (atomicAdd(flag, 0) == 0)
      ;
  __syncwarp();
  data[N + threadIdx.x] = data[threadIdx.x];
}
__global__ void forWarpRight(int *data, int *flag) {
  if (IS_WRITER)
    return writeAll(data, flag);
  if (threadIdx.x % 32 == 0) {
    while (atomicAdd(flag, 0) == 0)
      ;
    __threadfence();
  }
  __syncwarp();
  data[N + threadIdx.x] = data[threadIdx.x];
}
__global__ void forWarpLater(int *data, int *flag) {
  if (IS_WRITER)
    return writeAll(data, flag);
  if (threadIdx.x % 32 == 0)
    while (atomicAdd(flag, 0) == 0)
      ;
  __syncwarp();
  __threadfence();
  data[N + threadIdx.x] = data[threadIdx.x];
}
// All threads read it.
__global__ void byAll(int *data, volatile int *flag) {
  if (IS_WRITER)
    return writeAll(data, (int *)flag);
  while (flag[0] == 0)
    ;
  __threadfence();
  data[N + threadIdx.x] = data[N - 1 - threadIdx.x];
}

// Warps of a block, by shared memory.
__global__ void ofBlock(int *out, int *) {
  __shared__ int data, flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 7; // error: race-read-write
    __threadfence_block();
    *(volatile int *)&flag = 1;
  } else if (threadIdx.x == 32) {
    while (*(volatile int *)&flag == 0)
      ;
    out[blockIdx.x] = data;
  }
}
__global__ void ofBlockRight(int *out, int *) {
  __shared__ int data, flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 7;
    __threadfence_block();
    *(volatile int *)&flag = 1;
  } else if (threadIdx.x == 32) {
    while (*(volatile int *)&flag == 0)
      ;
    __threadfence_block();
    out[blockIdx.x] = data;
  }
}

// Behind the flag an atomic operation needs no fence; what was written before it does.
__global__ void thenAtomic(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1; // error: race-read-write
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    data[1] = atomicAdd(&data[0], 0);
  }
}
__global__ void thenAtomicRight(int *data, int *flag) {
  if (IS_WRITER) {
    data[0] = 1;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0)
      ;
    data[1] = atomicAdd(&data[0], 0);
  }
}

// Who comes last clears the counter, which needs no fence.
__global__ void cleared(int *data, int *count) {
  if (threadIdx.x)
    return;
  data[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(count, 1) == int(gridDim.x) - 1)
    *count = 0;
}

int main() {
  int *data, *flag;
  cudaMalloc(&data, 1024);
  cudaMalloc(&flag, 64);
  using Kernel = void (*)(int *, int *);
  auto run = [&](Kernel kernel, int threads) {
    cudaMemset(data, 0, 1024);
    cudaMemset(flag, 0, 64);
    kernel<<<2, threads>>>(data, flag);
  };
  for (auto kernel : {polled, polledRight, fencedTooEarly, fencedNear})
    run((Kernel)kernel, 1);
  for (Kernel kernel :
       {added, addedRight, ptxRelaxed, ptxRelaxedRight, ptxAcquired, ptxAcquiredInBlock, refRelaxed, refFenced,
        refFencedInBlock, refOfDevice, refOfSystem, refOfBlock, thenAtomic, thenAtomicRight})
    run(kernel, 1);
  for (Kernel kernel : {refOfBlockRight, locked, lockedRight, lockedNear, lockedByAll, lockedByAllRight, ticket, ticketRight, forBlock,
                        forBlockLater, forBlockByBarrier, forWarp, forWarpRight, forWarpLater, (Kernel)byAll, ofBlock,
                        ofBlockRight, cleared})
    run(kernel, N);
  return cudaDeviceSynchronize();
}
