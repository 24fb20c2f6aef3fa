// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills of the API, and kernels of other streams.
// RUN: %heddle cc %s -o %t && %check --tool racecheck %s %t | FileCheck %s
constexpr int N = 256;

// A kernel writes what is copied to the host.
__global__ void copied(int *a) {
  a[threadIdx.x] = threadIdx.x; // error: race-read-write
}
// CHECK: Race between write and read of global memory (4 bytes), in kernel copied
// CHECK: the other read by cudaMemcpyAsync
// CHECK: nothing orders the two

// ... what is filled: the last element only.
__global__ void filled(int *a) {
  a[threadIdx.x] = 1; // error: race-write-write
}
// ... what is copied from another array.
__global__ void between(int *a) {
  a[threadIdx.x] = threadIdx.x; // error: race-write-write
}
// ... what comes from the host, in rows.
__global__ void rows(int *a) {
  if (threadIdx.x % 64 < 32)
    a[threadIdx.x] = threadIdx.x; // error: race-write-write
}
__global__ void otherRows(int *a) {
  if (threadIdx.x % 64 >= 32)
    a[threadIdx.x] = threadIdx.x;
}
template <int> __global__ void right(int *a) { a[threadIdx.x] = threadIdx.x; }

int main() {
  int *a, *b, *host;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));
  cudaMallocHost(&host, N * sizeof(int));
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);

  copied<<<1, N, 0, one>>>(a);
  cudaMemcpyAsync(host, a, N * sizeof(int), cudaMemcpyDeviceToHost, two);
  cudaDeviceSynchronize();
  cudaMemsetAsync(a + N - 1, 0, sizeof(int), two);
  filled<<<1, N, 0, one>>>(a);
  cudaDeviceSynchronize();
  between<<<1, N, 0, one>>>(a);
  cudaMemcpyAsync(a, b, N * sizeof(int), cudaMemcpyDeviceToDevice, two);
  cudaDeviceSynchronize();
  for (int i = 0; i < N; ++i)
    host[i] = -1; // other values than the kernel's
  rows<<<1, N, 0, one>>>(a);
  cudaMemcpy2DAsync(a, 64 * sizeof(int), host, 64 * sizeof(int), 32 * sizeof(int), 4, cudaMemcpyHostToDevice, two);
  cudaDeviceSynchronize();

  // Other rows, other bytes, one stream, an event, the host, both read.
  otherRows<<<1, N, 0, one>>>(a);
  cudaMemcpy2DAsync(a, 64 * sizeof(int), host, 64 * sizeof(int), 32 * sizeof(int), 4, cudaMemcpyHostToDevice, two);
  cudaDeviceSynchronize();
  right<0><<<1, N / 2, 0, one>>>(a);
  cudaMemsetAsync(a + N / 2, 0, N / 2 * sizeof(int), two);
  cudaDeviceSynchronize();
  cudaMemsetAsync(a, 0, N * sizeof(int), one);
  right<1><<<1, N, 0, one>>>(a);
  cudaMemcpyAsync(host, a, N * sizeof(int), cudaMemcpyDeviceToHost, one);
  cudaEventRecord(done, one);
  cudaStreamWaitEvent(two, done, 0);
  cudaMemcpyAsync(host, a, N * sizeof(int), cudaMemcpyDeviceToHost, two);
  cudaStreamSynchronize(two);
  right<2><<<1, N, 0, one>>>(a);
  cudaStreamSynchronize(one);
  cudaMemcpy(host, a, N * sizeof(int), cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize();
}
