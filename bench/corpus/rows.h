// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread walks along a row or down a column of its own: sums, recurrences, searches, at pitches
// that are constants or arguments, in blocks of one and of two dimensions, in float, double and
// bytes.
#pragma once

#include "corpus.h"

namespace rows {
using namespace corpus;
using bench::Problem;

constexpr int Rows = 2003, Columns = 389;
constexpr int Constant = 64;                                  // columns of row_sum_constant
constexpr int Short = 60013, Few = 7;                         // many short rows
constexpr int PlaneRows = 61, PlaneColumns = 53, Depth = 127; // rows of a third dimension
constexpr int Count = Rows * Columns;

inline Problem floats(double operations) {
  return items(double(Count), floatError(operations)).input(randomFloats(Count, -1, 1, 1));
}

/// A matrix, one result a row.
inline Problem sums() { return floats(2 * Columns).output<float>(Rows); }
inline Problem sumsConstant() {
  return items(2048.0 * 5 * Constant, floatError(Constant))
      .input(randomFloats(2048 * 5 * Constant, -1, 1, 1))
      .output<float>(2048 * 5);
}
inline Problem sumsShort() {
  return items(double(Short) * Few, floatError(Few))
      .input(randomFloats(Short * Few, -1, 1, 1))
      .output<float>(Short);
}
/// A matrix, index of each row's greatest element.
inline Problem greatest() {
  return items(double(Count), 0).input(randomInts(Count, 1000000, 1)).output<int>(Rows);
}
/// A matrix, one of the same size.
inline Problem matrices(double operations) { return floats(operations).output<float>(Count); }
inline Problem scaled() { return matrices(2); }
inline Problem blurred() { return matrices(6); }
inline Problem recurrence() { return matrices(40); }
inline Problem softmax() { return matrices(4 * Columns); }
inline Problem prefix() { return matrices(2 * Columns); }
/// A matrix, two scratches, one of the same size: forward and backward filters.
inline Problem deriche() {
  return floats(200).scratch<float>(Count).scratch<float>(Count).output<float>(Count);
}
/// Planes of rows, one result a row; the same in double.
inline Problem planes() {
  constexpr int All = PlaneRows * PlaneColumns * Depth;
  return items(double(All), floatError(2 * Depth))
      .input(randomFloats(All, -1, 1, 1))
      .output<float>(PlaneRows * PlaneColumns);
}
inline Problem doubles() {
  return items(double(Count), doubleError(2 * Columns))
      .input(randomDoubles(Count, -1, 1, 1))
      .output<double>(Rows);
}
/// Bytes, the sum of each row and how many are above 200.
inline Problem bytes() {
  return items(double(Count), 0)
      .input(randomInts<unsigned char>(Count, 256, 1))
      .output<int>(Rows)
      .output<int>(Rows);
}
/// One result a column.
inline Problem columns() { return floats(2 * Rows).output<float>(Columns); }
/// A matrix, its transpose.
inline Problem transposed() { return floats(0).output<float>(Count); }
/// Coefficients of a polynomial a row, x of each row, values.
inline Problem polynomials() {
  return floats(4 * Columns).input(randomFloats(Rows, -0.9f, 0.9f, 2)).output<float>(Rows);
}
} // namespace rows
