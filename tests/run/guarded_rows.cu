// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks along compressed rows whose places depend on a division. The program asks in each round whether there is
// something to divide by: with a divisor of zero nothing is read, and nothing divided.
#include "support.h"

constexpr int Rows = 64, Width = 32, Length = 3 * Width;

/// A block for each row.
__global__ void sumOfBlock(const int *starts, const float *values, float *out, unsigned n, unsigned divisor) {
  int row = blockIdx.x, lane = threadIdx.x;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; i += Width)
    if (divisor)
      sum = sum * 0.5f + (values + n / divisor)[i + lane];
  out[row * Width + lane] = sum;
}

/// A thread for each row.
__global__ void sumOfThread(const int *starts, const float *values, float *out, int n, int divisor) {
  int row = threadIdx.x;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    if (divisor > 0)
      sum = sum * 0.5f + (values + n / divisor)[i];
  out[row] = sum;
}

int main() {
  std::vector<int> starts(Rows + 1);
  for (int row = 0; row <= Rows; ++row)
    starts[row] = row * Length;
  std::vector<float> values(Rows * Length + Length);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i % 101);
  Buffer<int> deviceStarts(starts);
  Buffer<float> deviceValues(values), ofBlocks(Rows * Width), ofThreads(Rows);
  for (unsigned divisor : {2u, 0u, 7u}) {
    unsigned n = 10, shift = divisor ? n / divisor : 0;
    std::vector<float> blocks(Rows * Width, 0), threads(Rows, 0);
    for (int row = 0; row < Rows && divisor; ++row)
      for (int i = 0; i < Length; ++i) {
        float value = values[shift + row * Length + i];
        float &sum = blocks[row * Width + i % Width];
        sum = sum * 0.5f + value;
        threads[row] = threads[row] * 0.5f + value;
      }
    sumOfBlock<<<Rows, Width>>>(deviceStarts, deviceValues, ofBlocks, n, divisor);
    sumOfThread<<<1, Rows>>>(deviceStarts, deviceValues, ofThreads, int(n), int(divisor));
    checkLaunch();
    expectAll("blocks, divided by " + std::to_string(divisor), ofBlocks.get(), blocks);
    expectAll("threads, divided by " + std::to_string(divisor), ofThreads.get(), threads);
  }
  return finish();
}
