// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of reciprocal roots, also of infinity, zero, negative numbers and NaN, which must come out as if each root had
// been taken by itself: a loop may sum up as if there were none of these, but must see when there are.
#include "support.h"

constexpr int Threads = 100, Terms = 64; // the last warp is not whole

__global__ void roots(const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = rsqrtf(x[i]);
}

__global__ void sums(int n, const float *x, const float *weights, float *out) {
  int t = threadIdx.x;
  float sum = 0, other = 1;
  for (int k = 0; k < n; ++k) {
    float root = rsqrtf(x[k * Threads + t]);
    sum += weights[k] * root;
    other = other * 0.5f - root;
  }
  out[t] = sum;
  out[Threads + t] = other;
}

/// Also used by what does not keep a NaN.
__global__ void most(int n, const float *x, float *out) {
  int t = threadIdx.x;
  float sum = 0, largest = 0;
  for (int k = 0; k < n; ++k) {
    float root = rsqrtf(x[k * Threads + t]);
    sum += root;
    largest = root > largest ? root : largest;
  }
  out[t] = sum;
  out[Threads + t] = largest;
}

/// The last root is wanted, and the one before.
__global__ void last(int n, const float *x, float *out) {
  int t = threadIdx.x;
  float sum = 0, root = 0, before = 0;
  for (int k = 0; k < n; ++k) {
    before = root;
    root = rsqrtf(x[k * Threads + t]);
    sum += root;
  }
  out[t] = sum;
  out[Threads + t] = root - 2 * before;
}

/// Left where the terms say so.
__global__ void until(const float *x, const int *ends, float *out) {
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < Terms; ++k) {
    if (ends[k])
      break;
    sum += rsqrtf(x[k * Threads + t]);
  }
  out[t] = sum;
}

/// Distances whose squares overflow attract nobody.
__global__ void attraction(int n, const float *places, float *out) {
  int t = threadIdx.x;
  float me = places[t], sum = 0;
  for (int k = 0; k < n; ++k) {
    float d = places[k] - me, inverse = rsqrtf(d * d + 0.01f);
    sum += d * inverse * inverse * inverse;
  }
  out[t] = sum;
}

int main() {
  const float inf = INFINITY, specials[] = {inf, 0.0f, -0.0f, -1.0f, NAN, -inf, 3e38f, 1e-40f};
  const float wanted[] = {0.0f, inf, -inf, NAN, NAN, NAN};
  for (int kind = -1; kind < 8; ++kind) { // no special value, or one, in some lanes and terms
    Random random(7 + kind);
    std::vector<float> x(Terms * Threads), weights(Terms);
    for (float &value : x)
      value = random.between(0.5, 2);
    for (float &weight : weights)
      weight = random.between(-1, 1);
    if (kind >= 0)
      for (int place : {3 * Threads + 5, 20 * Threads + 99, (Terms - 1) * Threads + 40, 17})
        x[place] = specials[kind];
    Buffer<float> in(x), factors(weights), each(Terms * Threads), out(2 * Threads);
    roots<<<Terms, Threads>>>(in.data, each.data);
    auto root = each.get();
    if (kind >= 0 && kind < 6)
      expect("root", kind, root[17], wanted[kind]);
    auto check = [&](const char *name, auto expected) {
      auto got = out.get();
      for (int t = 0; t < Threads; ++t) {
        auto [first, second] = expected(t);
        expect(name, t, got[t], first);
        expect(name, Threads + t, got[Threads + t], second);
      }
    };
    for (int n : {Terms, 21, 1}) {
      sums<<<1, Threads>>>(n, in.data, factors.data, out.data);
      check("sums", [&](int t) {
        float sum = 0, other = 1;
        for (int k = 0; k < n; ++k) {
          sum = std::fma(weights[k], root[k * Threads + t], sum);
          other = std::fma(other, 0.5f, -root[k * Threads + t]);
        }
        return std::pair(sum, other);
      });
      most<<<1, Threads>>>(n, in.data, out.data);
      check("most", [&](int t) {
        float sum = 0, largest = 0;
        for (int k = 0; k < n; ++k) {
          sum += root[k * Threads + t];
          largest = root[k * Threads + t] > largest ? root[k * Threads + t] : largest;
        }
        return std::pair(sum, largest);
      });
      last<<<1, Threads>>>(n, in.data, out.data);
      check("last", [&](int t) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += root[k * Threads + t];
        float before = n > 1 ? root[(n - 2) * Threads + t] : 0;
        return std::pair(sum, std::fma(-2.0f, before, root[(n - 1) * Threads + t]));
      });
      std::vector<int> ends(Terms, 0);
      if (n < Terms)
        ends[n] = 1;
      Buffer<int> stops(ends);
      until<<<1, Threads>>>(in.data, stops.data, out.data);
      auto got = out.get();
      for (int t = 0; t < Threads; ++t) {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += root[k * Threads + t];
        expect("until", t, got[t], sum);
      }
    }
  }
  std::vector<float> places(Threads);
  for (int i = 0; i < Threads; ++i)
    places[i] = i % 10 ? float(i) : i * 1e25f;
  Buffer<float> in(places), out(Threads);
  attraction<<<1, Threads>>>(Threads, in.data, out.data);
  auto got = out.get();
  for (int t = 0; t < Threads; ++t) {
    double sum = 0;
    for (int k = 0; k < Threads; ++k) {
      double d = places[k] - places[t], square = d * d > 3.4e38 ? INFINITY : d * d + 0.01;
      sum += d / square / std::sqrt(square);
    }
    expect("attraction", t, std::fabs(got[t] - sum) <= 1e-4 * (1 + std::fabs(sum)), true);
  }
  return finish();
}
