// RUN: %nvcc -std=c++17 -arch=sm_90 --extended-lambda --expt-relaxed-constexpr -c %s -o %t.o
// RUN: %nvcc -std=c++20 -arch=sm_90 --extended-lambda --expt-relaxed-constexpr -c %s -o %t.o
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls as programs write them: every overload by its argument types, keywords in all their places.
// nvcc takes this file too.
#include <algorithm>
#include <array>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <type_traits>
#include <utility>
__managed__ int counter;
__device__ __managed__ float mv[4];
__device__ __constant__ float cc[4];
struct P {
  float x;
  __host__ __device__ P(float a = 0) : x(a) {}
  __host__ __device__ P &operator+=(const P &o) {
    x += o.x;
    return *this;
  }
};
__global__ void __launch_bounds__(256, 2) l2(int *p) {
  if (p)
    *p = 1;
}
__global__ void __launch_bounds__(256, 2, 1) l3(int *p) { *p = 1; }
__global__ __maxnreg__(64) void mr(int *p) { *p = 1; }
__global__ void gc(const __grid_constant__ P p, float *o) { *o = p.x; }
__device__ __noinline__ int nin(int a) { return a + 1; }
__device__ __forceinline__ int fin(int a) { return a + 1; }
static __device__ __inline__ int sin_(int a) { return a; }
__device__ int pure(int) __nv_pure__;
__device__ int pure(int a) { return a * 2; }
template <class T> __device__ void shuf(T v, T *o) {
  unsigned m = 0xffffffffu;
  o[0] = __shfl_sync(m, v, 0);
  o[1] = __shfl_up_sync(m, v, 1u);
  o[2] = __shfl_down_sync(m, v, 1);
  o[3] = __shfl_xor_sync(m, v, 1, 16);
}
template <class T> __device__ void ld(const T *p, T *o) {
  o[0] = __ldg(p);
  o[1] = __ldg(&p[1]);
  o[2] = __ldcg(p);
  o[3] = __ldcs(p);
  o[4] = __ldca(p);
  o[5] = __ldcv(p);
  o[6] = __ldlu(p);
  __stcg(o, *p);
  __stcs(o, *p);
  __stwb(o, *p);
  __stwt(o, *p);
}
template <class T> __global__ void kshuf(T *o) { shuf(o[5], o); }
template <class T> __global__ void kld(const T *p, T *o) { ld(p, o); }
template __global__ void kshuf<int>(int *);
template __global__ void kshuf<unsigned>(unsigned *);
template __global__ void kshuf<float>(float *);
template __global__ void kshuf<double>(double *);
template __global__ void kshuf<long>(long *);
template __global__ void kshuf<unsigned long>(unsigned long *);
template __global__ void kshuf<long long>(long long *);
template __global__ void kshuf<unsigned long long>(unsigned long long *);
template __global__ void kshuf<__half>(__half *);
template __global__ void kshuf<__half2>(__half2 *);
template __global__ void kshuf<__nv_bfloat16>(__nv_bfloat16 *);
template __global__ void kshuf<__nv_bfloat162>(__nv_bfloat162 *);
#define LD(T) template __global__ void kld<T>(const T *, T *);
LD(char)
LD(signed char) LD(unsigned char) LD(short) LD(unsigned short) LD(int) LD(unsigned) LD(long)
    LD(unsigned long) LD(long long) LD(unsigned long long) LD(float) LD(double) LD(char2) LD(uchar2)
        LD(short2) LD(ushort2) LD(int2) LD(uint2) LD(longlong2) LD(ulonglong2) LD(float2)
            LD(double2) LD(char4) LD(uchar4) LD(short4) LD(ushort4) LD(int4) LD(uint4) LD(float4)
                LD(__half) LD(__half2) LD(__nv_bfloat16) LD(__nv_bfloat162) __global__
    void at(int *i, unsigned *u, unsigned long long *ull, float *f, double *d, __half *h,
            __half2 *h2, __nv_bfloat16 *b, __nv_bfloat162 *b2, float2 *f2, float4 *f4,
            long long *ll, unsigned short *us) {
  atomicAdd(i, 1);
  atomicAdd(u, 1);
  atomicAdd(u, 1u);
  atomicAdd(ull, 1ull);
  atomicAdd(f, 1);
  atomicAdd(f, 1.0);
  atomicAdd(d, 1);
  atomicAdd(h, __float2half(1));
  atomicAdd(h2, __float2half2_rn(1));
  atomicAdd(b, __float2bfloat16(1));
  atomicAdd(b2, __float2bfloat162_rn(1));
  atomicAdd(f2, make_float2(1, 2));
  atomicAdd(f4, make_float4(1, 2, 3, 4));
  atomicSub(i, 1);
  atomicExch(f, 1.f);
  atomicExch(i, 2);
  atomicMin(ll, 1ll);
  atomicMax(ll, 2);
  atomicCAS(us, (unsigned short)1, (unsigned short)2);
  atomicCAS(ull, 1ull, 2ull);
  atomicCAS(i, 0, 1);
  atomicInc(u, 5);
  atomicDec(u, 5);
  atomicAnd(i, 1);
  atomicOr(u, 1);
  atomicXor(ull, 1);
  atomicAdd_block(i, 1);
  atomicAdd_system(f, 1.f);
}
__global__ void mm(int *o, float *f, double *d) {
  int i = o[0];
  unsigned u = o[1];
  long l = o[2];
  unsigned long ul = o[3];
  long long ll = o[4];
  unsigned long long ull = o[5];
  size_t sz = ul;
  short s = i;
  unsigned char c = i;
  char ch = i;
  float a = f[0];
  double b = d[0];
  o[10] = min(i, u) + max(u, i) + min(i, 3) + max(l, ul) + min(ll, ull) + max(sz, ul) +
          min(ul, sz) + min(ll, ll) + min(1u, 2u);
  o[11] = min(s, s) + max(c, c) + min(ch, ch);
  f[1] = min(a, a) + max(a, 1.0f) + fmaxf(a, 1) + fmin(a, b) + min(b, a) + max(1.0, b) +
         fmaxf(i, a) + fminf(a, b);
  o[12] = abs(i) + labs(l) + llabs(ll) + abs(l) + abs(ll) + abs(a) + abs(b) + fabs(a) + fabs(b) +
          fabsf(a);
  f[2] = pow(a, 2) + pow(a, i) + pow(i, i) + pow(2, i) + pow(b, i) + powf(a, 2) + pow(a, b) +
         pow(2.0, i);
  f[3] = sqrt(a) + sqrt(i) + sqrtf(i) + sin(a) + cos(b) + exp(a) + log(i) + floor(a) + ceil(b) +
         floorf(a) + rsqrt(a) + rsqrtf(a) + fmod(a, b) + fmodf(a, a) + std::sqrt(a) + std::sqrt(i) +
         std::pow(a, 2) + std::pow(a, a) + std::pow(b, 2) + std::abs(a) + std::abs(i) +
         std::abs(ll) + std::fabs(a) + std::sin(a) + std::exp(b) + std::log2(a) + std::isnan(a) +
         std::isinf(b) + isnan(a) + isinf(b) + isfinite(a) + signbit(a) + std::signbit(b) +
         std::floor(a) + std::round(a) + std::lround(a) + std::fmax(a, a) + std::fma(a, a, a) +
         std::tanh(a) + std::atan2(a, a) + std::hypot(a, a) + std::copysign(a, a) + std::cbrt(a) +
         std::erf(a) + std::ldexp(a, 2) + std::fmod(a, a) + std::trunc(b);
  o[13] = std::min(i, 3) + std::max(i, o[2]) + std::min<int>(u, i);
  int t = 1;
  o[14] = std::move(t) + std::forward<int>(t);
  auto pr = std::make_pair(1, 2.f);
  o[15] = pr.first;
  o[16] = std::numeric_limits<int>::max();
  f[4] = std::numeric_limits<float>::infinity() + std::numeric_limits<double>::epsilon();
  std::array<int, 4> ar{};
  ar[1] = 2;
  o[17] = ar[1];
  o[18] = std::clamp(i, 0, 10);
  o[19] = __popc(u) + __popcll(ull) + __clz(i) + __clzll(ll) + __ffs(i) + __ffsll(ll) + __brev(u) +
          __brevll(ull) + __mul24(i, i) + __umul24(u, u) + __mulhi(i, i) + __umulhi(u, u) +
          __mul64hi(ll, ll) + __umul64hi(ull, ull) + __sad(i, i, u) + __usad(u, u, u) +
          __byte_perm(u, u, 0x3210) + __funnelshift_l(u, u, 3) + __funnelshift_r(u, u, 3) +
          __funnelshift_lc(u, u, 3) + __dp4a(i, i, i) +
          __dp2a_lo(make_short2(1, 2), make_char4(1, 2, 3, 4), 1) + __hadd(i, i) + __rhadd(i, i) +
          __uhadd(u, u) + __urhadd(u, u);
  o[20] = __float2int_rn(a) + __float2uint_rz(a) + __int_as_float(i) + __float_as_int(a) +
          __float_as_uint(a) + __double2hiint(b) + __double2loint(b) + __hiloint2double(1, 2) +
          __double_as_longlong(b) + __longlong_as_double(ll) + __float2ll_rn(a) +
          __double2int_rd(b) + __uint_as_float(u);
  o[21] = __builtin_popcount(u) + __builtin_clz(u) + __builtin_expect(i, 0) + __builtin_ffs(i);
  __builtin_assume(i > 0);
  if (__builtin_expect(i == 5, 0))
    __builtin_unreachable();
  f[5] = __saturatef(a) + __fdividef(a, a) + __expf(a) + __logf(a) + __powf(a, a) + __sinf(a) +
         __cosf(a) + __tanf(a) + __exp10f(a) + __log2f(a) + __log10f(a) + __frcp_rn(a) +
         __fsqrt_rn(a) + __frsqrt_rn(a) + __fmaf_rn(a, a, a) + __fadd_rn(a, a) + __fmul_rz(a, a) +
         __fdiv_rn(a, a) + norm3df(a, a, a) + rnorm3df(a, a, a) + rhypotf(a, a) + sinpif(a) +
         cospif(a) + exp10f(a) + erfcinvf(a) + normcdff(a) + cyl_bessel_i0f(a) + j0f(a) +
         tgammaf(a) + nextafterf(a, a) + nearbyintf(a) + rintf(a) + lrintf(a) + llrintf(a) +
         ilogbf(a) + logbf(a) + scalbnf(a, 1) + fdimf(a, a) + remainderf(a, a);
  float sn, cs;
  sincosf(a, &sn, &cs);
  __sincosf(a, &sn, &cs);
  sincospif(a, &sn, &cs);
  sincos(a, &sn, &cs);
  double ds, dc;
  sincos(b, &ds, &dc);
  int e;
  frexpf(a, &e);
  float ip;
  modff(a, &ip);
  remquof(a, a, &e);
}
int main() {
  auto lam = [=] __host__ __device__(int x) { return x + 1; };
  auto dl = [] __device__(int x) { return x * 2; };
  (void)dl;
  return lam(1) - 2 + min(1, 2u) - 1 + max(1.0f, 1.0) - 1;
}
