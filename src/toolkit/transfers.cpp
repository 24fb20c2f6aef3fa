// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolkit/transfers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace transfers {

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}

Buffer::Buffer(Kind kind, int device, size_t bytes) : kind_(kind), device_(device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  if (kind == Device)
    check(cudaMalloc(&p_, bytes), "cudaMalloc");
  else if (kind == Pinned)
    check(cudaMallocHost(&p_, bytes), "cudaMallocHost");
  else if (p_ = std::malloc(bytes); !p_)
    check(cudaErrorMemoryAllocation, "malloc");
  if (kind == Device) // pages that nobody has touched are not there yet
    check(cudaMemset(p_, 1, bytes), "cudaMemset");
  else
    std::memset(p_, 1, bytes);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

Buffer::Buffer(Buffer &&other) noexcept
    : kind_(other.kind_), device_(other.device_), p_(std::exchange(other.p_, nullptr)) {}

Buffer::~Buffer() {
  if (!p_)
    return;
  cudaSetDevice(device_);
  if (kind_ == Device)
    cudaFree(p_);
  else if (kind_ == Pinned)
    cudaFreeHost(p_);
  else
    std::free(p_);
}

Stopwatch::Stopwatch(int device) : device_(device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaEventCreate(&begin_), "cudaEventCreate");
  check(cudaEventCreate(&end_), "cudaEventCreate");
}

Stopwatch::~Stopwatch() {
  cudaSetDevice(device_);
  cudaEventDestroy(end_);
  cudaEventDestroy(begin_);
  cudaStreamDestroy(stream_);
}

void Stopwatch::start() {
  check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
}

double Stopwatch::seconds() {
  float milliseconds = 0;
  check(cudaEventRecord(end_, stream_), "cudaEventRecord");
  check(cudaEventSynchronize(end_), "cudaEventSynchronize");
  check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return milliseconds / 1e3;
}

} // namespace transfers
