// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle predict, and programs that print a GPU's times: the same digits each time, and what the texts
// teach about coalescing and padding.
// RUN: rm -f %t.* && %heddle cc -O3 %s -o %t
// RUN: %heddle predict --gpu k20,h200 --csv --log-file %t.1 %t && %heddle predict --gpu k20,h200 --csv --log-file %t.2 %t
// RUN: diff %t.1 %t.2 && FileCheck %s --check-prefix=CSV --input-file %t.1
// A GPU's times do not depend on others that are asked for.
// RUN: %heddle predict --gpu k20 --csv --log-file %t.6 %t && grep -v ',h200,' %t.1 | diff - %t.6
// RUN: %heddle predict --gpu h200 --csv --log-file %t.7 %t && grep -v ',k20,' %t.1 | diff - %t.7
// RUN: %heddle predict --gpu k20 -k copy %t 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: env HEDDLE_DEVICE=k20 HEDDLE_TIMING=model %t > %t.3 && env HEDDLE_DEVICE=k20 HEDDLE_TIMING=model %t > %t.4
// RUN: diff %t.3 %t.4 && FileCheck %s --check-prefix=TIMES --input-file %t.3
// RUN: env HEDDLE_TIMING=model %t 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not %heddle predict --gpu k21 %t 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not %heddle predict %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env HEDDLE_DEVICE=k20,cpu/h200 %heddle predict --csv --log-file %t.5 %t && diff %t.1 %t.5
#include <cstdio>

constexpr int Tile = 32, Rows = 8, N = 1024;

__global__ void copy(float *to, const float *from) {
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    to[(y + j) * N + x] = from[(y + j) * N + x];
}

__global__ void naive(float *to, const float *from) {
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    to[x * N + y + j] = from[(y + j) * N + x];
}

template <int Padding> __global__ void tiled(float *to, const float *from) {
  __shared__ float tile[Tile][Tile + Padding];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * N + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    to[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename Kernel> float time(Kernel kernel, float *to, const float *from) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  dim3 grid(N / Tile, N / Tile), block(Tile, Rows);
  kernel<<<grid, block>>>(to, from);
  cudaEventRecord(begin);
  kernel<<<grid, block>>>(to, from);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return milliseconds;
}

int main() {
  float *from, *to;
  cudaMalloc(&from, N * N * sizeof(float));
  cudaMalloc(&to, N * N * sizeof(float));
  cudaMemset(from, 0, N * N * sizeof(float));
  float best = time(copy, to, from), worst = time(naive, to, from);
  float conflicts = time(tiled<0>, to, from), padded = time(tiled<1>, to, from);
  printf("copy %.6f ms\n", best);
  printf("padded before unpadded before naive: %s\n",
         best < 1.5f * padded && padded < conflicts && conflicts < worst ? "yes" : "no");
  printf("a K20's: %s\n", best > 0.04f && best < 0.08f ? "yes" : "no");
}

// CSV: launch,kernel,board,microseconds,bound,occupancy
// CSV-NEXT: 0,"copy(float*, float const*)",k20,{{[0-9]+\.[0-9]+}},{{[a-z ]+}},1.0000,
// CSV-NEXT: 0,"copy(float*, float const*)",h200,
// CSV: 7,"void tiled<1>(float*, float const*)",h200,
// TEXT: copy(float*, float const*) (32, 32, 1) blocks of (32, 8, 1), 2 launches
// TEXT-NEXT: k20: {{[0-9.]+}}us, bound by
// TEXT: warps wait for:
// TEXT: {{[0-9.]+}} %  predict.cu:2{{[2-5]}}
// TEXT-NOT: naive(
// TEXT: The program's own times are those of this run: HEDDLE_DEVICE=k20 HEDDLE_TIMING=model has it read a k20's.
// TIMES: padded before unpadded before naive: yes
// TIMES-NEXT: a K20's: yes
// CPU: heddle: HEDDLE_TIMING=model needs a GPU to model: HEDDLE_DEVICE=k20
// ODD: heddle fatal   : there is no GPU 'k21'
// NONE: heddle fatal   : heddle predict needs a GPU: --gpu k20,h100, or HEDDLE_DEVICE
