// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t | FileCheck %s
// NVCC: -rdc=true
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error codes of the device runtime, as an H200 with CUDA 13.0 gives them, and the last error, of which each thread
// has its own.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void nothing() {}
__global__ __launch_bounds__(128) void bounded() {}
__global__ void sized() {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
}

__device__ volatile int gate;
__global__ void waitForGate() {
  while (!gate)
    __nanosleep(1000);
}

__device__ void last(const char *what) {
  cudaError_t peek = cudaPeekAtLastError(), get = cudaGetLastError(), again = cudaGetLastError();
  printf("%s: %s, %s, %s\n", what, cudaGetErrorName(peek), cudaGetErrorName(get),
         cudaGetErrorString(again));
}
__device__ void said(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

__global__ void shapes() {
  nothing<<<0, 1>>>();
  last("grid of 0"); // CHECK: grid of 0: cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration, no error
  nothing<<<1, 0>>>();
  last("block of 0"); // CHECK: block of 0: cudaErrorInvalidConfiguration
  nothing<<<1, 1025>>>();
  last("block of 1025"); // CHECK: block of 1025: cudaErrorInvalidConfiguration
  nothing<<<1, dim3(1, 1, 65)>>>();
  last("65 deep"); // CHECK: 65 deep: cudaErrorInvalidConfiguration
  nothing<<<dim3(1, 65536), 1>>>();
  last("65536 high"); // CHECK: 65536 high: cudaErrorInvalidConfiguration
  bounded<<<1, 256>>>();
  last("bounded"); // CHECK: bounded: cudaErrorInvalidConfiguration
  sized<<<1, 1, 48 * 1024>>>();
  last("48 KB"); // CHECK: 48 KB: cudaSuccess
  sized<<<1, 1, 48 * 1024 + 16>>>();
  last("above 48 KB"); // CHECK: above 48 KB: cudaErrorInvalidConfiguration
  nothing<<<0, 1>>>();
  nothing<<<1, 1>>>();
  last("a good one behind"); // CHECK: a good one behind: cudaErrorInvalidConfiguration
}

__global__ void optedIn() {
  sized<<<1, 1, 100 * 1024>>>();
  last("100 KB that the host has asked for"); // CHECK: 100 KB {{.*}}: cudaSuccess
}

__global__ void ofThreads() {
  if (threadIdx.x == 1)
    nothing<<<0, 1>>>();
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    if (threadIdx.x == i)
      printf("thread %d: %s\n", i, cudaGetErrorName(cudaGetLastError()));
    __syncthreads();
  }
  // CHECK: thread 0: cudaSuccess
  // CHECK: thread 1: cudaErrorInvalidConfiguration
  // CHECK: thread 2: cudaSuccess
}

__global__ void pending(int most) {
  waitForGate<<<1, 1>>>();
  int launched = 0;
  while (launched < most && cudaPeekAtLastError() == cudaSuccess) {
    nothing<<<1, 1>>>();
    ++launched;
  }
  gate = 1;
  printf("about %d waiting: %s\n", (launched + 500) / 1000 * 1000,
         cudaGetErrorName(cudaGetLastError()));
  // CHECK: about 2000 waiting: cudaErrorLaunchPendingCountExceeded
  // CHECK: about 4000 waiting: cudaErrorLaunchPendingCountExceeded
}

__global__ void streams() {
  cudaStream_t stream;
  cudaEvent_t event;
  said("flags 2", cudaStreamCreateWithFlags(&stream, 2)); // CHECK: flags 2: cudaErrorInvalidValue
  said("default", cudaStreamCreateWithFlags(&stream, cudaStreamDefault));    // CHECK: default: cudaSuccess
  said("non-blocking", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); // CHECK: non-blocking: cudaSuccess
  said("timing", cudaEventCreateWithFlags(&event, cudaEventDefault));        // CHECK: timing: cudaErrorInvalidValue
  said("blocking", cudaEventCreateWithFlags(&event, cudaEventBlockingSync)); // CHECK: blocking: cudaErrorInvalidValue
  said("event", cudaEventCreateWithFlags(&event, cudaEventDisableTiming));   // CHECK: event: cudaSuccess
  said("unrecorded", cudaStreamWaitEvent(stream, event, 0));                 // CHECK: unrecorded: cudaSuccess
  said("record", cudaEventRecord(event, stream));                            // CHECK: record: cudaSuccess
  said("in tail", cudaEventRecord(event, cudaStreamTailLaunch));             // CHECK: in tail: cudaErrorInvalidValue
  said("in forget", cudaEventRecord(event, cudaStreamFireAndForget));        // CHECK: in forget: cudaErrorInvalidValue
  said("tail waits", cudaStreamWaitEvent(cudaStreamTailLaunch, event, 0));   // CHECK: tail waits: cudaErrorInvalidValue
  said("forget waits", cudaStreamWaitEvent(cudaStreamFireAndForget, event, 0)); // CHECK: forget waits: cudaErrorInvalidValue
  said("per thread", cudaEventRecord(event, cudaStreamPerThread));           // CHECK: per thread: cudaSuccess
  said("legacy", cudaEventRecord(event, cudaStreamLegacy));                  // CHECK: legacy: cudaSuccess
  said("no event", cudaEventRecord(nullptr, stream));                        // CHECK: no event: cudaErrorInvalidValue
  said("destroy no event", cudaEventDestroy(nullptr));                       // CHECK: destroy no event: cudaErrorInvalidValue
  said("destroy null stream", cudaStreamDestroy(0));                         // CHECK: destroy null stream: cudaErrorInvalidValue
  said("destroy tail", cudaStreamDestroy(cudaStreamTailLaunch));             // CHECK: destroy tail: cudaErrorInvalidValue
  said("destroy", cudaStreamDestroy(stream));                                // CHECK: destroy: cudaSuccess
  said("destroy event", cudaEventDestroy(event));                            // CHECK: destroy event: cudaSuccess
  nothing<<<1, 1, 0, (cudaStream_t)0x1234560>>>();
  last("no stream"); // CHECK: no stream: cudaErrorInvalidValue
}

