// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes through shared memory, and copies beside them, as the texts and NVIDIA's paper on transposes have them.
#include "points.h"

using namespace points;

template <int Tile, int Rows> __global__ void copy(float *out, const float *in, int n) {
  const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * n + x] = in[(y + j) * n + x];
}
template <int Tile, int Rows> __global__ void copyShared(float *out, const float *in, int n) {
  __shared__ float tile[Tile][Tile];
  const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * n + x] = tile[threadIdx.y + j][threadIdx.x];
}
template <int Tile, int Rows> __global__ void naive(float *out, const float *in, int n) {
  const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[x * n + y + j] = in[(y + j) * n + x];
}
/// By a tile with `Pad` more columns; `Diagonal`: blocks are numbered along diagonals.
template <int Tile, int Rows, int Pad, bool Diagonal> __global__ void tiled(float *out, const float *in, int n) {
  __shared__ float tile[Tile][Tile + Pad];
  const int by = Diagonal ? blockIdx.x : blockIdx.y;
  const int bx = Diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
  int x = bx * Tile + threadIdx.x, y = by * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = by * Tile + threadIdx.x, y = bx * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
/// Within tiles alone, which stay where they are.
template <int Tile, int Rows> __global__ void fine(float *out, const float *in, int n) {
  __shared__ float tile[Tile][Tile + 1];
  const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
/// Of tiles alone, each as it is.
template <int Tile, int Rows> __global__ void coarse(float *out, const float *in, int n) {
  __shared__ float tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    out[(y + j) * n + x] = tile[threadIdx.y + j][threadIdx.x];
}

template <int Tile, int Rows> Work transpose(const Arguments &a) {
  const int n = int(a("n", 1024));
  const std::string kind = a.text("kind", "naive");
  Array<float> in(size_t(n) * n), out(size_t(n) * n);
  using Kernel = void (*)(float *, const float *, int);
  const std::map<std::string, Kernel> kernels = {{"copy", copy<Tile, Rows>},
                                                 {"shared", copyShared<Tile, Rows>},
                                                 {"naive", naive<Tile, Rows>},
                                                 {"coalesced", tiled<Tile, Rows, 0, false>},
                                                 {"padded", tiled<Tile, Rows, 1, false>},
                                                 {"diagonal", tiled<Tile, Rows, 1, true>},
                                                 {"fine", fine<Tile, Rows>},
                                                 {"coarse", coarse<Tile, Rows>}};
  const auto found = kernels.find(kind);
  if (found == kernels.end())
    check(cudaErrorInvalidValue, kind.c_str());
  twice([&] { found->second<<<dim3(n / Tile, n / Tile), dim3(Tile, Rows)>>>(out, in, n); });
  return {8.0 * n * n, 0};
}
POINT(transpose) { return a("tile", 32) == 16 ? transpose<16, 16>(a) : transpose<32, 8>(a); }
