// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=7 %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=coarsen-blocks-in-y %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that write columns shorter than a cache line and know of their blocks only which rows of the grid they are: several
// blocks above each other run as one. Grids of all heights, with planes, guards, blocks of several shapes; each element
// is counted, so that none is written twice or left out. Also kernels that know more of their blocks.
#include "support.h"

template <typename T> __global__ void whole(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * rows + y] += in[y * n + x];
}

template <typename T> __global__ void guarded(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < rows)
    out[x * rows + y] += in[y * n + x];
}

/// A plane of the grid is a matrix of its own.
template <typename T> __global__ void planes(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y + blockIdx.y * blockDim.y, z = blockIdx.z;
  if (x < n && y < rows)
    out[(z * n + x) * rows + y] += in[(z * rows + y) * n + x];
}

/// The row within the block.
template <typename T> __global__ void knowsThread(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < rows)
    out[x * rows + y] += in[y * n + x] + T(threadIdx.y);
}

/// The block's row.
template <typename T> __global__ void knowsBlock(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < rows)
    out[x * rows + y] += in[y * n + x] + T(blockIdx.y);
}

/// How many blocks and threads there are.
template <typename T> __global__ void knowsSizes(int n, int rows, const T *in, T *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < rows)
    out[x * rows + y] += in[y * n + x] + T(gridDim.y * 3 + blockDim.y);
}

enum class More { Nothing, Thread, Block, Sizes };

template <typename T>
static void check(const char *name, void (*kernel)(int, int, const T *, T *), dim3 block, int n, int rows, int depth,
                  More more = More::Nothing) {
  Random random(n + rows);
  std::vector<T> in(size_t(n) * rows * depth), want(in.size());
  dim3 grid((n + block.x - 1) / block.x, (rows + block.y - 1) / block.y, depth);
  for (T &value : in)
    value = T(random.below(100));
  for (int z = 0; z < depth; z++)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < n; x++)
        want[(size_t(z) * n + x) * rows + y] =
            T(in[(size_t(z) * rows + y) * n + x] + T(more == More::Thread  ? y % block.y
                                                     : more == More::Block ? y / block.y
                                                     : more == More::Sizes ? grid.y * 3 + block.y
                                                                           : 0));
  Buffer<T> deviceIn(in), out(std::vector<T>(in.size(), T(0)));
  kernel<<<grid, block>>>(n, rows, deviceIn, out);
  checkLaunch();
  expectAll(std::string(name) + ", " + std::to_string(n) + " x " + std::to_string(rows), out.get(), want);
}

template <typename T> static void checkAll(std::initializer_list<dim3> blocks) {
  for (dim3 block : blocks) {
    int tall = block.y, wide = block.x;
    for (int height : {1, 2, 3, 4, 5, 7, 8, 9, 30})
      check<T>("whole", whole<T>, block, 2 * wide, height * tall, 1);
    for (int rows : {1, 31, 32, 33, 65, 127})
      check<T>("guarded", guarded<T>, block, 77, rows, 1);
    check<T>("planes", planes<T>, block, 50, 77, 3);
    check<T>("planes", planes<T>, block, 64, 64, 5);
    check<T>("thread", knowsThread<T>, block, 70, 90, 1, More::Thread);
    check<T>("block", knowsBlock<T>, block, 70, 90, 1, More::Block);
    check<T>("sizes", knowsSizes<T>, block, 70, 90, 1, More::Sizes);
  }
}

int main() {
  checkAll<float>({dim3(32, 8), dim3(64, 4), dim3(32, 4), dim3(16, 2), dim3(128, 2), dim3(32, 6)});
  checkAll<double>({dim3(32, 4), dim3(128, 2), dim3(32, 6)});
  checkAll<unsigned char>({dim3(32, 8), dim3(64, 4), dim3(16, 2)});
  for (int launch = 0; launch < 5; launch++) { // in chunks of blocks that begin and end anywhere
    check<float>("large", guarded<float>, dim3(32, 8), 1000, 1003, 1);
    check<float>("large", whole<float>, dim3(32, 8), 1024, 1016, 1);
  }
  return finish();
}
