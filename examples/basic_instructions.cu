// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.4, figure B.4.3 (basic PTX thread
// instructions).
//
// One thread per pair of operands applies what the figure lists (arithmetic, comparison and
// selection, logic, conversion) in every type that it lists, and the host does the same in plain
// C++.
#include "common.h"

#include <type_traits>

constexpr int Results = 20;

template <class T> __host__ __device__ T absolute(T a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else
    return a < 0 ? -a : a;
}

/// add, sub, mul, mad, div, rem, abs, neg, min, max, setp and selp, mov; integers: logic and
/// shifts.
template <class T> __host__ __device__ void applyAll(T a, T b, T c, T *d) {
  d[0] = a + b;
  d[1] = a - b;
  d[2] = a * b;
  d[5] = absolute(a);
  d[6] = -a;
  d[9] = a < b ? T(1) : T(0);
  d[10] = a >= b ? a : c;
  d[11] = a == b ? b : c;
  d[12] = a;
  if constexpr (std::is_floating_point_v<T>) {
    d[3] = fma(a, b, c);
    d[4] = a / b;
    d[7] = fmin(a, b);
    d[8] = fmax(a, b);
    d[13] = sqrt(absolute(a));
    d[14] = T(int(a)); // truncates
    d[15] = floor(a);
    d[16] = rint(a);
    d[17] = fmin(a, T(NAN)); // the operand that is a number
    d[18] = fmax(T(NAN), b);
    d[19] = T(float(c));
  } else {
    d[3] = a * b + c;
    d[4] = a / b;
    d[7] = a < b ? a : b;
    d[8] = a < b ? b : a;
    d[13] = a & b;
    d[14] = a | c;
    d[15] = a ^ b;
    d[16] = ~a;
    d[17] = !b; // cnot
    d[18] = T(std::make_unsigned_t<T>(a) << (b & 15));
    d[19] = T(a >> (b & 15)) + a % b;
  }
}

template <class T> __global__ void onDevice(const T *a, const T *b, const T *c, T *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    applyAll(a[i], b[i], c[i], d + i * Results);
}

template <class T> void run(const char *type, int n) {
  std::vector<T> a(n), b(n), c(n), want(n * Results);
  Random random(46);
  for (int i = 0; i < n; ++i) {
    a[i] = T(random.integer(-30000, 30000));
    b[i] = T(random.integer(1, 9000) * (random.integer(0, 1) ? 1 : -1));
    c[i] = T(random.integer(-30000, 30000));
    if (std::is_floating_point_v<T>) { // not whole: results are rounded, and rounded alike
      a[i] /= 7;
      b[i] /= 11;
      c[i] /= 13;
    }
    if (i % 10 == 0)
      a[i] = b[i];
    applyAll(a[i], b[i], c[i], &want[i * Results]);
  }
  T *da = toDevice(a), *db = toDevice(b), *dc = toDevice(c), *dd = zerosOnDevice<T>(n * Results);
  onDevice<<<(n + 63) / 64, 64>>>(da, db, dc, dd, n);
  check(same(toHost(dd, n * Results), want), "%d operations on %d pairs of %s", Results, n, type);
  for (T *array : {da, db, dc, dd})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  for (int n : {1, 33, 5000}) {
    run<int>("s32", n);
    run<unsigned>("u32", n);
    run<long long>("s64", n);
    run<unsigned long long>("u64", n);
    run<float>("f32", n);
    run<double>("f64", n);
  }
  return exitCode();
}
