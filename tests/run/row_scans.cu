// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=unroll-rows %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that write along rows of a matrix as they go: sums of what they read, to another array or in place, forwards and
// backwards, rows that go up or down; rows by numbers that several threads may have.
#include "support.h"

template <class T> __global__ void scan(const T *in, T *out, int rows, int pitch, int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  T sum = T(i);
  for (int j = 0; j < n; j++) {
    sum = sum * T(3) + in[i * pitch + j];
    out[i * step + j] = sum;
  }
}

template <class T> __global__ void scanBack(const T *in, T *out, T *other, int rows, int pitch, int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  T sum = T(i);
  for (int j = n - 1; j >= 0; j--) {
    T x = in[i * pitch + j];
    sum = sum * T(5) + x;
    out[i * step + j] = sum;
    other[i * step + n - 1 - j] = sum - x;
  }
}

/// Threads with one number write the same.
template <class T> __global__ void chosen(const int *numbers, T *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int row = numbers[i];
  for (int k = 0; k < 4; k++)
    out[row * 4 + k] = T(row * 10 + k);
}

template <class T> static void check(int rows, int pitch, int step, int n, int block) {
  int far = std::abs(step), begin = step < 0 ? (rows - 1) * far : 0;
  std::vector<T> in(rows * pitch), want(rows * far), wantBack = want, wantOther = want;
  for (size_t i = 0; i < in.size(); i++)
    in[i] = T((i * 7 + 5) % 17);
  std::vector<T> inPlace = in;
  for (int i = 0; i < rows; i++) {
    T sum = T(i), back = T(i);
    for (int j = 0; j < n; j++) {
      sum = sum * T(3) + in[i * pitch + j];
      want[begin + i * step + j] = inPlace[i * pitch + j] = sum;
      T x = in[i * pitch + n - 1 - j];
      back = back * T(5) + x;
      wantBack[begin + i * step + n - 1 - j] = back;
      wantOther[begin + i * step + j] = back - x;
    }
  }
  Buffer<T> input(in), out(want.size()), outBack(want.size()), other(want.size()), same(in);
  int blocks = (rows + block - 1) / block;
  scan<T><<<blocks, block>>>(input.data, out.data + begin, rows, pitch, step, n);
  scanBack<T><<<blocks, block>>>(input.data, outBack.data + begin, other.data + begin, rows, pitch, step, n);
  scan<T><<<blocks, block>>>(same.data, same.data, rows, pitch, pitch, n);
  std::string where = std::to_string(rows) + " rows of " + std::to_string(n) + ", step " + std::to_string(step);
  expectAll(where, out.get(), want);
  expectAll(where + ", back", outBack.get(), wantBack);
  expectAll(where + ", other", other.get(), wantOther);
  expectAll(where + ", in place", same.get(), inPlace);
}

template <class T> static void checkChosen(bool inOrder) {
  constexpr int Count = 500;
  std::vector<int> numbers(Count);
  std::vector<T> want(Count * 4);
  for (int i = 0; i < Count; i++) {
    int row = numbers[i] = inOrder ? i : i * 37 % 101;
    for (int k = 0; k < 4; k++)
      want[row * 4 + k] = T(row * 10 + k);
  }
  Buffer<int> deviceNumbers(numbers);
  Buffer<T> out(want.size());
  chosen<T><<<4, 128>>>(deviceNumbers.data, out.data, Count);
  expectAll("chosen", out.get(), want);
}

int main() {
  for (int block : {128, 33})
    for (int n : {0, 1, 7, 8, 9, 23, 40})
      for (int step : {n + 1, n + 25, 64, -64}) {
        check<unsigned>(140, n + 1, step, n, block);
        check<unsigned long long>(77, n + 2, step, n, block);
      }
  for (bool inOrder : {false, true}) {
    checkChosen<unsigned>(inOrder);
    checkChosen<double>(inOrder);
  }
  return finish();
}
