// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %all env HEDDLE_DISABLE=simplify-powers %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %heddle run -use_fast_math -DFAST %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers whose exponent or base the compiler knows, which it makes products and exponentials of: within the bounds of
// the CUDA guide (4 ulp of floats, 2 of doubles), and right for zeros, infinities and NaNs.
#include "support.h"

template <class T> __global__ void powers(int n, const T *x, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = pow(x[i], T(2));
  out[n + i] = pow(x[i], T(3));
  out[2 * n + i] = pow(x[i], T(4));
  out[3 * n + i] = pow(x[i], T(-1));
  out[4 * n + i] = pow(x[i], T(0.5));
  out[5 * n + i] = pow(x[i], T(1));
  out[6 * n + i] = pow(T(2), x[i]);
  out[7 * n + i] = pow(T(10), x[i]);
}

template <class T> static void check(const std::string &what, double bound, Random &random) {
  constexpr T Infinity = std::numeric_limits<T>::infinity();
  std::vector<T> x = {0, T(-0.0), 1, -1, Infinity, -Infinity, std::numeric_limits<T>::quiet_NaN(), T(0.5), 2, -2};
  for (int i = 0; i < 2000; ++i)
    x.push_back(T(random.between(-20, 20)));
  for (int i = 0; i < 500; ++i)
    x.push_back(T(std::ldexp(random.between(-1, 1), random.below(80) - 40)));
  int n = int(x.size());
  Buffer<T> in(x), out(8 * n);
  powers<<<(n + 127) / 128, 128>>>(n, in.data, out.data);
  checkLaunch();
  std::vector<T> got = out.get();
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < n; ++i) {
      static constexpr double Exponents[] = {2, 3, 4, -1, 0.5, 1};
      long double want = k < 6 ? powl(x[i], Exponents[k]) : powl(k == 6 ? 2 : 10, x[i]);
      T rounded = T(want), value = got[k * n + i];
#ifdef FAST // no denormals, 2^x and 10^x within what __powf may lose
      if (std::fabs(rounded) < std::numeric_limits<T>::min() || (k >= 6 && std::fabs(x[i]) > 10))
        continue;
      double limit = k >= 6 ? 1000 : bound;
#else
      double limit = bound;
#endif
      bool isRight = same(value, rounded);
      if (!isRight && std::isfinite(value) && std::isfinite(rounded)) {
        T ulp = std::fabs(std::nextafter(rounded, Infinity) - rounded);
        isRight = std::fabs((long double)value - want) <= limit * ulp && std::signbit(value) == std::signbit(rounded);
      }
      if (!isRight)
        report(what + " " + std::to_string(k) + " of " + show(x[i]), i, show(value), show(rounded));
    }
}

int main() {
  Random random(22);
  check<float>("float", 4, random);
  check<double>("double", 2, random);
  return finish();
}
