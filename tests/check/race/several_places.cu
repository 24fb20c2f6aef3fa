// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that threads read at other places than where they write: each kernel is right with 0, and goes a
// step too far with another number.
// RUN: %heddle cc -arch=sm_80 %s -o %t && %check --tool racecheck %s %t
// RUN: %heddle check --tool racecheck %t right 2>&1 | FileCheck %s
// CHECK: ERROR SUMMARY: 0 errors
constexpr int N = 40, Threads = 32, Blocks = 2;
#define I int(blockIdx.x * blockDim.x + threadIdx.x)

// Cells on a diagonal, from those left and below.
template <int More> __global__ void diagonal(int n, int distance, int *a) {
  int i = I, j = i + distance;
  if (j >= n)
    return;
  int best = 0;
  for (int k = i + 1; k < j; ++k)
    best = max(best, a[i * n + k] + a[(k + 1) * n + j + More]);
  a[i * n + j] = best + 1; // error: race-read-write
}

// A thread's row, element by element.
template <int More> __global__ void row(int n, int, int *a) {
  int i = I;
  if (i >= n - 1)
    return;
  a[i * n] = 1;
  for (int j = 1; j < n + More; ++j)
    a[i * n + j] = a[i * n + j - 1] + 1; // error: race-read-write, race-write-write
}

// A thread's column, from the last row up.
template <int More> __global__ void column(int n, int, int *a) {
  int i = I;
  if (i >= n + More)
    return;
  a[(n - 1) * n + i] = i; // error: race-read-write
  for (int j = n - 2; j >= 1; --j)
    a[j * n + i] = a[(j + 1) * n + i] + 1; // error: race-read-write, race-write-write
}

// Two halves of a block's piece.
template <int More> __global__ void halves(int, int, int *a) {
  int at = blockIdx.x * 2 * Threads + threadIdx.x;
  a[at] = 1;
  a[at + Threads - More] = int(threadIdx.x); // error: race-write-write
}

// The block's tile of a matrix, from the row above all tiles and the column left of them.
template <int More> __global__ void tile(int n, int, int *a) {
  int x = threadIdx.x % 8, y = threadIdx.x / 8, row = 4 * blockIdx.x + y + 1;
  a[row * n + x + 1] = a[x + 1 + More * n] + a[row * n]; // error: race-read-write
}

// Anti-diagonals: the last one.
template <int More> __global__ void waves(int n, int wave, int *a) {
  int i = I + 1, j = wave - i;
  if (i >= n || j < 1 || j >= n)
    return;
  a[i * n + j] = a[(i - 1) * n + j + More] + a[i * n + j - 1]; // error: race-read-write
}

int main(int argc, char **) {
  int *a;
  cudaMalloc(&a, (N + 4) * (N + 4) * 4 * sizeof(int));
  cudaMemset(a, 0, (N + 4) * (N + 4) * 4 * sizeof(int));
  using Kernel = void (*)(int, int, int *);
  for (Kernel kernel : {diagonal<0>, row<0>, column<0>, halves<0>, tile<0>, waves<0>})
    kernel<<<Blocks, Threads>>>(N, 20, a);
  if (argc > 1)
    return cudaDeviceSynchronize();
  for (Kernel kernel : {diagonal<2>, row<1>, column<1>, halves<1>, tile<1>, waves<1>})
    kernel<<<Blocks, Threads>>>(N, 20, a);
  return cudaDeviceSynchronize();
}
