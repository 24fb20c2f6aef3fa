// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the matrix products share: the plain C++ product and the comparison with it.
#pragma once

#include "common.h"

/// c = a * b for square matrices in row-major order.
inline std::vector<float> multiplyOnHost(const std::vector<float> &a, const std::vector<float> &b,
                                         int width) {
  std::vector<float> c(size_t(width) * width);
  for (int row = 0; row < width; ++row)
    for (int k = 0; k < width; ++k)
      for (int column = 0; column < width; ++column)
        c[size_t(row) * width + column] +=
            a[size_t(row) * width + k] * b[size_t(k) * width + column];
  return c;
}

/// Multiplies matrices of small whole numbers (so that every order of summation is exact) with
/// `multiply(a, b, c, width)`, which gets device arrays, and checks the result.
template <class Multiply> void checkProduct(const char *name, int width, Multiply multiply) {
  size_t n = size_t(width) * width;
  std::vector<float> a = wholeNumbers<float>(n, 8, 15), b = wholeNumbers<float>(n, 8, 16);
  float *ad = toDevice(a), *bd = toDevice(b), *cd = zerosOnDevice<float>(n);
  EventTimer timer;
  multiply(ad, bd, cd, width);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  check(same(toHost(cd, n), multiplyOnHost(a, b, width)), "%s, %d x %d", name, width, width);
  CUDA_CHECK(cudaFree(ad));
  CUDA_CHECK(cudaFree(bd));
  CUDA_CHECK(cudaFree(cd));
}
