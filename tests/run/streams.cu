// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: order inside a stream, between streams by events, the legacy default stream's, host functions;
// copies that wait for kernels; elapsed times.
#include "support.h"

#include <chrono>

__global__ void spinAndSet(int *data, int n, int from, int to, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  int i = threadInGrid();
  if (i < n && data[i] == from)
    data[i] = to;
}

static void CUDART_CB hostFunction(void *data) { *static_cast<int *>(data) += 1; }

int main() {
  const int n = 1000;
  cudaStream_t a, b, free;
  CUDA_OK(cudaStreamCreate(&a));
  CUDA_OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_OK(cudaStreamCreate(&free));
  cudaEvent_t start, middle, end;
  CUDA_OK(cudaEventCreate(&start));
  CUDA_OK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreate(&end));
  Buffer<int> data(n);
  int *pinned;
  CUDA_OK(cudaMallocHost(&pinned, n * sizeof(int)));

  // One stream: each kernel sees what the one before left.
  auto now = [] { return std::chrono::steady_clock::now(); };
  auto before = now();
  CUDA_OK(cudaEventRecord(start, a));
  for (int step = 0; step < 10; step++)
    spinAndSet<<<10, 100, 0, a>>>(data, n, step, step + 1, 10000);
  // Stream b goes on from there after the event.
  CUDA_OK(cudaEventRecord(middle, a));
  CUDA_OK(cudaStreamWaitEvent(b, middle, 0));
  spinAndSet<<<10, 100, 0, b>>>(data, n, 10, 11, 1000);
  CUDA_OK(cudaMemcpyAsync(pinned, data, n * sizeof(int), cudaMemcpyDeviceToHost, b));
  CUDA_OK(cudaStreamSynchronize(b));
  for (int i = 0; i < n; i++)
    expect("after streams a and b", i, pinned[i], 11);
  CUDA_OK(cudaEventRecord(end, a));
  CUDA_OK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CUDA_OK(cudaEventElapsedTime(&milliseconds, start, end));
  // Half a microsecond is the resolution of events.
  double most = std::chrono::duration<double, std::milli>(now() - before).count() + 0.001;
  expectTrue("elapsed time", milliseconds > 0 && milliseconds <= most);
  expectError("time of an event without timing", cudaEventElapsedTime(&milliseconds, start, middle),
              cudaErrorInvalidResourceHandle);
  cudaGetLastError();

  // The legacy default stream waits for the blocking streams, and they for it.
  CUDA_OK(cudaMemset(data, 0, n * sizeof(int)));
  spinAndSet<<<10, 100, 0, a>>>(data, n, 0, 1, 1000000);
  spinAndSet<<<10, 100>>>(data, n, 1, 2, 1000000);
  spinAndSet<<<10, 100, 0, free>>>(data, n, 2, 3, 1000);
  CUDA_OK(cudaMemcpy(pinned, data, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    expect("legacy default stream", i, pinned[i], 3);

  // Host functions run in order, after what came before.
  int calls = 0;
  for (int i = 0; i < 5; i++) {
    spinAndSet<<<10, 100, 0, a>>>(data, n, 3 + i, 4 + i, 100);
    CUDA_OK(cudaLaunchHostFunc(a, hostFunction, &calls));
  }
  CUDA_OK(cudaStreamSynchronize(a));
  expect("host functions", 0, calls, 5);
  expectAll("after host functions", data.get(), std::vector<int>(n, 8));
  expectError("query", cudaStreamQuery(a), cudaSuccess);
  expectError("query", cudaEventQuery(end), cudaSuccess);
  CUDA_OK(cudaStreamDestroy(a));
  CUDA_OK(cudaStreamDestroy(b));
  CUDA_OK(cudaStreamDestroy(free));
  CUDA_OK(cudaEventDestroy(start));
  CUDA_OK(cudaEventDestroy(middle));
  CUDA_OK(cudaEventDestroy(end));
  CUDA_OK(cudaFreeHost(pinned));
  return finish();
}
