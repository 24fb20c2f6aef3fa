// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with a small mask, and finite differences.
#include "points.h"

using namespace points;

constexpr int MostMask = 11 * 11;
__constant__ float constantMask[MostMask];

/// In double precision, as an expression with the constants 0.0 and 1.0 is.
__device__ float limited(float value) { return float(fmin(fmax(double(value), 0.0), 1.0)); }

template <bool Constant> __global__ void line(const float *in, const float *mask, float *out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, start = i - width / 2;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    if (start + j >= 0 && start + j < n)
      sum += in[start + j] * (Constant ? constantMask[j] : mask[j]);
  out[i] = limited(sum);
}
/// A tile with a halo in shared memory.
__global__ void lineTiled(const float *in, float *out, int width, int n) {
  extern __shared__ float tile[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, half = width / 2;
  if (t >= blockDim.x - half) {
    const int left = i - blockDim.x;
    tile[t - (blockDim.x - half)] = left < 0 ? 0 : in[left];
  }
  tile[half + t] = in[i];
  if (t < half) {
    const int right = i + blockDim.x;
    tile[half + blockDim.x + t] = right >= n ? 0 : in[right];
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < width; ++j)
    sum += tile[t + j] * constantMask[j];
  out[i] = limited(sum);
}
/// A tile without a halo, which caches have.
__global__ void lineCached(const float *in, float *out, int width, int n) {
  extern __shared__ float tile[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, start = i - width / 2;
  const int from = blockIdx.x * blockDim.x, to = from + blockDim.x;
  tile[t] = in[i];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < width; ++j) {
    const int k = start + j;
    if (k >= 0 && k < n)
      sum += (k >= from && k < to ? tile[t + j - width / 2] : in[k]) * constantMask[j];
  }
  out[i] = limited(sum);
}
POINT(convolveLine) {
  const int n = int(a("n", 1 << 26)), width = int(a("mask", 5)), block = int(a("block", 512));
  const std::string kind = a.text("kind", "basic");
  Array<float> in(n), mask(MostMask), out(n);
  const unsigned grid = blocksFor(n, block);
  twice([&] {
    if (kind == "basic")
      line<false><<<grid, block>>>(in, mask, out, width, n);
    else if (kind == "constant")
      line<true><<<grid, block>>>(in, mask, out, width, n);
    else if (kind == "tiled")
      lineTiled<<<grid, block, (block + width - 1) * sizeof(float)>>>(in, out, width, n);
    else
      lineCached<<<grid, block, block * sizeof(float)>>>(in, out, width, n);
  });
  return {8.0 * n, 2.0 * n * width};
}

template <bool Constant>
__global__ void plane(const float *in, const float *mask, float *out, int maskRows, int maskColumns, int rows,
                      int columns, int channels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= rows || x >= columns)
    return;
  const int top = y - maskRows / 2, left = x - maskColumns / 2;
  for (int c = 0; c < channels; ++c) {
    float sum = 0;
    for (int k = 0; k < maskRows; ++k)
      for (int l = 0; l < maskColumns; ++l)
        if (top + k >= 0 && top + k < rows && left + l >= 0 && left + l < columns)
          sum += in[((top + k) * columns + left + l) * channels + c] *
                 (Constant ? constantMask[k * maskColumns + l] : mask[k * maskColumns + l]);
    out[(y * columns + x) * channels + c] = limited(sum);
  }
}
__global__ void planeTiled(const float *in, float *out, int maskRows, int maskColumns, int rows, int columns,
                           int channels) {
  extern __shared__ float tile[];
  const int tileRows = blockDim.y - maskRows + 1, tileColumns = blockDim.x - maskColumns + 1;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tileRows + ty, column = blockIdx.x * tileColumns + tx;
  const int y = row - maskRows / 2, x = column - maskColumns / 2;
  for (int c = 0; c < channels; ++c) {
    const bool isInside = y >= 0 && y < rows && x >= 0 && x < columns;
    tile[ty * blockDim.x + tx] = isInside ? in[(y * columns + x) * channels + c] : 0;
    __syncthreads();
    if (ty < tileRows && tx < tileColumns && row < rows && column < columns) {
      float sum = 0;
      for (int k = 0; k < maskRows; ++k)
        for (int l = 0; l < maskColumns; ++l)
          sum += tile[(ty + k) * blockDim.x + tx + l] * constantMask[k * maskColumns + l];
      out[(row * columns + column) * channels + c] = limited(sum);
    }
    __syncthreads();
  }
}
POINT(convolvePlane) {
  const int n = int(a("n", 8192)), width = int(a("mask", 5)), block = int(a("block", 16));
  const std::string kind = a.text("kind", "basic");
  Array<float> in(size_t(n) * n), mask(MostMask), out(size_t(n) * n);
  const dim3 grid(blocksFor(n, block), blocksFor(n, block)), threads(block, block);
  const unsigned tiles = blocksFor(n, block - width + 1);
  twice([&] {
    if (kind == "basic")
      plane<false><<<grid, threads>>>(in, mask, out, width, width, n, n, 1);
    else if (kind == "constant")
      plane<true><<<grid, threads>>>(in, mask, out, width, width, n, n, 1);
    else
      planeTiled<<<dim3(tiles, tiles), threads, block * block * sizeof(float)>>>(in, out, width, width, n, n, 1);
  });
  return {8.0 * n * n, 2.0 * n * n * width * width};
}

