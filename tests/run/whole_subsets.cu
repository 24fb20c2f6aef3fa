// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
// RUN: %all env HEDDLE_DISABLE=whole-subsets %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What few threads of a block do, all of them at once or not: behind tests that are the same in each row, that differ
// from row to row, or that data decides; in rows that have returned, in loops that rows leave at different times, behind
// loops; in blocks that are no whole warps.
#include "support.h"

struct Args {
  int w, h, rounds;
};

/// `put(i, v)` adds v to cell i of what the thread has written.
template <class Put>
__host__ __device__ inline void body(Args a, int bx, int by, int tx, int ty, int X, int Y, const unsigned *in, Put put) {
  int x = bx * X + tx, y = by * Y + ty;
  if (y >= a.h)
    return;
  unsigned here = in[(y * a.w + x) % (a.w * a.h)];
  if (tx == 0 && x > 0) // the same in each row that is left
    put(0, here);
  if (tx == X - 1 && x < a.w - 1)
    put(1, here * 3);
  if (ty == 0 && y > 0)
    put(2, here * 5);
  if (tx == 0 && y % 3 == 1) // differs from row to row
    put(3, here * 7);
  if (tx == 1 && (here & 1)) // data
    put(4, here * 11);
  for (int k = 0; k < a.rounds; ++k) {
    if (tx == 2 && x > k) // all rows, in each round
      put(5, here + k);
    if (tx == 3 && y < k + 3) // fewer in each
      put(6, here ^ k);
    if (k > 2 && y % 2 == 1 && tx < 5)
      break;
    if (tx == 4 && x > 4) // odd rows have left
      put(7, here + 2 * k);
  }
  if (tx == 4 && x > 4) // all are there again
    put(8, here * 13);
  for (unsigned k = 0; k < (here & 7); ++k)
    if (tx == 5 && x > 5) // as many rounds as data say
      put(9, k + 1);
  if (tx == 5 && bx > 0)
    put(10, here * 17);
}

constexpr int Cells = 11;

struct Adder {
  unsigned *cells;
  __host__ __device__ void operator()(int i, unsigned v) const { cells[i] += v; }
};

__global__ static void kernel(Args a, const unsigned *in, unsigned *out) {
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x, t = threadIdx.y * blockDim.x + threadIdx.x;
  Adder put{out + (block * blockDim.x * blockDim.y + t) * Cells};
  body(a, blockIdx.x, blockIdx.y, threadIdx.x, threadIdx.y, blockDim.x, blockDim.y, in, put);
}

static void check(dim3 blocks, dim3 threads, int rounds) {
  Args a{int(blocks.x * threads.x), int(blocks.y * threads.y) - 3, rounds};
  unsigned count = blocks.x * blocks.y * threads.x * threads.y;
  std::vector<unsigned> in(count), want(size_t(count) * Cells, 1);
  for (unsigned i = 0; i < count; ++i)
    in[i] = i * 2654435761u >> 7;
  Buffer<unsigned> input(in), output(want);
  kernel<<<blocks, threads>>>(a, input, output);
  checkLaunch();
  for (unsigned block = 0; block < blocks.x * blocks.y; ++block)
    for (unsigned t = 0; t < threads.x * threads.y; ++t)
      body(a, block % blocks.x, block / blocks.x, t % threads.x, t / threads.x, threads.x, threads.y, in.data(),
           Adder{&want[(size_t(block) * threads.x * threads.y + t) * Cells]});
  std::vector<unsigned> got = output.get();
  for (size_t i = 0; i < want.size(); ++i)
    expect("block " + std::to_string(threads.x) + "x" + std::to_string(threads.y) + " cell " + std::to_string(i % Cells),
           (long long)(i / Cells), got[i], want[i]);
}

int main() {
  for (dim3 threads : {dim3(32, 8), dim3(16, 16), dim3(8, 4), dim3(64, 2), dim3(33, 3), dim3(10, 10), dim3(128, 1)})
    for (int rounds : {0, 1, 6})
      check(dim3(3, 2), threads, rounds);
  return finish();
}
