// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer division and modulo in all widths, and by a divisor that is the same for all lanes. A division by
// zero does not trap: PTX leaves the value open. INT_MIN / -1 wraps.
#include "support.h"

#include <type_traits>

template <class T> struct Pair {
  T a, b;
};
template <class T> struct Result {
  T quotient, remainder;
};

template <class T> struct Divide {
  __host__ __device__ Result<T> operator()(Pair<T> p) const { return {T(p.a / p.b), T(p.a % p.b)}; }
};

template <class T> __global__ void divideByUniform(const T *in, T by, Result<T> *out, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = {T(in[i] / by), T(in[i] % by)};
}

/// Only that nothing traps, and that a lane beside is not disturbed.
template <class T> __global__ void divideByZero(const T *in, T *out, int n) {
  int i = threadInGrid();
  if (i < n) {
    T zero = in[i] / in[n];
    T one = in[n + 1];
    out[i] = zero == 5 ? T(in[i] / one) : T(in[i] % one + in[i]);
  }
}

template <class T> void check(const char *name, uint64_t seed) {
  Random random(seed);
  std::vector<Pair<T>> in;
  std::vector<Result<T>> want;
  for (int i = 0; i < 500; i++) {
    T a = T(random.next()), b = T(random.next() >> random.below(64));
    if (i % 7 == 0)
      a = std::numeric_limits<T>::min();
    if (i % 11 == 0)
      b = T(-1);
    if (b == 0)
      b = 3;
    in.push_back({a, b});
    if (std::is_signed_v<T> && b == T(-1))
      want.push_back({T(0 - std::make_unsigned_t<T>(a)), T(0)});
    else
      want.push_back({T(a / b), T(a % b)});
  }
  mapExpect<Divide<T>>(name, in, want, {dim3(96), dim3(33)});

  std::vector<T> values;
  for (int i = 0; i < 131; i++)
    values.push_back(T(random.next()));
  for (T by : {T(1), T(7), T(10), T(64), T(-3)}) {
    std::vector<Result<T>> uniformWant;
    for (T v : values)
      uniformWant.push_back({T(v / by), T(v % by)});
    Buffer<T> deviceValues(values);
    Buffer<Result<T>> out(values.size());
    divideByUniform<<<5, 32>>>(deviceValues.data, by, out.data, int(values.size()));
    checkLaunch();
    expectAll(std::string(name) + " uniform divisor", out.get(), uniformWant);
  }

  std::vector<T> zeros = values;
  zeros.push_back(T(0));
  zeros.push_back(T(1));
  Buffer<T> deviceZeros(zeros), out(values.size());
  divideByZero<<<5, 32>>>(deviceZeros.data, out.data, int(values.size()));
  checkLaunch();
  expectAll(std::string(name) + " by zero", out.get(), values);
}

int main() {
  check<int8_t>("int8", 11);
  check<uint8_t>("uint8", 12);
  check<int16_t>("int16", 13);
  check<uint16_t>("uint16", 14);
  check<int32_t>("int32", 15);
  check<uint32_t>("uint32", 16);
  check<int64_t>("int64", 17);
  check<uint64_t>("uint64", 18);
  return finish();
}
