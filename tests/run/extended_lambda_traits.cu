// RUN: %nvcc --extended-lambda %s -o %t
// RUN: %t
// NVCC: --extended-lambda
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The traits of extended lambdas: of which types they hold, in functions, in templates and in lambdas; and a program that
// chooses by them where a functor runs.
#include "support.h"

#define D(T) __nv_is_extended_device_lambda_closure_type(T)
#define HD(T) __nv_is_extended_host_device_lambda_closure_type(T)
#define R(T) __nv_is_extended_device_lambda_with_preserved_return_type(T)
#define NONE(T) (!D(T) && !HD(T) && !R(T))

struct Functor {
  __device__ int operator()(int x) const { return x; }
};

static auto global = [] __device__ { return 1; };
static_assert(NONE(decltype(global)) && NONE(int) && NONE(Functor) && NONE(void (*)()));

__device__ void onDevice() {
  auto d = [] __device__ { return 1; };
  auto plain = [] { return 1; };
  static_assert(NONE(decltype(d)) && NONE(decltype(plain)));
}

__host__ __device__ void onBoth() {
  auto d = [] __device__ { return 1; };
  static_assert(D(decltype(d)));
}

template <class T> void inTemplate(T v) {
  auto d = [=] __device__(int x) { return x * v; };
  auto both = [=] __host__ __device__(int x) { return x * v; };
  auto host = [=](int x) { return x * v; };
  auto generic = [=] __device__(auto x) { return x * v; };
  static_assert(D(decltype(d)) && !HD(decltype(d)) && HD(decltype(both)) && !D(decltype(both)));
  static_assert(NONE(decltype(host)) && D(decltype(generic)));
}

template <class F> __global__ void run(F f, int *out) { out[0] = f(4); }

template <class F> int runAnywhere(F f, int *out) {
  if constexpr (D(F) || HD(F)) {
    run<<<1, 1>>>(f, out);
    checkLaunch();
    return 1;
  } else {
    return 0;
  }
}

int main() {
  int k = 5;
  auto d = [=] __device__(int x) { return x * k; };
  auto both = [=] __host__ __device__(int x) { return x + k; };
  auto host = [=](int x) { return x - k; };
  auto returns = [=] __device__(int x) -> double { return x; };
  auto changes = [=] __device__(int x) mutable { return x; };
  static_assert(D(decltype(d)) && !HD(decltype(d)) && !R(decltype(d)) && !D(decltype((d))));
  static_assert(HD(decltype(both)) && !D(decltype(both)) && NONE(decltype(host)));
  static_assert(D(decltype(returns)) && R(decltype(returns)) && D(decltype(changes)));
  auto around = [=](int x) {
    auto inner = [=] __device__(int y) { return y; };
    static_assert(D(decltype(inner)));
    return x;
  };
  inTemplate(3);
  inTemplate(2.0);
  expect("around", 0, around(3), 3);

  Buffer<int> out(1);
  expect("device", 0, runAnywhere(d, out), 1);
  expect("device", 1, out.get()[0], 20);
  expect("both", 0, runAnywhere(both, out), 1);
  expect("both", 1, out.get()[0], 9);
  expect("host", 0, runAnywhere(host, out), 0);
#ifndef __NVCC_DIAG_PRAGMA_SUPPORT__
  expectTrue("a macro", false);
#endif
  return finish();
}
