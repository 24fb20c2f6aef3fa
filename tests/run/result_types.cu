// NVCC: --extended-lambda
// RUN: %heddle cc -std=c++17 -Wno-deprecated-declarations --extended-lambda %s -o %t.17 && %t.17
// RUN: %heddle cc -std=c++20 --extended-lambda %s -o %t.20 && %t.20
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code asks the standard library's traits what calls of device functions return: of functors
// and of lambdas that only the device has. Also std::swap, which the same headers declare, and a
// template's member that is named with `template` and without arguments.
#include "support.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>

#if __cplusplus < 202002L
template <class F, class... A> using Result = typename std::result_of<F(A...)>::type;
#else
template <class F, class... A> using Result = std::invoke_result_t<F, A...>;
#endif
static_assert(std::is_invocable_v<float (*)(int), int>, "");

template <class T> struct Difference {
  __device__ T operator()(T a, T b) const { return a - b; }
};
struct Later {
  __device__ short operator()(int a, int b) const;
};
__device__ short Later::operator()(int a, int b) const { return short(a + b + threadIdx.x); }

template <class T> struct Maker {
  template <class U> static __host__ __device__ T make(U value) { return T(value); }
};
template <class T, class U> __host__ __device__ T made(U value) {
  return Maker<T>::template make(value);
}

template <class F, class O = Result<F, int, int>> __global__ void call(F f, O *out, int a, int b) {
  Result<F, int, int> result = f(a, b);
  *out = made<O>(result);
}

template <class Expected, class F> void check(const char *what, F f, Expected expected) {
  using O = Result<F, int, int>;
  static_assert(std::is_same<O, Expected>::value, "");
  Buffer<O> out(1);
  call<<<1, 1>>>(f, static_cast<O *>(out), 7, 3);
  checkLaunch();
  expect(what, 0, out.get()[0], expected);
}

struct Swapped {
  int value;
};
namespace std {
template <> void swap(Swapped &a, Swapped &b) noexcept {
  a.value = 20;
  b.value = 10;
}
} // namespace std

int main() {
  check<int>("functor", Difference<int>{}, 4);
  check<double>("functor of another type", Difference<double>{}, 4.0);
  check<short>("function that is defined behind the class", Later{}, 10);
  double factor = 0.5;
  check<double>("lambda", [=] __device__(int a, int b) { return a * b * factor; }, 10.5);
  Swapped a{1}, b{2};
  std::swap(a, b);
  expect("specialized swap", 0, a.value, 20);
  int c = 1, d = 2;
  std::swap(c, d);
  expect("swap", 0, c * 10 + d, 21);
  return finish();
}
