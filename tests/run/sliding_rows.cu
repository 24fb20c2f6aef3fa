// RUN: %widths(64,256) %heddle run %s
// RUN: %heddle cc -fassociative-math %s -o %t.fast
// RUN: %t.fast
// RUN: %cpu(x86-64-v3) %t.fast
// RUN: %cpu(x86-64-v3) %at(64) %t.fast
// RUN: %cpu(x86-64-v3) %at(256) %t.fast
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of known length that read a row again and again, a little further each time: convolutions of several lengths and
// types, of every second element, of two rows at once, in place of the row; rows of odd lengths.
#include "support.h"

#include <algorithm>

template <class T, int Taps, int Step>
__global__ void convolve(int n, const T *in, const T *weights, T *out) {
  int i = threadInGrid();
  if (i >= n)
    return;
  T sum = 0;
  for (int k = 0; k < Taps; ++k)
    sum += weights[k] * in[i + Step * k];
  out[i] = sum;
}

/// The largest of a window of one row, less the least of the same of another.
__global__ void windows(int n, const int *one, const int *other, int *out) {
  int i = threadInGrid();
  if (i >= n)
    return;
  int most = one[i], least = other[i];
  for (int k = 1; k < 9; ++k) {
    most = max(most, one[i + k]);
    least = min(least, other[i + k]);
  }
  out[i] = most - least;
}

template <class T> std::vector<T> numbers(Random &random, size_t count) {
  std::vector<T> all(count);
  for (T &number : all)
    number = T(random.below(64));
  return all;
}

template <class T, int Taps, int Step> void testConvolve(int n) {
  Random random(n + Taps);
  std::vector<T> in = numbers<T>(random, n + Step * Taps), weights = numbers<T>(random, Taps), want(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < Taps; ++k)
      want[i] += weights[k] * in[i + Step * k];
  Buffer<T> deviceIn(in), deviceWeights(weights), out(n);
  convolve<T, Taps, Step><<<(n + 255) / 256, 256>>>(n, deviceIn, deviceWeights, out);
  checkLaunch();
  expectAll("convolved", out.get(), want);
}

void testWindows(int n) {
  Random random(n);
  std::vector<int> one = numbers<int>(random, n + 8), other = numbers<int>(random, n + 8), want(n);
  for (int i = 0; i < n; ++i)
    want[i] = *std::max_element(&one[i], &one[i + 9]) - *std::min_element(&other[i], &other[i + 9]);
  Buffer<int> deviceOne(one), deviceOther(other), out(n);
  windows<<<(n + 127) / 128, 128>>>(n, deviceOne, deviceOther, out);
  checkLaunch();
  expectAll("windows", out.get(), want);
}

int main() {
  for (int n : {1, 200, 256, 1000, 5000}) {
    testConvolve<float, 33, 1>(n);
    testConvolve<float, 5, 1>(n);
    testConvolve<float, 9, 2>(n);
    testConvolve<double, 11, 1>(n);
    testConvolve<unsigned, 17, 1>(n);
    testConvolve<short, 9, 1>(n);
    testWindows(n);
  }
  return finish();
}
