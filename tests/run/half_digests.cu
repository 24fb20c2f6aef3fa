// RUN: %heddle cc -std=c++17 --extended-lambda -o %t %s
// RUN: %widths %t > %t.out && diff %t.out %S/Inputs/half_digests.txt
// RUN: %all env HEDDLE_DISABLE=native-halves %t > %t.out && diff %t.out %S/Inputs/half_digests.txt
// RUN: %heddle cc -std=c++17 --extended-lambda -fmad=false -o %t %s
// RUN: %t > %t.out && diff %t.out %S/Inputs/half_digests_apart.txt
// NVCC: --extended-lambda
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// half, bfloat16 and fp8 to the last bit: digests of results over many inputs are those that an H200 gave, with and
// without contraction of products and sums (CUDA 13.0, -arch=sm_90).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "support.h"

#define ON_DEVICE [] __device__

template <class T> __host__ __device__ T fromBits(unsigned short bits) {
  T t;
  memcpy(&t, &bits, 2);
  return t;
}
template <class T> __host__ __device__ unsigned short toBits(T t) {
  unsigned short bits;
  memcpy(&bits, &t, 2);
  return bits;
}
template <class R> __device__ uint64_t wordOf(R r) { return uint64_t(r); }
__device__ uint64_t wordOf(__half r) { return toBits(r); }
__device__ uint64_t wordOf(__nv_bfloat16 r) { return toBits(r); }
__device__ uint64_t wordOf(__half2 r) { return toBits(r.x) | uint64_t(toBits(r.y)) << 16; }
__device__ uint64_t wordOf(__nv_bfloat162 r) { return toBits(r.x) | uint64_t(toBits(r.y)) << 16; }

template <class F, class In> __global__ void apply(F f, const In *in, uint64_t *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = wordOf(f(in[i]));
}

template <class In, class F> void digest(const char *type, const char *name, const std::vector<In> &in, F f) {
  Buffer<In> from(in);
  Buffer<uint64_t> to(in.size());
  apply<<<(in.size() + 255) / 256, 256>>>(f, from.data, to.data, int(in.size()));
  checkLaunch();
  uint64_t hash = 14695981039346656037ull;
  for (uint64_t word : to.get())
    hash = (hash ^ word) * 1099511628211ull;
  std::printf("%s %s %016llx\n", type, name, (unsigned long long)hash);
}

struct Four {
  unsigned short a, b, c, d;
};

/// Random bit patterns, a part of them near each other in size, some special ones.
static std::vector<Four> fours(int digits, int bias) {
  Random random(77);
  std::vector<Four> in;
  const unsigned short special[] = {0,      0x8000, 1,      0x8001, 0x7c00, 0xfc00,
                                    0x7fff, 0xfe01, 0x7f80, 0xff80, 0x3c00, 0x3f80};
  for (int i = 0; i < 20000; i++) {
    unsigned short v[4];
    int spread = i % 4 == 1 ? 2 : i % 4 == 2 ? 6 : 10;
    for (unsigned short &bits : v) {
      bits = (unsigned short)random.bits();
      if (i % 64 == 0)
        bits = special[random.below(12)];
      else if (i % 4)
        bits = (unsigned short)((bits & 0x8000) | (bias + random.below(2 * spread + 1) - spread) << digits |
                                (bits & ((1 << digits) - 1)));
    }
    in.push_back({v[0], v[1], v[2], v[3]});
  }
  return in;
}

template <class T, class T2> void arithmetic(const char *type, int digits, int bias) {
  std::vector<Four> in = fours(digits, bias);
#define SCALAR(expression)                                                                         \
  digest(type, #expression, in, ON_DEVICE(Four v) {                                                \
    T a = fromBits<T>(v.a), b = fromBits<T>(v.b), c = fromBits<T>(v.c), d = fromBits<T>(v.d);      \
    (void)c, (void)d;                                                                              \
    return expression;                                                                             \
  })
  SCALAR(a * b);
  SCALAR(a + b);
  SCALAR(a / b);
  SCALAR(-a);
  SCALAR(a * b + c);
  SCALAR(a * b - c);
  SCALAR(c - a * b);
  SCALAR(a * b + c * d);
  SCALAR(a * b - c * d);
  SCALAR(-(a * b) + c);
  SCALAR((a * b + c) * d + a);
  SCALAR((c += a * b, c -= b * d, c));
  SCALAR(__hadd(__hmul(a, b), c));
  SCALAR(__hadd_rn(__hmul(a, b), c));
  SCALAR(__hadd(__hmul_rn(a, b), c));
  SCALAR(__hadd_sat(__hmul(a, b), c));
  SCALAR(__hsub_sat(__hmul(a, b), c));
  SCALAR(__hadd(__hmul_sat(a, b), c));
  SCALAR(__habs(a *b) + c);
  SCALAR(T(float(a) * float(b)) + c);
  SCALAR(__hfma(a, b, c));
  SCALAR(__hfma_sat(a, b, c));
  SCALAR(__hfma_relu(a, b, c));
  SCALAR(__hmin_nan(a, b));
