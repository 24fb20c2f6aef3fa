// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=blocks-abreast %t
// RUN: env HEDDLE_WORKERS=1 %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v3) env HEDDLE_DISABLE=hoist-store-choices,frame-alias-scopes %t
// RUN: %all env HEDDLE_DISABLE=hoist-store-choices,frame-alias-scopes %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that walk through memory in far steps with a barrier at each, neighbours in turns: whole and partial tiles,
// blocks that end early or take other numbers of steps than their neighbours, static and dynamic shared memory,
// arrays beyond the last cache; walks that wait and share nothing, whose masks are handed on.
#include "support.h"

__host__ __device__ inline int cell(size_t i) { return int(unsigned(i) * 2654435761u >> 8); }

/// Each cell plus its neighbours in the plane, plus those below and above. The planes that block (x, y, z) walks over
/// begin at first(z), and uneven columns of blocks stop early.
template <int X, int Y>
__global__ static void walk(int width, int height, int planes, int steps, bool uneven, const int *in, int *out) {
  __shared__ int tile[Y + 2][X + 2];
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
  int plane = width * height, first = blockIdx.z * steps, last = min(first + steps, planes);
  if (uneven)
    last = max(first, last - int(blockIdx.x % 3));
  if (uneven && blockIdx.x % 5 == 4)
    return;
  bool inside = x < width && y < height;
  int i = (first * height + y) * width + x, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int below = inside && first > 0 ? in[i - plane] : 0, here = inside ? in[i] : 0;
  for (int z = first; z < last; ++z, i += plane) {
    int above = inside && z < planes - 1 ? in[i + plane] : 0;
    tile[ty][tx] = here;
    if (threadIdx.x == 0)
      tile[ty][0] = inside && x > 0 ? in[i - 1] : 0;
    if (threadIdx.x == X - 1)
      tile[ty][X + 1] = inside && x < width - 1 ? in[i + 1] : 0;
    if (threadIdx.y == 0)
      tile[0][tx] = inside && y > 0 ? in[i - width] : 0;
    if (threadIdx.y == Y - 1)
      tile[Y + 1][tx] = inside && y < height - 1 ? in[i + width] : 0;
    __syncthreads();
    if (inside)
      out[i] = 5 * here + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + below + above;
    __syncthreads();
    below = here;
    here = above;
  }
}

/// The same without a tile; the barriers only keep the threads together.
template <class T, int X, int Y>
__global__ static void walkAlone(int width, int height, int planes, const T *in, T *out) {
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
  int plane = width * height, i = y * width + x;
  T below = 0, here = in[i];
  for (int z = 0; z < planes; ++z, i += plane) {
    T above = z < planes - 1 ? in[i + plane] : 0;
    __syncthreads();
    bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < planes - 1;
    out[i] = inside ? 5 * here + in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + below + above : here;
    __syncthreads();
    below = here;
    here = above;
  }
}

template <class T, int X, int Y> static void checkAlone(int columns, int rows, int planes) {
  int width = X * columns, height = Y * rows, plane = width * height;
  std::vector<T> start(size_t(plane) * planes), want(start.size());
  for (size_t i = 0; i < start.size(); ++i)
    start[i] = T(cell(i) & 1023);
  size_t i = 0;
  for (int z = 0; z < planes; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, ++i) {
        bool inside = x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < planes - 1;
        want[i] = inside ? 5 * start[i] + start[i - 1] + start[i + 1] + start[i - width] + start[i + width] +
                               start[i - plane] + start[i + plane]
                         : start[i];
      }
  Buffer<T> input(start), output(start.size());
  walkAlone<T, X, Y><<<dim3(columns, rows), dim3(X, Y)>>>(width, height, planes, input, output);
  checkLaunch();
  expectAll("alone " + std::to_string(X) + "x" + std::to_string(Y), output.get(), want);
}

