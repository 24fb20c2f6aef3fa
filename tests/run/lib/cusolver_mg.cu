// RUN: %heddle cc %s -o %t -lcusolverMg
// RUN: %widths env HEDDLE_DEVICE=cpu,cpu %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels on two devices make the columns of a matrix that each has; Cholesky factors of the whole solve a system, and
// kernels look at the solution's columns again.
#include <cusolverMg.h>

#include <algorithm>
#include <cstdio>

#define CHECK(call)                                                                                \
  if (int code = int(call)) {                                                                      \
    std::printf("line %d: " #call " gives %d\n", __LINE__, code);                                  \
    return 1;                                                                                      \
  }

constexpr int Devices = 2, N = 75, Block = 4, Sides = 6;
constexpr int Room = (N / (Block * Devices) + 1) * Block; // columns that a device has room for

/// The column of the whole that a device's column is, of blocks that go round.
__device__ int globalColumn(int device, int local) {
  return (local / Block * Devices + device) * Block + local % Block;
}

__device__ double element(int i, int j) { return i == j ? 4 : abs(i - j) == 1 ? -1 : 0; }
__device__ double solution(int i, int side) { return (i + 1) * (side + 1) % 7 - 3; }

__global__ void makeColumns(int device, double *a, double *b) {
  int i = threadIdx.x, j = globalColumn(device, blockIdx.x);
  if (i >= N)
    return;
  if (j < N)
    a[blockIdx.x * N + i] = element(i, j);
  if (j < Sides) {
    double sum = 0;
    for (int k = 0; k < N; ++k)
      sum += element(i, k) * solution(k, j);
    b[blockIdx.x * N + i] = sum;
  }
}

__global__ void countWrong(int device, const double *x, int *wrong) {
  int i = threadIdx.x, j = globalColumn(device, blockIdx.x);
  if (i < N && j < Sides && !(fabs(x[blockIdx.x * N + i] - solution(i, j)) < 1e-12))
    atomicAdd(wrong, 1);
}

int main() {
  int devices[Devices] = {0, 1}, *wrong[Devices], info = 7;
  void *a[Devices], *b[Devices];
  for (int d : devices) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&a[d], sizeof(double) * N * Room));
    CHECK(cudaMalloc(&b[d], sizeof(double) * N * Room));
    CHECK(cudaMallocManaged(&wrong[d], sizeof(int)));
    *wrong[d] = 0;
    makeColumns<<<Room, 96>>>(d, static_cast<double *>(a[d]), static_cast<double *>(b[d]));
    CHECK(cudaGetLastError());
  }
  cusolverMgHandle_t handle;
  cudaLibMgGrid_t grid;
  cudaLibMgMatrixDesc_t matrix, sides;
  CHECK(cusolverMgCreate(&handle));
  CHECK(cusolverMgDeviceSelect(handle, Devices, devices));
  CHECK(cusolverMgCreateDeviceGrid(&grid, 1, Devices, devices, CUDALIBMG_GRID_MAPPING_COL_MAJOR));
  CHECK(cusolverMgCreateMatrixDesc(&matrix, N, N, N, Block, CUDA_R_64F, grid));
  CHECK(cusolverMgCreateMatrixDesc(&sides, N, Sides, N, Block, CUDA_R_64F, grid));
  constexpr cublasFillMode_t Lower = CUBLAS_FILL_MODE_LOWER;
  int64_t room = 0, roomToSolve = 0;
  CHECK(cusolverMgPotrf_bufferSize(handle, Lower, N, a, 1, 1, matrix, CUDA_R_64F, &room));
  CHECK(cusolverMgPotrs_bufferSize(handle, Lower, N, Sides, a, 1, 1, matrix, b, 1, 1, sides,
                                   CUDA_R_64F, &roomToSolve));
  room = std::max<int64_t>({room, roomToSolve, 1});
  void *work[Devices];
  for (int d : devices) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&work[d], sizeof(double) * room));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cusolverMgPotrf(handle, Lower, N, a, 1, 1, matrix, CUDA_R_64F, work, room, &info));
  CHECK(info);
  CHECK(cusolverMgPotrs(handle, Lower, N, Sides, a, 1, 1, matrix, b, 1, 1, sides, CUDA_R_64F, work,
                        room, &info));
  CHECK(info);
  for (int d : devices) {
    CHECK(cudaSetDevice(d));
    countWrong<<<Room, 96>>>(d, static_cast<const double *>(b[d]), wrong[d]);
    CHECK(cudaDeviceSynchronize());
    CHECK(*wrong[d]);
  }
  CHECK(cusolverMgDestroyMatrixDesc(sides));
  CHECK(cusolverMgDestroyMatrixDesc(matrix));
  CHECK(cusolverMgDestroyGrid(grid));
  CHECK(cusolverMgDestroy(handle));
}
