// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that go along a row of a tile, each its own: an element is what was there, combined with all before it. And
// loops that look the same, but see an element that is not one of those before.
#include "support.h"

#include <algorithm>

constexpr int Row = 24, Threads = 96;

/// How far the inner loop goes, and what else is different.
enum Form { Before, FromTwo, WithItself, All, Down, Skips, Shared, Neighbours, Twice, Guarded };

template <Form form, class T>
__host__ __device__ void step(T *tile, T *corner, int t, int threads, int x, int length) {
  T *row = tile + t * (Row + 1);
  if (form == Guarded && x % 3 == 1)
    return; // this element stays as it was
  if (form == Twice)
    row[x] += T(5);
  int first = form == FromTwo ? 2 : 0;
  int end = form == WithItself ? x + 1 : form == All ? length : x;
  if (form == Down)
    for (int k = x - 1; k >= 0; --k)
      row[x] = row[x] * T(3) + row[k] * corner[k * Row + x];
  else if (form == Skips)
    for (int k = 0; k < end; k += 2)
      row[x] = row[x] * T(3) + row[k] * corner[k * Row + x];
  else
    for (int k = first; k < end; ++k)
      row[x] = row[x] * T(3) + row[k] * corner[k * Row + x];
  if (form == Shared) // what is before changes behind the thread's back
    row[x / 2] += T(1);
  if (form == Neighbours) // at the same place of the tile, by another way
    tile[t * (Row + 1) + (x > 0 ? x - 1 : 0)] ^= T(2);
  row[x] ^= corner[x * Row + x];
}

template <Form form, class T> __global__ void walk(int length, const T *in, T *out) {
  __shared__ T corner[Row * Row], tile[Threads * (Row + 1)];
  int t = threadIdx.x + blockDim.x * threadIdx.y, threads = blockDim.x * blockDim.y;
  for (int i = t; i < Row * Row; i += threads)
    corner[i] = in[i];
  for (int i = 0; i < Row; ++i)
    tile[t * (Row + 1) + i] = in[Row * Row + t * Row + i];
  __syncthreads();
  constexpr int first = form == FromTwo ? 2 : 0;
  for (int x = first; x < Row; ++x)
    step<form>(tile, corner, t, threads, x, length);
  __syncthreads();
  int other = threads - 1 - t; // all that was written is there for the others
  for (int i = 0; i < Row; ++i)
    out[t * Row + i] = tile[other * (Row + 1) + i];
}

/// The number of elements is known at run time only.
__global__ void anyLength(int length, const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[Threads * (Row + 1)];
  int t = threadIdx.x;
  for (int i = 0; i < Row; ++i)
    tile[t * (Row + 1) + i] = in[t * Row + i];
  __syncthreads();
  for (int x = 0; x < length; ++x)
    for (int k = 0; k < x; ++k)
      tile[t * (Row + 1) + x] = tile[t * (Row + 1) + x] * 3 + tile[t * (Row + 1) + k];
  __syncthreads();
  for (int i = 0; i < Row; ++i)
    out[t * Row + i] = tile[(blockDim.x - 1 - t) * (Row + 1) + i];
}

/// Columns: neighbouring lanes have neighbouring elements already. Some threads have none.
__global__ void columns(int length, const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[Row][Threads];
  int t = threadIdx.x;
  for (int i = 0; i < Row; ++i)
    tile[i][t] = in[t * Row + i];
  __syncthreads();
  if (t % 5 != 2)
    for (int x = 1; x < Row; ++x)
      for (int k = 0; k < x; ++k)
        tile[x][t] = tile[x][t] * 3 + tile[k][t] * length;
  __syncthreads();
  for (int i = 0; i < Row; ++i)
    out[t * Row + i] = tile[i][blockDim.x - 1 - t];
}

template <class T> std::vector<T> randomInput(int threads) {
  Random random(threads);
  std::vector<T> in(Row * Row + threads * Row);
  for (T &v : in)
    v = random.below(1000);
  return in;
}

template <Form form, class T> void check(const char *name, dim3 block) {
  int threads = block.x * block.y, length = 17;
  std::vector<T> in = randomInput<T>(threads), tile(threads * (Row + 1)), corner(in.begin(), in.begin() + Row * Row);
  for (int t = 0; t < threads; ++t)
    for (int i = 0; i < Row; ++i)
      tile[t * (Row + 1) + i] = in[Row * Row + t * Row + i];
  for (int t = 0; t < threads; ++t)
    for (int x = form == FromTwo ? 2 : 0; x < Row; ++x)
      step<form>(tile.data(), corner.data(), t, threads, x, length);
  std::vector<T> want(threads * Row);
  for (int t = 0; t < threads; ++t)
    for (int i = 0; i < Row; ++i)
      want[t * Row + i] = tile[(threads - 1 - t) * (Row + 1) + i];
  Buffer<T> deviceIn(in), out(want.size());
  walk<form, T><<<1, block>>>(length, deviceIn, out);
  checkLaunch();
  expectAll(name, out.get(), want);
}

void checkOthers(int threads) {
  for (int length : {0, 1, 2, 13, Row}) {
    std::vector<unsigned> in = randomInput<unsigned>(threads), rows(threads * Row), want(threads * Row);
    std::copy_n(in.begin(), rows.size(), rows.begin());
    for (int t = 0; t < threads; ++t)
      for (int x = 0; x < length; ++x)
        for (int k = 0; k < x; ++k)
          rows[t * Row + x] = rows[t * Row + x] * 3 + rows[t * Row + k];
    for (int t = 0; t < threads; ++t)
      std::copy_n(rows.begin() + (threads - 1 - t) * Row, Row, want.begin() + t * Row);
    Buffer<unsigned> deviceIn(in), out(want.size());
    anyLength<<<1, threads>>>(length, deviceIn, out);
    checkLaunch();
    expectAll("any length", out.get(), want);

    std::copy_n(in.begin(), rows.size(), rows.begin());
    for (int t = 0; t < threads; ++t)
      for (int x = 1; x < Row && t % 5 != 2; ++x)
        for (int k = 0; k < x; ++k)
          rows[t * Row + x] = rows[t * Row + x] * 3 + rows[t * Row + k] * length;
    for (int t = 0; t < threads; ++t)
      std::copy_n(rows.begin() + (threads - 1 - t) * Row, Row, want.begin() + t * Row);
    columns<<<1, threads>>>(length, deviceIn, out);
    checkLaunch();
    expectAll("columns", out.get(), want);
  }
}

template <class T> void checkForms(dim3 block) {
  check<Before, T>("before", block);
  check<FromTwo, T>("from two", block);
  check<WithItself, T>("with itself", block);
  check<All, T>("all", block);
  check<Down, T>("down", block);
  check<Skips, T>("skips", block);
  check<Shared, T>("shared", block);
  check<Neighbours, T>("neighbours", block);
  check<Twice, T>("twice", block);
  check<Guarded, T>("guarded", block);
}

int main() {
  for (dim3 block : {dim3(32), dim3(96), dim3(21), dim3(16, 4), dim3(7, 9)}) {
    checkForms<unsigned>(block);
    checkForms<unsigned long long>(block);
  }
  for (int threads : {32, 96, 21})
    checkOthers(threads);
  return finish();
}
