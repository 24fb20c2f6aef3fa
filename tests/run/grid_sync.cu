// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative launch: barriers of the whole grid in a loop; as many blocks as the occupancy function allows; a
// launch with more is refused.
#include "support.h"

#include <cooperative_groups.h>

__global__ void steps(int *a, int *b, int n, int count) {
  auto grid = cooperative_groups::this_grid();
  int i = int(grid.thread_rank()), total = int(grid.size());
  for (int s = 0; s < count; s++) {
    for (int k = i; k < n; k += total)
      b[k] = a[(k + 1) % n] * 3 + a[k] + s;
    grid.sync();
    int *t = a;
    a = b, b = t;
  }
}

// Block barriers and grid barriers in one kernel.
__global__ void sums(const int *in, int *parts, int *out) {
  __shared__ int s;
  if (threadIdx.x == 0)
    s = 0;
  __syncthreads();
  atomicAdd(&s, in[threadInGrid()]);
  __syncthreads();
  if (threadIdx.x == 0)
    parts[blockIdx.x] = s;
  cooperative_groups::this_grid().sync();
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; b++)
    total += parts[b];
  out[threadInGrid()] = total;
}

// A grid barrier at each level of a recursion.
__device__ __noinline__ int descend(int *data, int level) {
  int total = int(gridDim.x * blockDim.x), i = int(threadInGrid()), next = data[(i + 1) % total];
  cooperative_groups::this_grid().sync();
  data[i] += next;
  cooperative_groups::this_grid().sync();
  return level == 0 ? data[i] : descend(data, level - 1) + level;
}
__global__ void recursive(int *data, int *out, int levels) { out[threadInGrid()] = descend(data, levels); }

static void testRecursive(int blocks, int threads, int levels) {
  int n = blocks * threads;
  std::vector<int> data(n);
  for (int i = 0; i < n; i++)
    data[i] = i * 37 % 101;
  Buffer<int> deviceData(data), out(n);
  int *arguments[] = {deviceData.data, out.data};
  void *pointers[] = {&arguments[0], &arguments[1], &levels};
  CUDA_OK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(recursive), blocks, threads, pointers, 0, nullptr));
  for (int l = 0; l <= levels; l++) {
    std::vector<int> old = data;
    for (int i = 0; i < n; i++)
      data[i] = old[i] + old[(i + 1) % n];
  }
  std::vector<int> got = out.get();
  for (int i = 0; i < n; i++)
    expect("recursive", i, got[i], data[i] + levels * (levels + 1) / 2);
}

int main() {
  testRecursive(2, 33, 4);
  testRecursive(1, 256, 3);
  const int n = 1001, count = 7;
  std::vector<int> a(n), b(n);
  for (int i = 0; i < n; i++)
    a[i] = i * 37 % 101;
  for (dim3 block : {dim3(64), dim3(33)}) {
    Buffer<int> deviceA(a), deviceB(n);
    std::vector<int> now = a, next(n);
    for (int s = 0; s < count; s++) {
      for (int k = 0; k < n; k++)
        next[k] = int(unsigned(now[(k + 1) % n]) * 3 + unsigned(now[k]) + s);
      std::swap(now, next);
    }
    int *pa = deviceA, *pb = deviceB, size = n, times = count;
    void *args[] = {&pa, &pb, &size, &times};
    CUDA_OK(cudaLaunchCooperativeKernel((const void *)steps, dim3(5), block, args, 0, cudaStream_t(0)));
    checkLaunch();
    expectAll("steps", deviceB.get(), now); // an odd number of steps ends in b
  }
  std::vector<int> in(4 * 50);
  int want = 0;
  for (int i = 0; i < 200; i++)
    want += in[i] = i * i % 91;
  Buffer<int> deviceIn(in), parts(4), out(200);
  const int *pi = deviceIn;
  int *pp = parts, *po = out;
  void *args[] = {&pi, &pp, &po};
  CUDA_OK(cudaLaunchCooperativeKernel((const void *)sums, dim3(4), dim3(50), args, 0, cudaStream_t(0)));
  checkLaunch();
  expectAll("sums", out.get(), std::vector<int>(200, want));

  int perSm = 0, device = 0, sms = 0;
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, sums, 50, 0));
  CUDA_OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  expectTrue("occupancy", perSm > 0 && sms > 0);
  expectError("too many blocks",
              cudaLaunchCooperativeKernel((const void *)sums, dim3(perSm * sms + 1), dim3(50), args, 0, cudaStream_t(0)),
              cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  return finish();
}
