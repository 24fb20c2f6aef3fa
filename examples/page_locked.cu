// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s 1
//
// Illustrates: course "GPU Programming", section 6.3 (pageable and page-locked host memory).
//
// The same bytes travel to the device and back from memory of malloc and from memory of
// cudaHostAlloc. On a GPU behind a bus the second is faster; whether it is here, the printed
// bandwidths tell. Use: page_locked [megabytes [repetitions]]
#include "common.h"

#include <cstring>

/// Gigabytes per second of `repetitions` copies in one direction.
static double bandwidth(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                        int repetitions) {
  EventTimer timer;
  for (int i = 0; i < repetitions; ++i)
    CUDA_CHECK(cudaMemcpy(to, from, bytes, kind));
  return double(bytes) * repetitions / 1e6 / timer.milliseconds();
}

static void run(const char *name, int *host, size_t count, int repetitions) {
  size_t bytes = count * sizeof(int);
  std::vector<int> original = wholeNumbers<int>(count, 1 << 30, 32);
  std::memcpy(host, original.data(), bytes);
  int *device;
  CUDA_CHECK(cudaMalloc(&device, bytes));
  double up = bandwidth(device, host, bytes, cudaMemcpyHostToDevice, repetitions);
  std::memset(host, 0, bytes);
  double down = bandwidth(host, device, bytes, cudaMemcpyDeviceToHost, repetitions);
  CUDA_CHECK(cudaFree(device));
  std::printf("time: %-11s %8zu KiB: %7.2f GB/s to the device, %7.2f GB/s back\n", name,
              bytes / 1024, up, down);
  check(std::memcmp(host, original.data(), bytes) == 0, "%s memory, %zu bytes there and back", name,
        bytes);
}

int main(int argc, char **argv) {
  size_t largest = size_t(argc > 1 ? std::atoi(argv[1]) : 64) << 20;
  int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  for (size_t bytes : {size_t(4), size_t(4100), largest}) {
    size_t count = bytes / sizeof(int);
    int *pageable = static_cast<int *>(std::malloc(bytes)), *locked = nullptr;
    CUDA_CHECK(cudaHostAlloc((void **)&locked, bytes, cudaHostAllocDefault));
    run("pageable", pageable, count, repetitions);
    run("page-locked", locked, count, repetitions);
    CUDA_CHECK(cudaFreeHost(locked));
    std::free(pageable);
  }
  return exitCode();
}
