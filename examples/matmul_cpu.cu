// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 4.2 (matrix product on the CPU, the baseline).
//
// Three loops in plain C++ and no kernel: a .cu file may be host code only. Because this is what
// the other products are compared with, it is checked by algebra: A * I = A, (A * B)^T = B^T * A^T,
// and a product known by formula.
#include "matrix.h"

#include <chrono>

static std::vector<float> transpose(const std::vector<float> &a, int width) {
  std::vector<float> t(a.size());
  for (int row = 0; row < width; ++row)
    for (int column = 0; column < width; ++column)
      t[column * width + row] = a[row * width + column];
  return t;
}

static void run(int width) {
  size_t n = size_t(width) * width;
  std::vector<float> a = wholeNumbers<float>(n, 8, 19), b = wholeNumbers<float>(n, 8, 20);
  std::vector<float> identity(n), ones(n, 1.0f), rowNumbers(n), want(n);
  for (int row = 0; row < width; ++row)
    for (int column = 0; column < width; ++column) {
      identity[row * width + column] = row == column;
      rowNumbers[row * width + column] = float(row);
      want[row * width + column] = float(row) * width;
    }
  auto start = std::chrono::steady_clock::now();
  std::vector<float> ab = multiplyOnHost(a, b, width);
  std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("time: %.3f ms\n", elapsed.count());
  check(same(multiplyOnHost(a, identity, width), a), "A I = A, %d x %d", width, width);
  check(same(transpose(ab, width), multiplyOnHost(transpose(b, width), transpose(a, width), width)),
        "transposed product, %d x %d", width, width);
  check(same(multiplyOnHost(rowNumbers, ones, width), want), "rows of one number, %d x %d", width,
        width);
}

int main(int argc, char **argv) {
  std::vector<int> widths = {1, 7, 64, 200};
  if (argc > 1)
    widths = {std::atoi(argv[1])};
  for (int width : widths)
    run(width);
  return exitCode();
}
