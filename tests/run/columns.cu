// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
// RUN: %all env HEDDLE_DISABLE=transpose-columns %t
// RUN: %all env HEDDLE_DISABLE=column-major-blocks %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that are neighbours in y access neighbouring elements: matrices transposed in all ways to write the index,
// with types of all sizes, in blocks of many shapes, with sizes that are no multiples of them, and where the first rows or
// the last ones of a block have nothing to do.
#include "support.h"

/// Each element is read and written by one thread, which also says which block it was in.
template <typename T, typename Index>
__global__ static void writeColumns(Index n, Index rows, Index up, const T *in, T *out, unsigned *who) {
  Index x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= rows + up || y < up)
    return;
  out[x * rows + (y - up)] = in[(y - up) * n + x];
  who[x * rows + y - up] += blockIdx.y * 4096 + blockIdx.x + 1;
}

template <typename T, typename Index>
__global__ static void readColumns(Index n, Index rows, Index up, const T *in, T *out, unsigned *who) {
  Index x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y >= up && y < rows + up) {
    out[(y - up) * n + x] = in[x * rows + (y - up)];
    who[(y - up) * n + x] += blockIdx.y * 4096 + blockIdx.x + 1;
  }
}

/// No guard: whole blocks only.
template <typename T, typename Index>
__global__ static void transposeWhole(Index n, Index rows, Index up, const T *in, T *out, unsigned *who) {
  Index x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * rows + y] = in[y * n + x];
  who[x * rows + y] += blockIdx.y * 4096 + blockIdx.x + 1;
}

template <typename T, typename Index>
static void check(const char *what, dim3 block, unsigned n, unsigned rows, unsigned up, bool reads, bool whole,
                  Random &random) {
  std::vector<T> in(n * rows), out(n * rows), want(n * rows);
  std::vector<unsigned> who(n * rows, 7), wantWho(n * rows);
  for (T &v : in)
    v = T(random.bits() % 251);
  for (unsigned y = 0; y < rows; ++y)
    for (unsigned x = 0; x < n; ++x) {
      unsigned straight = y * n + x, across = x * rows + y;
      want[reads ? straight : across] = in[reads ? across : straight];
      wantWho[reads ? straight : across] = 7 + (y + up) / block.y * 4096 + x / block.x + 1;
    }
  T *deviceIn, *deviceOut;
  unsigned *deviceWho;
  CUDA_OK(cudaMalloc(&deviceIn, in.size() * sizeof(T)));
  CUDA_OK(cudaMalloc(&deviceOut, in.size() * sizeof(T)));
  CUDA_OK(cudaMalloc(&deviceWho, in.size() * sizeof(unsigned)));
  CUDA_OK(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(deviceWho, who.data(), in.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  dim3 grid((n + block.x - 1) / block.x, (rows + up + block.y - 1) / block.y);
  auto *kernel = whole ? transposeWhole<T, Index> : reads ? readColumns<T, Index> : writeColumns<T, Index>;
  kernel<<<grid, block>>>(Index(n), Index(rows), Index(up), deviceIn, deviceOut, deviceWho);
  CUDA_OK(cudaMemcpy(out.data(), deviceOut, in.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(who.data(), deviceWho, in.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(deviceIn));
  CUDA_OK(cudaFree(deviceOut));
  CUDA_OK(cudaFree(deviceWho));
  std::string name = std::string(what) + ", block " + std::to_string(block.x) + "x" + std::to_string(block.y) + ", " +
                     std::to_string(n) + " x " + std::to_string(rows) + (reads ? ", reads" : ", writes");
  expectAll(name, out, want);
  expectAll(name + ": blocks", who, wantWho);
}

template <typename T, typename Index> static void checkAll(const char *what, const std::vector<dim3> &blocks) {
  Random random(11);
  for (dim3 block : blocks) {
    for (bool reads : {false, true}) {
      check<T, Index>(what, block, 77, 53, 0, reads, false, random);
      check<T, Index>(what, block, 65, 41, 1, reads, false, random);
      check<T, Index>(what, block, 33, 70, 3, reads, false, random);
    }
    check<T, Index>(what, block, 3 * block.x, 5 * block.y, 0, false, true, random);
  }
}

int main() {
  checkAll<float, int>("float, int", {dim3(32, 8), dim3(16, 16), dim3(8, 32), dim3(64, 4), dim3(32, 32), dim3(24, 8),
                                      dim3(32, 6)});
  checkAll<float, unsigned>("float, unsigned", {dim3(32, 8)});
  checkAll<double, size_t>("double, size_t", {dim3(8, 32), dim3(24, 8)});
  checkAll<unsigned char, int>("byte, int", {dim3(64, 4), dim3(32, 6)});
  checkAll<short, unsigned>("short, unsigned", {dim3(16, 16), dim3(24, 8)});
  return finish();
}
