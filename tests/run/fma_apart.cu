// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, sums and differences with a named rounding (__fmul_rn, __hsub_rn, ...) are never parts of a fused
// operation, whatever they are an operand of; what has none is fused around them. The host computes each with a
// rounding of its own, or with fma.
#include "support.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// What the host rounds is in memory, where nothing is fused.
template <class T> __host__ T rounded(T value) {
  volatile T kept = value;
  return kept;
}

#ifdef __CUDA_ARCH__
#define HEDDLE_FORM(T, name, device, host)                                                                   \
  __host__ __device__ inline T name(T a, T b) { return device(a, b); }
#define HEDDLE_PLAIN(T, host) return a *b + c;
#else
#define HEDDLE_FORM(T, name, device, host)                                                                   \
  __host__ __device__ inline T name(T a, T b) { return host; }
#define HEDDLE_PLAIN(T, host) return host;
#endif
#define HEDDLE_FORMS(T, multiply, plus, minus, fused)                                                        \
  HEDDLE_FORM(T, product, multiply, rounded<T>(a * b))                                                       \
  HEDDLE_FORM(T, sum, plus, rounded<T>(a + b))                                                               \
  HEDDLE_FORM(T, difference, minus, rounded<T>(a - b))                                                       \
  /** With one rounding. */                                                                                  \
  __host__ __device__ inline T fuse(T a, T b, T c) { HEDDLE_PLAIN(T, fused) }

// In float a product of halves is exact, and the host rounds what follows; of bfloat16 so it is in double.
HEDDLE_FORMS(float, __fmul_rn, __fadd_rn, __fsub_rn, std::fma(a, b, c))
HEDDLE_FORMS(double, __dmul_rn, __dadd_rn, __dsub_rn, std::fma(a, b, c))
HEDDLE_FORMS(__half, __hmul_rn, __hadd_rn, __hsub_rn, __hfma(a, b, c))
HEDDLE_FORMS(__nv_bfloat16, __hmul_rn, __hadd_rn, __hsub_rn, __hfma(a, b, c))

__host__ __device__ inline float magnitude(float x) { return fabsf(x); }
__host__ __device__ inline double magnitude(double x) { return fabs(x); }
__host__ __device__ inline __half magnitude(__half x) { return __habs(x); }
__host__ __device__ inline __nv_bfloat16 magnitude(__nv_bfloat16 x) { return __habs(x); }

/// Sums that the host rounds once, whose operands are no products of its own: __fadd_rn is not meant.
template <class T> __host__ __device__ T plus(T a, T b) {
#ifdef __CUDA_ARCH__
  return a + b;
#else
  return sum(a, b);
#endif
}
template <class T> __host__ __device__ T minus(T a, T b) {
#ifdef __CUDA_ARCH__
  return a - b;
#else
  return difference(a, b);
#endif
}

template <class T> struct In {
  T a, b, c;
};
constexpr int Forms = 24;
template <class T> struct Out {
  T values[Forms];
};

template <class T> struct Apart {
  __host__ __device__ Out<T> operator()(In<T> in) const {
    T a = in.a, b = in.b, c = in.c, two = T(2.0f), minusOne = T(-1.0f), third = T(0.3333f);
    T chain = a, turns = c, mixed = a;
    for (int i = 0; i < 5; ++i) {
      chain = minus(chain, product(-b, c));
      turns = i & 1 ? plus(turns, product(a, -turns)) : minus(turns, product(-turns, b));
      mixed = fuse(mixed, b, product(mixed, -c));
    }
    return {{
        // Negated.
        minus(a, product(-b, c)),
        minus(a, product(b, -c)),
        minus(a, -product(b, c)),
        plus(a, -product(b, c)),
        plus(a, product(-b, -c)),
        minus(-product(b, c), a),
        minus(product(-b, c), -a),
        // By constants, which LLVM takes for sums, negations and quotients.
        minus(a, product(product(b, c), minusOne)),
        minus(a, product(product(b, minusOne), c)),
        plus(a, product(product(b, c), two)),
        plus(product(b, third), product(c, third)),
        minus(product(a, b), product(a, c)),
        minus(a, product(-third, b)),
        // Of magnitudes and choices.
        minus(a, magnitude(product(-b, c))),
        minus(a, product(-magnitude(b), c)),
        minus(a, b > c ? product(-b, c) : product(b, -c)),
        plus(a, c > b ? -product(b, c) : product(b, c)),
        // Sums and differences beneath and above products.
        fuse(sum(a, -b), c, product(-a, b)),
        sum(a, fuse(b, -c, -a)),
        difference(a, product(-b, c)),
        fuse(-a, b, -product(-b, c)),
        // In loops.
        chain,
        turns,
        mixed,
    }};
  }
};

template <class T> __global__ void kernel(const In<T> *in, Out<T> *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = Apart<T>()(in[i]);
}

double number(float x) { return x; }
double number(double x) { return x; }
double number(__half x) { return __half2float(x); }
double number(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class T> void check(const std::string &name) {
  Random random(7);
  std::vector<In<T>> in;
  for (int i = 0; i < 400; ++i) {
    T a = T(float(random.between(-2, 2))), b = T(float(random.between(-2, 2))),
      c = T(float(random.between(-2, 2)));
    if (i & 1) // a sum shows what rounding has taken from the product
      a = i & 2 ? product(b, c) : -product(b, c);
    in.push_back({a, b, c});
  }
  Buffer<In<T>> deviceIn(in);
  Buffer<Out<T>> out(in.size());
  for (int threads : {96, 33}) {
    kernel<<<(in.size() + threads - 1) / threads, threads>>>(deviceIn.data, out.data, int(in.size()));
    checkLaunch();
    std::vector<Out<T>> got = out.get();
    for (size_t i = 0; i < in.size(); ++i) {
      Out<T> want = Apart<T>()(in[i]);
      for (int form = 0; form < Forms; ++form)
        expect(name + ", form " + std::to_string(form), int(i), number(got[i].values[form]),
               number(want.values[form]));
    }
  }
}

int main() {
  check<float>("float");
  check<double>("double");
  check<__half>("half");
  check<__nv_bfloat16>("bfloat16");
  return finish();
}
