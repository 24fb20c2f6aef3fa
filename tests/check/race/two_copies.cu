// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills of two streams.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
constexpr int N = 1024, Bytes = N * sizeof(int);
// CHECK: Race between two writes of global memory by copies, here by cudaMemsetAsync
// CHECK: the other write by cudaMemcpyAsync
// CHECK: nothing orders the two
// CHECK: inside 4096 bytes of device memory

int main() {
  int *a, *b, *c, *host;
  cudaMalloc(&a, Bytes);
  cudaMalloc(&b, Bytes);
  cudaMalloc(&c, Bytes);
  cudaMallocHost(&host, Bytes);
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaDeviceSynchronize();

  cudaMemcpyAsync(a, b, Bytes, cudaMemcpyDeviceToDevice, one);
  cudaMemsetAsync(a + N - 1, 1, sizeof(int), two); // error: race-write-write
  cudaDeviceSynchronize();
  cudaMemcpyAsync(host, a, Bytes, cudaMemcpyDeviceToHost, one);
  cudaMemcpyAsync(a, c, Bytes / 2, cudaMemcpyDeviceToDevice, two); // error: race-read-write
  cudaDeviceSynchronize();
  cudaMemcpy2DAsync(a, 256, b, 256, 128, 16, cudaMemcpyDeviceToDevice, one);
  cudaMemcpy2DAsync(a, 256, c, 256, 132, 16, cudaMemcpyDeviceToDevice, two); // error: race-write-write
  cudaDeviceSynchronize();

  // Other rows, other halves, one source, one stream, an event, the host.
  cudaMemcpy2DAsync(a, 256, b, 256, 128, 16, cudaMemcpyDeviceToDevice, one);
  cudaMemcpy2DAsync(a + 32, 256, c, 256, 128, 16, cudaMemcpyDeviceToDevice, two);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(a, c, Bytes / 2, cudaMemcpyDeviceToDevice, one);
  cudaMemcpyAsync(a + N / 2, c, Bytes / 2, cudaMemcpyDeviceToDevice, two);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(a, c, Bytes, cudaMemcpyDeviceToDevice, one);
  cudaMemcpyAsync(b, c, Bytes, cudaMemcpyDeviceToDevice, two);
  cudaMemsetAsync(a, 0, Bytes, one);
  cudaEventRecord(done, one);
  cudaStreamWaitEvent(two, done, 0);
  cudaMemcpyAsync(a, b, Bytes, cudaMemcpyDeviceToDevice, two);
  cudaStreamSynchronize(two);
  cudaMemcpyAsync(host, a, Bytes, cudaMemcpyDeviceToHost, one);
  cudaStreamSynchronize(one);
  cudaMemcpy(a, host, Bytes, cudaMemcpyHostToDevice);
  return cudaDeviceSynchronize();
}
