// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The five kernels in CUDA C++, with arrays in Fortran's order: the first index is the innermost. Sizes are those of sizes.f90.

namespace {

constexpr int Matrix = 2048, Tile = 32, Rows = 8;
constexpr int Cube = 64, Few = 4, Many = 32;
constexpr int Mesh = 2048, Width = 32, Height = 16;
constexpr int Points = 4 * 1024 * 1024, Blocks = 256, Threads = 512;
constexpr int Vector = 4 * 1024 * 1024;

__constant__ float a_c, b_c, c_c, d_c;

__global__ void transposeDiagonal(float *out, const float *in) {
  __shared__ float s[Tile][Tile + 1];
  int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  int x = bx * Tile + threadIdx.x, y = by * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    s[threadIdx.y + j][threadIdx.x] = in[(y + j) * Matrix + x];
  __syncthreads();
  x = by * Tile + threadIdx.x;
  y = bx * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * Matrix + x] = s[threadIdx.x][threadIdx.y + j];
}

__device__ int at(int i, int j, int k) { return (k * Cube + j) * Cube + i; }

__global__ void derivativeX(const float *f, float *df) {
  __shared__ float tile[Few][Cube + 8];
  int i = threadIdx.x, j = blockIdx.x * blockDim.y + threadIdx.y, k = blockIdx.y;
  float *s = tile[threadIdx.y] + 4;
  s[i] = f[at(i, j, k)];
  __syncthreads();
  if (i < 4) {
    s[i - 4] = s[Cube + i - 5];
    s[Cube + i] = s[i + 1];
  }
  __syncthreads();
  df[at(i, j, k)] = a_c * (s[i + 1] - s[i - 1]) + b_c * (s[i + 2] - s[i - 2]) +
                    c_c * (s[i + 3] - s[i - 3]) + d_c * (s[i + 4] - s[i - 4]);
}

__device__ float difference(float s[][Many], int il, int j) {
  return a_c * (s[j + 1][il] - s[j - 1][il]) + b_c * (s[j + 2][il] - s[j - 2][il]) +
         c_c * (s[j + 3][il] - s[j - 3][il]) + d_c * (s[j + 4][il] - s[j - 4][il]);
}

__device__ void fillEnds(float s[][Many], int il) {
  int j = threadIdx.y;
  if (j < 4) {
    s[j - 4][il] = s[Cube + j - 5][il];
    s[Cube + j][il] = s[j + 1][il];
  }
}

__global__ void derivativeY(const float *f, float *df) {
  __shared__ float tile[Cube + 8][Many];
  float(*s)[Many] = tile + 4;
  int i = blockIdx.x * blockDim.x + threadIdx.x, il = threadIdx.x, k = blockIdx.y;
  for (int j = threadIdx.y; j < Cube; j += blockDim.y)
    s[j][il] = f[at(i, j, k)];
  __syncthreads();
  fillEnds(s, il);
  __syncthreads();
  for (int j = threadIdx.y; j < Cube; j += blockDim.y)
    df[at(i, j, k)] = difference(s, il, j);
}

__global__ void derivativeZ(const float *f, float *df) {
  __shared__ float tile[Cube + 8][Many];
  float(*s)[Many] = tile + 4;
  int i = blockIdx.x * blockDim.x + threadIdx.x, il = threadIdx.x, j = blockIdx.y;
  for (int k = threadIdx.y; k < Cube; k += blockDim.y)
    s[k][il] = f[at(i, j, k)];
  __syncthreads();
  fillEnds(s, il);
  __syncthreads();
  for (int k = threadIdx.y; k < Cube; k += blockDim.y)
    df[at(i, j, k)] = difference(s, il, k);
}

__global__ void jacobi(const float *a, float *fresh) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < Mesh - 1 && j > 0 && j < Mesh - 1) {
    const float *p = a + j * Mesh + i;
    fresh[j * Mesh + i] = 0.2f * (p[-1] + p[1] + p[-Mesh] + p[Mesh]) +
                          0.05f * (p[-Mesh - 1] + p[-Mesh + 1] + p[Mesh - 1] + p[Mesh + 1]);
  }
}

__device__ void sumUp(int *s) {
  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    if (threadIdx.x < stride)
      s[threadIdx.x] += s[threadIdx.x + stride];
    __syncthreads();
  }
}

__global__ void partialCount(const float *x, const float *y, int *parts, int n) {
  __shared__ int s[Threads];
  int inside = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    inside += x[i] * x[i] + y[i] * y[i] <= 1;
  s[threadIdx.x] = inside;
  __syncthreads();
  sumUp(s);
  if (threadIdx.x == 0)
    parts[blockIdx.x] = s[0];
}

__global__ void finalCount(const int *parts, int *total) {
  __shared__ int s[Blocks];
  s[threadIdx.x] = parts[threadIdx.x];
  __syncthreads();
  sumUp(s);
  if (threadIdx.x == 0)
    *total = s[0];
}

__global__ void saxpy(float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Vector)
    y[i] = a * x[i] + y[i];
}

} // namespace

// What main.cuf calls.
extern "C" {

void set_coefficients(float a, float b, float c, float d) {
  cudaMemcpyToSymbol(a_c, &a, sizeof(float));
  cudaMemcpyToSymbol(b_c, &b, sizeof(float));
  cudaMemcpyToSymbol(c_c, &c, sizeof(float));
  cudaMemcpyToSymbol(d_c, &d, sizeof(float));
}

void transpose_cuda_c(float *out, const float *in) {
  transposeDiagonal<<<dim3(Matrix / Tile, Matrix / Tile), dim3(Tile, Rows)>>>(out, in);
}

void derivative_x_cuda_c(const float *f, float *df) {
  derivativeX<<<dim3(Cube / Few, Cube), dim3(Cube, Few)>>>(f, df);
}

void derivative_y_cuda_c(const float *f, float *df) {
  derivativeY<<<dim3(Cube / Many, Cube), dim3(Many, 8)>>>(f, df);
}

void derivative_z_cuda_c(const float *f, float *df) {
  derivativeZ<<<dim3(Cube / Many, Cube), dim3(Many, 8)>>>(f, df);
}

void jacobi_cuda_c(const float *a, float *fresh) {
  jacobi<<<dim3(Mesh / Width, Mesh / Height), dim3(Width, Height)>>>(a, fresh);
}

void count_cuda_c(const float *x, const float *y, int *parts, int *total) {
  partialCount<<<Blocks, Threads>>>(x, y, parts, Points);
  finalCount<<<1, Blocks>>>(parts, total);
}

void saxpy_cuda_c(float a, const float *x, float *y) {
  saxpy<<<(Vector + 255) / 256, 256>>>(a, x, y);
}
}
