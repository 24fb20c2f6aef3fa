// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=prefetch-row-starts %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that walk along rows of their own, empty ones and the last of an allocation included: what is fetched ahead may
// lie beyond it, and never faults. Elements of 1, 4 and 8 bytes, steps of two, backwards.
#include "support.h"

template <class T> __global__ void sumRows(int rows, const int *starts, const T *values, T *sums) {
  int row = threadInGrid();
  if (row >= rows)
    return;
  T sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += values[i];
  atomicAdd(&sums[row % 5], sum);
  for (int i = starts[row]; i < starts[row + 1]; i += 2)
    sum += values[i];
  for (int i = starts[row + 1] - 1; i >= starts[row]; --i)
    sum = sum * T(3) + values[i];
  sums[5 + row] = sum;
}

__global__ void countBytes(int rows, const long long *starts, const unsigned char *text, int *counts) {
  int row = threadInGrid();
  if (row >= rows)
    return;
  int count = 0;
  for (long long i = starts[row]; text[i] != 0; ++i)
    count += text[i] == 7;
  counts[row] = count;
}

template <class T> void testSums(int rows) {
  Random random(rows);
  std::vector<int> starts = {0};
  for (int row = 0; row < rows; ++row)
    starts.push_back(starts.back() + (row % 4 == 3 ? 0 : random.below(40)));
  std::vector<T> values(starts.back() + 1), want(5 + rows);
  for (T &value : values)
    value = T(random.below(1000));
  for (int row = 0; row < rows; ++row) {
    T sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i)
      sum += values[i];
    want[row % 5] += sum;
    for (int i = starts[row]; i < starts[row + 1]; i += 2)
      sum += values[i];
    for (int i = starts[row + 1] - 1; i >= starts[row]; --i)
      sum = sum * T(3) + values[i];
    want[5 + row] = sum;
  }
  Buffer<int> deviceStarts(starts);
  Buffer<T> deviceValues(values), sums(5 + rows);
  sumRows<T><<<(rows + 95) / 96, 96>>>(rows, deviceStarts, deviceValues, sums);
  checkLaunch();
  expectAll("sums", sums.get(), want);
}

void testBytes(int rows) {
  Random random(rows);
  std::vector<long long> starts;
  std::vector<unsigned char> text;
  std::vector<int> want(rows);
  for (int row = 0; row < rows; ++row) {
    starts.push_back((long long)(text.size()));
    for (int i = random.below(200); i > 0; --i) {
      text.push_back((unsigned char)(1 + random.below(9)));
      want[row] += text.back() == 7;
    }
    text.push_back(0);
  }
  Buffer<long long> deviceStarts(starts);
  Buffer<unsigned char> deviceText(text);
  Buffer<int> counts(rows);
  countBytes<<<(rows + 95) / 96, 96>>>(rows, deviceStarts, deviceText, counts);
  checkLaunch();
  expectAll("counts", counts.get(), want);
}

int main() {
  for (int rows : {1, 31, 97, 2000}) {
    testSums<unsigned>(rows);
    testSums<unsigned long long>(rows);
    testBytes(rows);
  }
  return finish();
}
