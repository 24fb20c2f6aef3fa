// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How cost grows with the number of blocks and with the block's size (scaling.py). Three kernels:
// `store` writes one number a thread, `arithmetic` computes in registers, `barriers` sums its block
// in shared memory.
//
//   scaling grid                for each kernel and grid: "grid KERNEL BLOCKS SECONDS"
//   scaling block SIZE...       for each kernel and size: "block KERNEL SIZE SECONDS", always the same number of threads
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

constexpr int Cells = 1 << 16; // that threads write to, in turns: 256 KB stay in a cache
constexpr int GridBlock = 64;  // threads a block while the grid grows
constexpr int Threads = 1 << 21;

__global__ void store(int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i % Cells] = i;
}

__global__ void arithmetic(int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = i * 1e-6f;
  for (int k = 0; k < 128; ++k)
    x = x * 0.999f + 1e-3f;
  out[i % Cells] = x;
}

__global__ void barriers(int n, float *out) {
  __shared__ float cells[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x, thread = threadIdx.x;
  cells[thread] = i < n ? 1 : 0;
  for (int length = blockDim.x; length > 1;) {
    int half = (length + 1) / 2;
    __syncthreads();
    if (thread + half < length)
      cells[thread] += cells[thread + half];
    length = half;
  }
  __syncthreads();
  if (thread == 0)
    out[blockIdx.x % Cells] = cells[0];
}

struct Kernel {
  const char *name;
  void (*run)(int, float *);
};
const Kernel kernels[] = {{"store", store}, {"arithmetic", arithmetic}, {"barriers", barriers}};

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static double once(const Kernel &kernel, int blocks, int size, int threads, float *out) {
  double start = now();
  kernel.run<<<blocks, size>>>(threads, out);
  if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    fprintf(stderr, "%s of %d blocks of %d threads: %s\n", kernel.name, blocks, size, cudaGetErrorString(error));
    exit(1);
  }
  return now() - start;
}

/// The least of the runs that fit into 50 ms, at least five.
static double least(const Kernel &kernel, int blocks, int size, int threads, float *out) {
  double best = once(kernel, blocks, size, threads, out), end = now() + 0.05;
  for (int runs = 0; runs < 5 || now() < end; ++runs) {
    double seconds = once(kernel, blocks, size, threads, out);
    best = seconds < best ? seconds : best;
  }
  return best;
}

int main(int count, char **words) {
  float *out;
  if (cudaMalloc(&out, Cells * sizeof(float)) != cudaSuccess)
    return 1;
  for (const Kernel &kernel : kernels) {
    if (count == 2 && !strcmp(words[1], "grid"))
      for (int blocks : {1, 2, 4, 10, 30, 100, 300, 1000, 10'000, 100'000, 1'000'000, 10'000'000})
        printf("grid %s %d %.9f\n", kernel.name, blocks,
               least(kernel, blocks, GridBlock, blocks * GridBlock, out));
    else
      for (int i = 2; i < count; ++i) {
        int size = atoi(words[i]);
        printf("block %s %d %.9f\n", kernel.name, size,
               least(kernel, (Threads + size - 1) / size, size, Threads, out));
      }
  }
}