/// A running sum down the rows; each row is turned around inside of the block.
__global__ static void sumRows(int width, int rows, const int *in, int *out) {
  extern __shared__ int cells[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int y = 0; y < rows; ++y) {
    cells[threadIdx.x] = in[y * width + x];
    __syncthreads();
    sum += cells[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    out[y * width + x] = sum;
  }
}

static int at(const std::vector<int> &in, int width, int height, int planes, int x, int y, int z, bool exists) {
  return exists ? in[(size_t(z) * height + y) * width + x] : 0;
}

template <int X, int Y> static void checkWalk(int width, int height, int planes, int steps, bool uneven) {
  size_t count = size_t(width) * height * planes;
  std::vector<int> start(count), got(count);
  for (size_t i = 0; i < count; ++i)
    start[i] = cell(i);
  int *in, *out;
  CUDA_OK(cudaMalloc(&in, count * sizeof(int)));
  CUDA_OK(cudaMalloc(&out, count * sizeof(int)));
  CUDA_OK(cudaMemcpy(in, start.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(out, 0, count * sizeof(int)));
  dim3 grid((width + X - 1) / X, (height + Y - 1) / Y, (planes + steps - 1) / steps);
  walk<X, Y><<<grid, dim3(X, Y)>>>(width, height, planes, steps, uneven, in, out);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(got.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(in));
  CUDA_OK(cudaFree(out));
  std::string what = "walk " + std::to_string(X) + "x" + std::to_string(Y) + " " + std::to_string(width) + "x" +
                     std::to_string(height) + "x" + std::to_string(planes) + (uneven ? " uneven" : "");
  size_t i = 0;
  for (int z = 0; z < planes; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, ++i) {
        int block = x / X, first = z / steps * steps, last = std::min(first + steps, planes);
        bool done = !uneven || (block % 5 != 4 && z < last - block % 3);
        auto near = [&](int dx, int dy, int dz, bool exists) {
          return at(start, width, height, planes, x + dx, y + dy, z + dz, exists);
        };
        int want = 5 * start[i] + near(-1, 0, 0, x > 0) + near(1, 0, 0, x < width - 1) + near(0, -1, 0, y > 0) +
                   near(0, 1, 0, y < height - 1) + near(0, 0, -1, z > 0) + near(0, 0, 1, z < planes - 1);
        expect(what, (long long)i, got[i], done ? want : 0);
      }
}

static void checkRows(int blocks, int threads, int rows) {
  int width = blocks * threads;
  std::vector<int> start(size_t(width) * rows), got(start.size());
  for (size_t i = 0; i < start.size(); ++i)
    start[i] = cell(i);
  int *in, *out;
  CUDA_OK(cudaMalloc(&in, start.size() * sizeof(int)));
  CUDA_OK(cudaMalloc(&out, start.size() * sizeof(int)));
  CUDA_OK(cudaMemcpy(in, start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
  sumRows<<<blocks, threads, threads * sizeof(int)>>>(width, rows, in, out);
  CUDA_OK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(in));
  CUDA_OK(cudaFree(out));
  for (int x = 0; x < width; ++x) {
    int turned = x / threads * threads + threads - 1 - x % threads;
    unsigned sum = 0;
    for (int y = 0; y < rows; ++y) {
      size_t row = size_t(y) * width;
      sum += unsigned(start[row + turned]);
      expect("rows of " + std::to_string(threads), (long long)(row + x), got[row + x], int(sum));
    }
  }
}

int main() {
  for (bool uneven : {false, true}) {
    checkWalk<32, 8>(256, 64, 9, 4, uneven);
    checkWalk<32, 8>(32, 8, 3, 64, uneven);
    checkWalk<32, 8>(608, 16, 5, 5, uneven); // 19 blocks in a row
    checkWalk<16, 16>(144, 48, 7, 3, uneven);
    checkWalk<32, 4>(96, 36, 6, 6, uneven);
    checkWalk<8, 8>(104, 40, 6, 4, uneven);
    checkWalk<33, 5>(165, 15, 4, 4, uneven); // no whole warps
    checkWalk<32, 32>(64, 64, 4, 2, uneven);
    checkWalk<32, 8>(301, 37, 6, 4, uneven); // no whole tiles at the ends
    checkWalk<16, 4>(75, 21, 5, 3, uneven);
  }
  checkWalk<32, 8>(256, 256, 140, 70, false); // beyond the last cache
  checkAlone<float, 32, 8>(8, 4, 6);
  checkAlone<int, 32, 8>(3, 3, 5);
  checkAlone<double, 32, 8>(5, 2, 4);
  checkAlone<double, 32, 16>(4, 3, 5);
  checkAlone<float, 24, 7>(4, 3, 5);
  for (int threads : {1, 31, 32, 64, 100, 128, 256})
    for (int blocks : {1, 7, 8, 33})
      checkRows(blocks, threads, 10);
  return finish();
}
