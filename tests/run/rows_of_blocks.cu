// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a block that each walk along a list of their own: what a row has loaded together is the same in its lanes, and
// lists end at different times. Blocks of all shapes, rows without elements, columns that are left out, and an offset
// that is subtracted from a column and may be greater than it.
// RUN: %heddle cc %s -o %t
// RUN: %t | FileCheck %s
// RUN: %all %at(8,64) %t | FileCheck %s
// RUN: %cpu(x86-64-v3) %t | FileCheck %s
// CHECK: wrong: 0 of 24
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

template <typename T>
__global__ void product(int rows, int vectors, int back, const int *starts, const int *columns,
                        const T *values, const T *x, T *y) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  for (int vector = threadIdx.x; vector < vectors; vector += blockDim.x) {
    T sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++) {
      if (columns[e] < 0)
        continue;
      sum += values[e] * x[columns[e] * vectors - back + (vector + back)];
    }
    y[row * vectors + vector] = sum;
  }
}

template <typename T> T *copied(const std::vector<T> &from) {
  T *to;
  cudaMalloc(&to, std::max<size_t>(from.size(), 1) * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

/// Small whole numbers: sums are exact in any order.
template <typename T> bool isWrong(std::mt19937 &random, dim3 block, int vectors) {
  int rows = 1 + random() % 70, inner = 1 + random() % 50;
  std::vector<int> starts = {0}, columns;
  std::vector<T> values, x(inner * vectors), y(rows * vectors), want(rows * vectors, T(0));
  for (int row = 0; row < rows; ++row) {
    for (int count = random() % 4 ? random() % 13 : random() % 2 * 40; count > 0; --count) {
      columns.push_back(random() % 7 ? int(random() % inner) : -1);
      values.push_back(T(int(random() % 9) - 4));
    }
    starts.push_back(columns.size());
  }
  for (T &value : x)
    value = T(int(random() % 17) - 8);
  for (int row = 0; row < rows; ++row)
    for (int e = starts[row]; e < starts[row + 1]; ++e)
      for (int v = 0; v < vectors && columns[e] >= 0; ++v)
        want[row * vectors + v] += values[e] * x[columns[e] * vectors + v];
  int *starts_d = copied(starts), *columns_d = copied(columns);
  T *values_d = copied(values), *x_d = copied(x), *y_d = copied(y);
  product<<<(rows + block.y - 1) / block.y, block>>>(rows, vectors, int(random() % 1000), starts_d,
                                                     columns_d, values_d, x_d, y_d);
  cudaMemcpy(y.data(), y_d, y.size() * sizeof(T), cudaMemcpyDeviceToHost);
  for (void *memory : {(void *)starts_d, (void *)columns_d, (void *)values_d, (void *)x_d, (void *)y_d})
    cudaFree(memory);
  return cudaGetLastError() != cudaSuccess || y != want;
}

int main() {
  std::mt19937 random(5);
  const dim3 blocks[] = {{16, 16}, {8, 16}, {4, 32}, {16, 3}, {12, 9}, {2, 64}};
  int wrong = 0, all = 0;
  for (dim3 block : blocks) {
    for (int vectors : {int(block.x), int(block.x) + 3}) {
      wrong += isWrong<float>(random, block, vectors);
      wrong += isWrong<double>(random, block, vectors);
      all += 2;
    }
  }
  std::printf("wrong: %d of %d\n", wrong, all);
}