__global__ void memory(int *a, int *b) {
  __shared__ int shared[4];
  int local[4] = {1, 2, 3, 4}, *p = a;
  shared[threadIdx.x] = 1;
  said("malloc 0", cudaMalloc(&p, 0));             // CHECK: malloc 0: cudaErrorInvalidValue
  said("malloc", cudaMalloc(&p, 1ull << 50));      // CHECK: malloc: cudaErrorMemoryAllocation
  printf("untouched: %d\n", p == a);               // CHECK: untouched: 1
  said("free null", cudaFree(nullptr));            // CHECK: free null: cudaSuccess
  auto copy = [&](void *to, const void *from, size_t bytes, int kind) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyKind(kind));
  };
  said("d2d", copy(a, b, 16, cudaMemcpyDeviceToDevice));     // CHECK: d2d: cudaSuccess
  said("any", copy(a, b, 16, cudaMemcpyDefault));            // CHECK: any: cudaSuccess
  said("h2d", copy(a, b, 16, cudaMemcpyHostToDevice));       // CHECK: h2d: cudaErrorInvalidMemcpyDirection
  said("d2h", copy(a, b, 16, cudaMemcpyDeviceToHost));       // CHECK: d2h: cudaErrorInvalidMemcpyDirection
  said("kind 9", copy(a, b, 16, 9));                         // CHECK: kind 9: cudaErrorInvalidMemcpyDirection
  said("nothing", copy(a, b, 0, cudaMemcpyDeviceToDevice));  // CHECK: nothing: cudaSuccess
  said("local", copy(a, local, 16, cudaMemcpyDeviceToDevice));   // CHECK: local: cudaErrorInvalidValue
  said("shared", copy(shared, a, 16, cudaMemcpyDeviceToDevice)); // CHECK: shared: cudaErrorInvalidValue
  said("null", copy(a, nullptr, 16, cudaMemcpyDeviceToDevice));  // CHECK: null: cudaErrorInvalidValue
  said("set null", cudaMemsetAsync(nullptr, 0, 16));             // CHECK: set null: cudaErrorInvalidValue
  said("pitch", cudaMemset2DAsync(a, 4, 1, 8, 2));               // CHECK: pitch: cudaErrorInvalidValue
}

__global__ void queries() {
  int device = -1, count = -1, value = -1, blocks = -1;
  cudaFuncAttributes attributes;
  said("device", cudaGetDevice(&device));                                   // CHECK: device: cudaSuccess
  said("count", cudaGetDeviceCount(&count));                                // CHECK: count: cudaSuccess
  said("warp", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device)); // CHECK: warp: cudaSuccess
  printf("%d %d %d\n", device, count > 0, value);                           // CHECK: 0 1 32
  said("attribute", cudaDeviceGetAttribute(&value, cudaDeviceAttr(5000), 0)); // CHECK: attribute: cudaErrorInvalidValue
  said("device 99", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99)); // CHECK: device 99: cudaErrorInvalidDevice
  said("kernel", cudaFuncGetAttributes(&attributes, bounded));              // CHECK: kernel: cudaSuccess
  printf("%d threads\n", attributes.maxThreadsPerBlock);                    // CHECK: 128 threads
  said("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128, 0)); // CHECK: occupancy: cudaSuccess
  printf("%d blocks\n", blocks);                                            // CHECK: 16 blocks
  said("of 0", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0)); // CHECK: of 0: cudaErrorInvalidValue
  size_t limit = 0;
  said("limit", cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount)); // CHECK: limit: cudaSuccess
  printf("%d waiting\n", int(limit)); // CHECK: 4096 waiting
}

static void check(const char *what) {
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess)
    printf("%s: host: %s\n", what, cudaGetErrorName(error));
}
// CHECK-NOT: host:

int main() {
  int *memoryOfHost;
  cudaMalloc(&memoryOfHost, 64);
  shapes<<<1, 1>>>();
  check("shapes");
  cudaFuncSetAttribute(sized, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  optedIn<<<1, 1>>>();
  check("opted in");
  ofThreads<<<1, 3>>>();
  check("threads");
  pending<<<1, 1>>>(6000);
  check("pending");
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096);
  int closed = 0;
  cudaMemcpyToSymbol(gate, &closed, sizeof closed);
  pending<<<1, 1>>>(6000);
  check("pending more");
  streams<<<1, 1>>>();
  check("streams");
  memory<<<1, 1>>>(memoryOfHost, memoryOfHost + 8);
  check("memory");
  queries<<<1, 1>>>();
  check("queries");
}
