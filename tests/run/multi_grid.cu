// RUN: %heddle cc %s -o %t
// RUN: %widths env HEDDLE_DEVICE=h200,h200,h200 %t
// RUN: env HEDDLE_DEVICE=h200,h200,h200 CUDA_LAUNCH_BLOCKING=1 %t
// HARDWARE: not there (CUDA 13 has no launches on several devices)
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative launches on several devices: grids that wait for each other, and what such a launch refuses.
#include "support.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/// Each thread adds what the next one of all grids had, a number of times.
__global__ void rotate(int *a, int *b, int steps, unsigned *places) {
  cg::multi_grid_group all = cg::this_multi_grid();
  int i = int(all.thread_rank()), n = int(all.size());
  if (cg::this_grid().thread_rank() == 0) {
    places[all.grid_rank() * 3] = all.num_grids();
    places[all.grid_rank() * 3 + 1] = unsigned(all.size());
    places[all.grid_rank() * 3 + 2] = all.is_valid();
  }
  for (int s = 0; s < steps; s++) {
    b[i] = a[(i + 1) % n] * 3 + a[i] + s;
    all.sync();
    int *t = a;
    a = b, b = t;
  }
}
__global__ void other(int *a, int *, int, unsigned *) { a[0] = cg::this_multi_grid().is_valid(); }

struct Grids {
  std::vector<cudaStream_t> streams;
  std::vector<cudaLaunchParams> params;
  explicit Grids(int count, dim3 grid, dim3 block, void **args) : streams(count), params(count) {
    for (int d = 0; d < count; d++) {
      CUDA_OK(cudaSetDevice(d));
      CUDA_OK(cudaStreamCreate(&streams[d]));
      params[d] = {(void *)rotate, grid, block, args, 0, streams[d]};
    }
    CUDA_OK(cudaSetDevice(0));
  }
  ~Grids() {
    for (cudaStream_t stream : streams)
      cudaStreamDestroy(stream);
  }
};

void test(int devices, int blocks, int threads, int steps, unsigned flags) {
  int n = devices * blocks * threads;
  std::vector<int> now(n), next(n);
  for (int i = 0; i < n; i++)
    now[i] = i * 37 % 101;
  int *a, *b;
  unsigned *places;
  CUDA_OK(cudaMallocManaged(&a, n * sizeof(int)));
  CUDA_OK(cudaMallocManaged(&b, n * sizeof(int)));
  CUDA_OK(cudaMallocManaged(&places, 3 * devices * sizeof(unsigned)));
  std::copy(now.begin(), now.end(), a);
  void *args[] = {&a, &b, &steps, &places};
  {
    Grids grids(devices, dim3(blocks), dim3(threads), args);
    CUDA_OK(cudaLaunchCooperativeKernelMultiDevice(grids.params.data(), devices, flags));
    for (cudaStream_t stream : grids.streams)
      CUDA_OK(cudaStreamSynchronize(stream));
  }
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      next[i] = int(unsigned(now[(i + 1) % n]) * 3 + unsigned(now[i]) + s);
    std::swap(now, next);
  }
  const int *got = steps % 2 ? b : a;
  for (int i = 0; i < n; i++)
    expect("rotate on " + std::to_string(devices), i, got[i], now[i]);
  for (int d = 0; d < devices; d++) {
    expect("grids", d, places[d * 3], unsigned(devices));
    expect("threads", d, places[d * 3 + 1], unsigned(n));
    expect("valid", d, places[d * 3 + 2], 1u);
  }
  CUDA_OK(cudaFree(a));
  CUDA_OK(cudaFree(b));
  CUDA_OK(cudaFree(places));
}

void testRefusals() {
  int *a = nullptr, *b = nullptr, steps = 1;
  unsigned *places = nullptr;
  void *args[] = {&a, &b, &steps, &places};
  Grids grids(2, dim3(2), dim3(32), args);
  auto launch = [&](unsigned count, unsigned flags = 0) {
    cudaError_t error = cudaLaunchCooperativeKernelMultiDevice(grids.params.data(), count, flags);
    cudaGetLastError();
    return error;
  };
  expectError("no list", cudaLaunchCooperativeKernelMultiDevice(nullptr, 1, 0), cudaErrorInvalidValue);
  expectError("no devices", launch(0), cudaErrorInvalidValue);
  expectError("too many devices", launch(4), cudaErrorInvalidValue);
  expectError("flags", launch(2, 4), cudaErrorInvalidValue);
  grids.params[1].func = (void *)other;
  expectError("another kernel", launch(2), cudaErrorInvalidValue);
  grids.params[1].func = (void *)rotate;
  grids.params[1].blockDim = dim3(64);
  expectError("another shape", launch(2), cudaErrorInvalidValue);
  grids.params[1].blockDim = dim3(32);
  grids.params[1].stream = grids.streams[0];
  expectError("a device twice", launch(2), cudaErrorInvalidValue);
  grids.params[1].stream = nullptr;
  expectError("a default stream", launch(2), cudaErrorInvalidValue);
  grids.params[1].stream = grids.streams[1];
  CUDA_OK(cudaStreamBeginCapture(grids.streams[1], cudaStreamCaptureModeRelaxed));
  expectError("captured", launch(2), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph;
  expectError("the capture", cudaStreamEndCapture(grids.streams[1], &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  grids.params[0].gridDim = grids.params[1].gridDim = dim3(1 << 20);
  expectError("too many blocks", launch(2), cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

int main() {
  test(1, 3, 64, 3, 0);
  test(2, 4, 96, 6, 0);
  test(3, 5, 33, 7, cudaCooperativeLaunchMultiDeviceNoPreSync);
  test(3, 2, 32, 4, cudaCooperativeLaunchMultiDeviceNoPreSync | cudaCooperativeLaunchMultiDeviceNoPostSync);
  testRefusals();
  // Alone it is no such launch.
  Buffer<int> valid(1);
  valid.put({7});
  other<<<1, 1>>>(valid, nullptr, 0, nullptr);
  expectAll("alone", valid.get(), {0});
  return finish();
}
