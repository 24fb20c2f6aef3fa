// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 6.4 (CUDA streams: a single stream).
//
// The array is longer than the device's buffers, so it is worked on in pieces. Everything is queued
// in one stream, which keeps the order, while the host runs ahead and waits only once, at the end.
#include "pipeline.h"

static void run(int total, int piece) {
  Arrays arrays(total);
  Buffers buffers(piece);
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start, stream));

  for (int first = 0; first < total; first += piece) {
    int n = total - first < piece ? total - first : piece;
    size_t bytes = n * sizeof(int);
    CUDA_CHECK(cudaMemcpyAsync(buffers.a, arrays.a + first, bytes, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(buffers.b, arrays.b + first, bytes, cudaMemcpyHostToDevice, stream));
    blend<<<(n + 255) / 256, 256, 0, stream>>>(buffers.a, buffers.b, buffers.c, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(arrays.c + first, buffers.c, bytes, cudaMemcpyDeviceToHost, stream));
  }
  CUDA_CHECK(cudaEventRecord(stop, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::printf("time: %.3f ms\n", milliseconds);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaStreamDestroy(stream));
  check(arrays.right(piece), "one stream, %d elements in pieces of %d", total, piece);
}

int main() {
  run(100, 1000);
  run(1000, 100);
  run(1000001, 65536);
  return exitCode();
}
