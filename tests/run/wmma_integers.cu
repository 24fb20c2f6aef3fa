// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma of integers and bits.
// NVCC: -arch=sm_90 -std=c++17
#include "wmma.h"

int main() {
  checkShapes<signed char, int>("signed char", -128, 127);
  checkLayouts<16, 16, 16, unsigned char, int>("unsigned char", 0, 255);
  using wmma::col_major, wmma::row_major;
  check<8, 8, 32, wmma::experimental::precision::s4, int, int, row_major, col_major>("s4", -8, 7);
  check<8, 8, 32, wmma::experimental::precision::u4, int, int, row_major, col_major>("u4", 0, 15);
  check<8, 8, 128, wmma::experimental::precision::b1, int, int, row_major, col_major>("b1", 0, 1);
  return finish();
}