/// Derivatives of eighth order on a cube of 64, periodic, as the Fortran book has them: pencils of `Along` points, of
/// which a block has `Across`; threads take several points where the block is smaller.
constexpr int Side = 64;
__constant__ float coefficients[4];

__device__ float difference(const float *p, int step) {
  return coefficients[0] * (p[step] - p[-step]) + coefficients[1] * (p[2 * step] - p[-2 * step]) +
         coefficients[2] * (p[3 * step] - p[-3 * step]) + coefficients[3] * (p[4 * step] - p[-4 * step]);
}

/// Along x. Block: 64 x Across / Each threads.
template <int Across, int Each> __global__ void derivativeX(const float *f, float *df) {
  __shared__ float tile[Across][Side + 8];
  const int x = threadIdx.x + 4, z = blockIdx.y;
  for (int k = 0; k < Each; ++k) {
    const int row = threadIdx.y + k * blockDim.y, y = blockIdx.x * Across + row;
    tile[row][x] = f[(z * Side + y) * Side + threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x < 4)
    for (int k = 0; k < Each; ++k) {
      const int row = threadIdx.y + k * blockDim.y;
      tile[row][threadIdx.x] = tile[row][Side + threadIdx.x];
      tile[row][Side + 4 + threadIdx.x] = tile[row][4 + threadIdx.x];
    }
  __syncthreads();
  for (int k = 0; k < Each; ++k) {
    const int row = threadIdx.y + k * blockDim.y, y = blockIdx.x * Across + row;
    df[(z * Side + y) * Side + threadIdx.x] = difference(&tile[row][x], 1);
  }
}
/// Along y, or z: `Stride` apart, with `Other` between planes. Block: Across x 64 / Each.
template <int Across, int Each, int Stride, int Other> __global__ void derivativeFar(const float *f, float *df) {
  __shared__ float tile[Side + 8][Across];
  const int x = blockIdx.x * Across + threadIdx.x;
  f += blockIdx.y * Other + x;
  df += blockIdx.y * Other + x;
  for (int k = 0; k < Each; ++k) {
    const int y = threadIdx.y + k * blockDim.y;
    tile[y + 4][threadIdx.x] = f[y * Stride];
  }
  __syncthreads();
  if (threadIdx.y < 4) {
    tile[threadIdx.y][threadIdx.x] = tile[Side + threadIdx.y][threadIdx.x];
    tile[Side + 4 + threadIdx.y][threadIdx.x] = tile[4 + threadIdx.y][threadIdx.x];
  }
  __syncthreads();
  for (int k = 0; k < Each; ++k) {
    const int y = threadIdx.y + k * blockDim.y;
    df[y * Stride] = difference(&tile[y + 4][threadIdx.x], Across);
  }
}
POINT(derivative) {
  constexpr int Plane = Side * Side;
  const std::string kind = a.text("kind", "x4");
  Array<float> f(Plane * Side), df(Plane * Side);
  twice([&] {
    if (kind == "x4")
      derivativeX<4, 1><<<dim3(Side / 4, Side), dim3(Side, 4)>>>(f, df);
    else if (kind == "x32")
      derivativeX<32, 8><<<dim3(Side / 32, Side), dim3(Side, 4)>>>(f, df);
    else if (kind == "y4")
      derivativeFar<4, 1, Side, Plane><<<dim3(Side / 4, Side), dim3(4, Side)>>>(f, df);
    else if (kind == "y32")
      derivativeFar<32, 8, Side, Plane><<<dim3(Side / 32, Side), dim3(32, 8)>>>(f, df);
    else if (kind == "z4")
      derivativeFar<4, 1, Plane, Side><<<dim3(Side / 4, Side), dim3(4, Side)>>>(f, df);
    else
      derivativeFar<32, 8, Plane, Side><<<dim3(Side / 32, Side), dim3(32, 8)>>>(f, df);
  });
  return {8.0 * Plane * Side, 0};
}

/// The mean of four or eight neighbours.
template <int Points> __global__ void average(float *out, const float *in, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const float *p = &in[y * (n + 2) + x];
  const int row = n + 2;
  float sum = p[-1] + p[1] + p[-row] + p[row];
  if (Points == 8)
    sum += p[-row - 1] + p[-row + 1] + p[row - 1] + p[row + 1];
  out[(y - 1) * n + x - 1] = sum / Points;
}
POINT(average) {
  const int n = int(a("n", 2048));
  Array<float> in(size_t(n + 2) * (n + 2)), out(size_t(n) * n);
  twice([&] {
    if (a("points", 4) == 8)
      average<8><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
    else
      average<4><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out, in, n);
  });
  return {8.0 * n * n, 0};
}
