// RUN: %heddle cc -ffast-math %s -o %t.fast
// RUN: %widths %t.fast
// RUN: %cpu(x86-64-v3) %t.fast
// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products that all have a constant factor, and sums of which only some have it, against double precision.
#include "support.h"

constexpr int Count = 1037, Most = 61; // the last warp is not whole

/// What a thread does with the values of its row.
enum Form { Sum, TwoSums, Nested, Away, Chosen, Both, Forces, FromValue, Other, Prefix, Early, Square, Again };
constexpr Form Forms[] = {Sum,  TwoSums,   Nested, Away,   Chosen, Both,  Forces,
                          FromValue, Other, Prefix, Early, Square, Again};

__host__ __device__ inline float root(float x) {
#ifdef __CUDA_ARCH__
  return rsqrtf(x);
#else
  return float(1 / std::sqrt(double(x)));
#endif
}
__host__ __device__ inline double root(double x) { return 1 / sqrt(x); }

template <Form form, class T> __host__ __device__ T compute(const float *a, const float *b, int n, T *prefix) {
  T x = 0, y = 0, z = 0;
  if (form == FromValue)
    x = T(a[0]);
  for (int k = 0; k < n; ++k) {
    T v = a[k], w = b[k];
    if (form == Sum || form == FromValue || form == Prefix)
      x += T(1.5) * v * w * w;
    if (form == Prefix)
      prefix[k % 2] = x;
    if (form == TwoSums || form == Early) {
      T f = T(2.5) * v * w;
      x += f * v, y += f * w;
      if (form == Early && v > T(1.9))
        break;
    }
    if (form == Nested)
      for (int j = 0; j < k % 5; ++j) {
        T f = T(0.75) * v * w;
        x += f * T(b[j]), y += f * T(a[j]);
      }
    if (form == Away) {
      T f = T(-3.5) * v * w;
      x -= f * w, y += -(f * v);
    }
    if (form == Chosen) {
      T f = T(1.25) * v * w;
      x += v < w ? f * v : T(0);
      if (w < T(1.2))
        y += f * w;
    }
    if (form == Both) {
      x += T(1.5) * v * w * w + T(1.5) * v * v * w;
      if (k & 1)
        x += T(1.5) * v * v * v;
    }
    if (form == Forces) {
      T r = root(v * v + w * w), f = w * r * r * r;
      x += v * f, y += w * f, z += f;
    }
    if (form == Other) // one of the addends has another factor
      x += T(1.5) * v * w * w, x += T(2.5) * v * v * w;
    if (form == Square) {
      T f = T(1.5) * v * w;
      x += f * f;
    }
    if (form == Again) { // the sum so far is the next loop's factor
      T f = T(1.5) * v * w;
      x += f * v;
      for (int j = 0; j < 3; ++j)
        y += x * T(b[j]);
    }
  }
  for (int k = 0; form == TwoSums && k < n / 2; ++k) // goes on behind another loop
    x += T(2.5) * T(b[k]) * T(a[k]) * T(a[k]);
  return x + T(2) * y + T(3) * z;
}

template <Form form> __global__ static void sums(const float *a, const float *b, const int *lengths, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Count)
    out[3 * i] = compute<form, float>(a + Most * i, b + Most * i, lengths[i], out + 3 * i + 1);
}

template <Form form> static void check(const std::vector<float> &a, const std::vector<float> &b,
                                       const std::vector<int> &lengths) {
  Buffer<float> first(a), second(b), out(3 * Count);
  Buffer<int> ends(lengths);
  CUDA_OK(cudaMemset(out, 0, 3 * Count * sizeof(float)));
  sums<form><<<(Count + 95) / 96, 96>>>(first, second, ends, out);
  checkLaunch();
  std::vector<float> got = out.get();
  for (int i = 0; i < Count; ++i) {
    double want[3] = {0, 0, 0};
    want[0] = compute<form, double>(&a[Most * i], &b[Most * i], lengths[i], want + 1);
    for (int k = 0; k < 3; ++k)
      if (!(std::fabs(got[3 * i + k] - want[k]) <= 1e-5 * std::fabs(want[k])))
        report(("form " + std::to_string(form)).c_str(), 3 * i + k, show(got[3 * i + k]), show(want[k]));
  }
}

template <size_t... I> static void checkAll(std::index_sequence<I...>) {
  Random random(11);
  std::vector<float> a(Count * Most), b(Count * Most);
  std::vector<int> lengths(Count);
  for (float &one : a)
    one = float(random.between(1, 2));
  for (float &one : b)
    one = float(random.between(1, 2));
  for (int &one : lengths)
    one = random.below(Most + 1);
  (check<Forms[I]>(a, b, lengths), ...);
}

int main() {
  checkAll(std::make_index_sequence<std::size(Forms)>());
  return finish();
}
