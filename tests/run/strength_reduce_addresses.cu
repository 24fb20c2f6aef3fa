// RUN: %heddle cc %s -o %t
// RUN: %widths(64,128) %t
// RUN: %all env HEDDLE_DISABLE=strength-reduce-addresses %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of threads that each read and write a row of a matrix, by indices of all kinds: signed, unsigned and wrapping
// around on purpose, narrow, wide, backwards; with rows that would wrap around if they were not idle; in loops, and on
// both sides of a barrier.
#include "support.h"

constexpr int X = 16, Y = 16, Rows = 40, Pitch = 24;

struct Sum { // what a thread must find for row and column
  const std::vector<float> &in;
  float at(int row, int column) const { return in[row * Pitch + column]; }
};

__global__ void forwards(int n, const float *in, float *out) {
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * Y + y;
  if (row < Rows)
    out[row * n + x] = in[row * n + x] + 1;
}

__global__ void backwards(int n, const float *in, float *out) {
  int x = threadIdx.x, row = blockIdx.y * Y + threadIdx.y;
  const float *last = in + (Rows - 1) * n;
  if (row < Rows)
    out[row * n + x] = last[-row * n + x];
}

/// The pitch is negative modulo 2^32: each row's index wraps around.
__global__ void wrapping(unsigned pitch, unsigned start, const float *in, float *out) {
  unsigned x = threadIdx.x, row = blockIdx.y * Y + threadIdx.y;
  if (row < Rows)
    out[row * Pitch + x] = in[start + row * pitch + x];
}

__global__ void narrow(unsigned short n, const float *in, float *out) {
  unsigned char row = blockIdx.y * Y + threadIdx.y;
  unsigned short index = row * n + threadIdx.x;
  if (row < Rows)
    out[index] = in[index] * 2;
}

__global__ void wide(long long n, const float *in, float *out) {
  long long row = blockIdx.y * Y + threadIdx.y;
  if (row < Rows)
    out[row * n + threadIdx.x] = in[(Rows - 1 - row) * n + threadIdx.x];
}

/// Only rows that `runs` names are at work; in the others the product would leave the range of an int.
__global__ void idle(int huge, const int *runs, const float *in, float *out) {
  int x = threadIdx.x, y = threadIdx.y;
  if (runs[y])
    out[y * Pitch + x] = in[(y - 8) * huge + 8 * Pitch + x];
}

/// Down the columns, so that the rows' addresses move in a loop.
__global__ void columns(int n, const float *in, float *out) {
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += in[y * n + k] * in[k * n + x];
  out[y * n + x] = sum;
}

/// A tile behind a barrier, read by rows that are not the thread's own.
__global__ void tiles(int n, int rounds, const float *in, float *out) {
  __shared__ float tile[Y][X];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[y][x] = in[(round * 3 + y) * n + x];
    __syncthreads();
    sum += tile[x][y] + tile[Y - 1 - y][x];
    __syncthreads();
  }
  out[y * n + x] = sum;
}

int main() {
  std::vector<float> values(Rows * Pitch);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i % 97) - 40;
  Buffer<float> in(values);
  Sum want{values};
  auto test = [&](const char *name, int rows, auto launch, auto expected) {
    Buffer<float> out(std::vector<float>(values.size(), -1));
    launch(out.data);
    auto got = out.get();
    for (int row = 0; row < Rows; ++row)
      for (int column = 0; column < Pitch; ++column)
        expect(name, row * Pitch + column, got[row * Pitch + column],
               row < rows && column < X ? expected(row, column) : -1.0f);
  };
  dim3 grid(1, (Rows + Y - 1) / Y), block(X, Y);
  test("forwards", Rows, [&](float *out) { forwards<<<grid, block>>>(Pitch, in.data, out); },
       [&](int row, int column) { return want.at(row, column) + 1; });
  auto mirrored = [&](int row, int column) { return want.at(Rows - 1 - row, column); };
  test("backwards", Rows, [&](float *out) { backwards<<<grid, block>>>(Pitch, in.data, out); }, mirrored);
  test("wrapping", Rows,
       [&](float *out) { wrapping<<<grid, block>>>(0u - Pitch, (Rows - 1) * Pitch, in.data, out); }, mirrored);
  test("narrow", Rows, [&](float *out) { narrow<<<grid, block>>>(Pitch, in.data, out); },
       [&](int row, int column) { return want.at(row, column) * 2; });
  test("wide", Rows, [&](float *out) { wide<<<grid, block>>>(Pitch, in.data, out); }, mirrored);
  for (int only : {8, 9}) { // row 9 with a step that it can take
    std::vector<int> runs(Y, 0);
    runs[only] = 1;
    Buffer<int> whose(runs);
    int huge = only == 8 ? 1 << 29 : Pitch;
    Buffer<float> out(std::vector<float>(values.size(), -1));
    idle<<<1, block>>>(huge, whose.data, in.data, out.data);
    auto got = out.get();
    for (int i = 0; i < int(values.size()); ++i)
      expect("idle", i, got[i], i / Pitch == only && i % Pitch < X ? values[i] : -1.0f);
  }
  // In squares of 16x16 at the start of the matrix.
  Buffer<float> out(std::vector<float>(values.size(), -1));
  columns<<<1, block>>>(X, in.data, out.data);
  auto got = out.get();
  for (int y = 0; y < Y; ++y)
    for (int x = 0; x < X; ++x) {
      float sum = 0;
      for (int k = 0; k < X; ++k)
        sum += values[y * X + k] * values[k * X + x];
      expect("columns", y * X + x, got[y * X + x], sum);
    }
  constexpr int Rounds = 7;
  test("tiles", Y, [&](float *out) { tiles<<<1, block>>>(Pitch, Rounds, in.data, out); },
       [&](int row, int column) {
         float sum = 0;
         for (int round = 0; round < Rounds; ++round)
           sum += want.at(round * 3 + column, row) + want.at(round * 3 + Y - 1 - row, column);
         return sum;
       });
  return finish();
}
