// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %heddle run -ffast-math %s
// RUN: %heddle run -fassociative-math %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's numbers into one, by trees of all shapes in shared memory and by shuffles, with all operations whose order
// is free and with float sums, whose order is free with some options only: the numbers are small integers, so that
// every order gives the same.
#include "support.h"

enum Tree { Neighbours, Strided, Halves, Shuffles, TakenTwice };
enum Operation { Add, Multiply, Xor, And, Or, Max, Min };

template <int Op, class T> __host__ __device__ static T join(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Op == Add ? a + b : Op == Max ? fmaxf(a, b) : Op == Min ? fminf(a, b) : a * b;
  } else {
    switch (Op) {
    case Add: return a + b;
    case Multiply: return a * b;
    case Xor: return a ^ b;
    case And: return a & b;
    case Or: return a | b;
    case Max: return a > b ? a : b;
    default: return a < b ? a : b;
    }
  }
}

template <int Shape, int Op, class T> __global__ static void joinBlock(const T *in, T *out) {
  __shared__ T cells[256];
  int thread = threadIdx.x, size = blockDim.x;
  cells[thread] = in[blockIdx.x * size + thread];
  __syncthreads();
  if constexpr (Shape == Neighbours) {
    for (int distance = 1; distance < size; distance *= 2) {
      if (thread % (2 * distance) == 0)
        cells[thread] = join<Op>(cells[thread], cells[thread + distance]);
      __syncthreads();
    }
  } else if constexpr (Shape == Strided) {
    for (int distance = 1; distance < size; distance *= 2) {
      int left = 2 * distance * thread;
      if (left < size)
        cells[left] = join<Op>(cells[left], cells[left + distance]);
      __syncthreads();
    }
  } else if constexpr (Shape == Shuffles) {
    T mine = cells[thread];
    for (int distance = 16; distance > 0; distance /= 2)
      mine = join<Op, T>(mine, __shfl_xor_sync(~0u, mine, distance));
    __syncthreads();
    cells[thread] = mine;
    __syncthreads();
    if (thread == 0)
      for (int warp = 1; warp < size / 32; ++warp)
        cells[0] = join<Op>(cells[0], cells[32 * warp]);
  } else {
    for (int half = size / 2; half > 0; half /= 2) {
      if (thread < half) { // TakenTwice: one number of each half counts twice, the last of each not at all
        int other = Shape == TakenTwice && thread == half - 1 ? half : thread + half;
        cells[thread] = join<Op>(cells[thread], cells[other]);
      }
      __syncthreads();
    }
  }
  if (thread == 0)
    out[blockIdx.x] = cells[0];
}

template <int Shape, int Op, class T> static T expected(const T *in, int size) {
  std::vector<T> cells(in, in + size);
  for (int half = size / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      cells[i] = join<Op>(cells[i], cells[Shape == TakenTwice && i == half - 1 ? half : i + half]);
  return cells[0];
}

template <int Shape, int Op, class T> static void check(const char *what, int size) {
  constexpr int Blocks = 37;
  Random random(Shape * 100 + Op * 10 + sizeof(T) + size);
  std::vector<T> in(Blocks * size);
  for (T &one : in) {
    if constexpr (std::is_floating_point_v<T>)
      one = T(Op == Multiply ? 1 + random.below(50) / 49 : random.below(2001) - 1000);
    else
      one = T(random.next());
  }
  Buffer<T> input(in), output(Blocks);
  joinBlock<Shape, Op><<<Blocks, size>>>(input.data, output.data);
  checkLaunch();
  std::vector<T> want(Blocks);
  for (int block = 0; block < Blocks; ++block)
    want[block] = expected<Shape, Op>(&in[block * size], size);
  expectAll(what, output.get(), want);
}

template <int Shape> static void checkShape(const char *what) {
  for (int size : {64, 256}) {
    check<Shape, Add, int>(what, size);
    check<Shape, Multiply, unsigned>(what, size);
    check<Shape, Or, long long>(what, size);
    check<Shape, Max, int>(what, size);
    check<Shape, Add, float>(what, size);
    check<Shape, Min, float>(what, size);
    check<Shape, Add, short>(what, size);
  }
}

int main() {
  checkShape<Neighbours>("neighbours");
  checkShape<Strided>("strided");
  checkShape<Halves>("halves");
  checkShape<Shuffles>("shuffles");
  checkShape<TakenTwice>("taken twice");
  return finish();
}
