// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HTML report: one file without references to others, its numbers, its drawings, and what mending a
// line gains. Where Chromium is installed, its script runs without complaint.
// RUN: %heddle cc -O3 %s -o %t
// RUN: rm -rf %t.svg && %heddle predict --gpu k20,h200 --html %t.html --svg %t.svg --log-file %t.txt %t
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t.txt
// RUN: python3 %S/Inputs/page.py %t.html %t.svg | FileCheck %s --check-prefix=PAGE
// RUN: env HEDDLE_DEVICE=k20 %heddle profile --html %t.2.html --print-gpu-summary %t 2> /dev/null
// RUN: python3 %S/Inputs/page.py %t.2.html | FileCheck %s --check-prefix=ONE
// RUN: rm -f %t.csv && %heddle predict --gpu k20 --csv --log-file %t.csv %t && %heddle predict --gpu k20 --baseline %t.csv %t 2>&1 | FileCheck %s --check-prefix=BESIDE
#include <cstdio>
constexpr int N = 1024;
__global__ void naive(float *to, const float *from) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float value = from[y * N + x];
  to[x * N + y] = value * 2;
}
__global__ void conflicts(float *to, const float *from) {
  __shared__ float tile[32][32];
  int i = threadIdx.y * 32 + threadIdx.x + blockIdx.x * 1024;
  tile[threadIdx.y][threadIdx.x] = from[i];
  __syncthreads();
  to[i] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  float *from, *to;
  cudaMalloc(&from, N * N * sizeof(float));
  cudaMalloc(&to, N * N * sizeof(float));
  cudaMemset(from, 0, N * N * sizeof(float));
  naive<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(to, from);
  conflicts<<<N, dim3(32, 32)>>>(to, from);
  return cudaDeviceSynchronize();
}
// TEXT: naive(float*, float const*) (32, 128, 1) blocks of (32, 8, 1), 1 launch
// TEXT: page.cu:18: 32 sectors a request where 4 would do: {{[1-9][0-9.]*}} times
// TEXT: conflicts(float*, float const*) (1024, 1, 1)
// TEXT: page.cu:25: {{16|32}} passes of shared memory a request where 1 would do: {{[1-9][0-9.]*}} times
// TEXT: Side by side:
// TEXT-NEXT: k20  to best {{ *}}h200  to first  kernel
// PAGE: references: none
// PAGE-NEXT: boards: k20 h200
// PAGE-NEXT: naive(float*, float const*): k20 h200, 32768 warp instructions or more: yes, sectors of line 18: 1048576 of 131072
// PAGE-NEXT: conflicts(float*, float const*): k20 h200
// PAGE-NEXT: work on k20: the first kernel has its predicted time: yes
// PAGE-NEXT: work on h200: the first kernel has its predicted time: yes
// PAGE-NEXT: source has line 18: yes
// PAGE-NEXT: views: accesses boards occupancy roofline timeline waits
// PAGE-NEXT: files: access-{{.*}} boards.svg occupancy-h200-kernel1.svg {{.*}}roofline-h200.svg roofline-k20.svg timeline-h200.svg timeline-k20.svg
// PAGE-NEXT: Chromium: {{not installed|no complaint}}
// ONE: boards: k20
// BESIDE: Beside {{.*}}:
// BESIDE-NEXT: board {{ *}}before {{ *}}now  faster  kernel
// BESIDE-NEXT: k20 {{ *[0-9.]+[mu]s +[0-9.]+[mu]s +1x}}  conflicts(float*, float const*)
