// NVCC: --extended-lambda --expt-relaxed-constexpr
// RUN: %heddle cc --extended-lambda --expt-relaxed-constexpr %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Templates and lambdas: extended lambdas that capture values and pointers passed to kernels, lambdas made in
// kernels, variadic templates, non-type parameters, fold expressions, constexpr functions used on the device.
#include "support.h"

template <class F> __global__ void forEach(int n, F f) {
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x)
    f(i);
}

constexpr int cube(int x) { return x * x * x; }

template <int N, class T> struct Polynomial {
  T c[N];
  __host__ __device__ T operator()(T x) const {
    T r = 0;
#pragma unroll
    for (int i = N - 1; i >= 0; i--)
      r = r * x + c[i];
    return r;
  }
};

template <class... T> __host__ __device__ auto sum(T... v) { return (v + ...); }

template <class T, class... Rest> __host__ __device__ constexpr T largest(T first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    T r = largest(rest...);
    return first > r ? first : r;
  }
}

template <class F, class... A> __device__ auto invoke(F &&f, A... a) { return f(a...); }

__global__ void inside(int *out, int n) {
  int i = threadInGrid(), hits = 0;
  auto scale = [i](int x) { return x * i; };
  auto note = [&hits](int by) { hits += by; };
  auto generic = [](auto a, auto b) { return a + b; };
  if (i >= n)
    return;
  if (i & 1)
    note(3);
  note(i);
  out[i] = invoke(scale, 5) + hits + int(generic(1.5, i)) + int(generic((unsigned char)(2), 3)) +
           largest(i, 7, 3, 40) + sum(1, 2, i) + cube(i % 10);
}

int main() {
  const int n = 1000;
  std::vector<int> in(n), want(n);
  for (int i = 0; i < n; i++)
    in[i] = i * 3 % 101;
  Buffer<int> deviceIn(in), out(n);
  int factor = 7;
  const int *source = deviceIn;
  int *target = out;
  forEach<<<3, 33>>>(n, [=] __device__(int i) { target[i] = source[i] * factor + cube(3); });
  checkLaunch();
  for (int i = 0; i < n; i++)
    want[i] = in[i] * 7 + 27;
  expectAll("extended lambda", out.get(), want);

  auto both = [factor] __host__ __device__(int x) { return x > 50 ? x - factor : x + factor; };
  Polynomial<3, int> polynomial = {{1, -2, 3}};
  forEach<<<3, 33>>>(n, [=] __device__(int i) { target[i] = both(source[i]) + polynomial(i % 20); });
  checkLaunch();
  for (int i = 0; i < n; i++)
    want[i] = both(in[i]) + polynomial(i % 20);
  expectAll("host device lambda", out.get(), want);

  inside<<<11, 100>>>(out, n);
  checkLaunch();
  for (int i = 0; i < n; i++)
    want[i] = 5 * i + i + (i & 1 ? 3 : 0) + int(1.5 + i) + 5 + (i > 40 ? i : 40) + 3 + i + cube(i % 10);
  expectAll("lambdas in kernels", out.get(), want);
  return finish();
}