#define PAIR(expression)                                                                           \
  digest(type, #expression, in, ON_DEVICE(Four v) {                                                \
    T2 a, b, c;                                                                                    \
    a.x = fromBits<T>(v.a), a.y = fromBits<T>(v.b), b.x = fromBits<T>(v.b);                        \
    b.y = fromBits<T>(v.c), c.x = fromBits<T>(v.c), c.y = fromBits<T>(v.d);                        \
    return expression;                                                                             \
  })
  PAIR(a *b + c);
  PAIR(__hsub2(__hmul2(a, b), c));
  PAIR(__hadd2_rn(__hmul2(a, b), c));
  PAIR(__hfma2_relu(a, b, c));
  PAIR(__hcmadd(a, b, c));
}

static void conversions() {
  Random random(5);
  std::vector<double> doubles;
  for (int i = 0; i < 20000; i++) { // on, beside and far from the middle between two small numbers
    int exponent = random.below(44) - 30;
    double x = std::ldexp(double(random.below(1 << (2 + i % 12))), exponent);
    doubles.push_back(i & 1 ? -x : x);
    doubles.push_back(std::nextafter(x, i & 2 ? 0.0 : INFINITY));
    exponent = random.below(40) - 20;
    doubles.push_back(std::ldexp(random.between(-1, 1), exponent));
  }
  std::vector<unsigned short> halves(65536);
  for (int i = 0; i < 65536; i++)
    halves[i] = (unsigned short)i;
  std::vector<unsigned char> bytes(256);
  for (int i = 0; i < 256; i++)
    bytes[i] = (unsigned char)i;
  digest("half", "of double", doubles, ON_DEVICE(double x) { return __double2half(x); });
  digest("bfloat16", "of double", doubles, ON_DEVICE(double x) { return __double2bfloat16(x); });
#define FP8(T, kind)                                                                               \
  digest(#T, "of double", doubles, ON_DEVICE(double x) { return unsigned(T(x).__x); });            \
  digest(#T, "of float", doubles, ON_DEVICE(double x) { return unsigned(T(float(x)).__x); });      \
  digest(#T, "of int", doubles, ON_DEVICE(double x) { return unsigned(T(int(x)).__x); });          \
  digest(#T, "of half", halves, ON_DEVICE(unsigned short x) { return unsigned(T(fromBits<__half>(x)).__x); }); \
  digest(#T, "of half, not saturated", halves, ON_DEVICE(unsigned short x) {                       \
    return unsigned(__nv_cvt_halfraw_to_fp8(fromBits<__half_raw>(x), __NV_NOSAT, kind));           \
  });                                                                                              \
  digest(#T, "of bfloat16", halves, ON_DEVICE(unsigned short x) { return unsigned(T(fromBits<__nv_bfloat16>(x)).__x); }); \
  digest(#T, "to half", bytes, ON_DEVICE(unsigned char x) { return unsigned(__nv_cvt_fp8_to_halfraw(x, kind).x); }); \
  digest(#T, "to int", bytes, ON_DEVICE(unsigned char x) {                                         \
    T value;                                                                                       \
    value.__x = x;                                                                                 \
    return int(value);                                                                             \
  })
  FP8(__nv_fp8_e4m3, __NV_E4M3);
  FP8(__nv_fp8_e5m2, __NV_E5M2);
  digest("__nv_fp8x4_e4m3", "of float4", doubles, ON_DEVICE(double x) {
    return unsigned(__nv_fp8x4_e4m3(make_float4(float(x), float(-x), float(x * 2), float(x / 2))).__x);
  });
}

int main() {
  arithmetic<__half, __half2>("half", 10, 15);
  arithmetic<__nv_bfloat16, __nv_bfloat162>("bfloat16", 7, 127);
  conversions();
  return failures() ? 1 : 0;
}
