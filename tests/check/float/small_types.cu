// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %check --tool floatcheck %s %t | FileCheck %s
// CHECK: Infinity appears, in kernel doubled
// CHECK: 60000 * 2 = inf
// CHECK: Infinity appears, in kernel narrowed
// CHECK: 70000 as a half
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half, bfloat16 and fp8, scalars and pairs, each beside its correct twin.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void doubled(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = in[t] * __float2half(2.0f); // error: infinity
}
__global__ void halved(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = in[t] * __float2half(0.5f) + in[31 - t] - in[t];
}

__global__ void difference(__half *out, const __half *in) {
  int t = threadIdx.x;
  __half most = __hadd(in[t], __float2half(65504.0f)); // error: infinity
  out[t] = most - most; // error: nan
}

__global__ void fused(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = __hfma(in[t], in[t], in[t]); // error: infinity
}
__global__ void saturated(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = __hmin(__hdiv(in[t], __float2half(4.0f)), __float2half(1.0f));
}

__global__ void quotient(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = in[t] / (in[t] - in[t]); // error: division-by-zero
}
__global__ void quotientGuarded(__half *out, const __half *in) {
  int t = threadIdx.x;
  __half d = in[t] - in[0];
  out[t] = __hgt(d, __float2half(0.0f)) ? in[t] / d : d;
}

__global__ void pairs(__half2 *out, const __half2 *in) {
  int t = threadIdx.x;
  out[t] = __hmul2(in[t], in[t]); // error: infinity
}
__global__ void pairsAdded(__half2 *out, const __half2 *in) {
  int t = threadIdx.x;
  out[t] = __hsub2(in[t], __hadd2(in[t], __float2half2_rn(1.0f)));
}

__global__ void functions(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = hexp(in[t]); // error: infinity
}
__global__ void functionsLess(__half *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = hsin(in[t]) + htanh(in[t]) + hsqrt(in[t]) + hrcp(in[t] + __float2half(1.0f));
}

__global__ void narrowed(__half *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __float2half(in[t]); // error: infinity
}
__global__ void narrowedTowardZero(__half *out, const float *in) { // the largest number
  int t = threadIdx.x;
  out[t] = __float2half_rz(in[t]);
}
__global__ void narrowedPair(__half2 *out, const float2 *in) {
  int t = threadIdx.x;
  out[t] = __float22half2_rn(in[t]); // error: infinity
}
/// An infinity that is there already is passed on.
__global__ void passedOn(__half *out, const float *in) {
  int t = threadIdx.x;
  __half all = __float2half(t == 3 ? __int_as_float(0x7f800000) : 1.0f);
  out[t] = all * all + __ushort_as_half(0x7e00);
}

__global__ void counted(short *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = __half2short_rz(in[t]); // error: invalid-conversion
}
__global__ void countedInt(int *out, const __half *in) {
  int t = threadIdx.x;
  out[t] = __half2int_rz(in[t]);
}

__global__ void brain(__nv_bfloat16 *out, const __nv_bfloat16 *in) {
  int t = threadIdx.x;
  __nv_bfloat16 x = in[t];
  for (int i = 0; i < 4; i++)
    x = x * x; // error: infinity
  out[t] = x;
}
__global__ void brainLess(__nv_bfloat16 *out, const __nv_bfloat16 *in) {
  int t = threadIdx.x;
  out[t] = in[t] * in[t] + __float2bfloat16(1.5f);
}
__global__ void brainPairs(__nv_bfloat162 *out, const __nv_bfloat162 *in) {
  int t = threadIdx.x;
  __nv_bfloat162 x = __hmul2(in[t], in[t]);
  x = __hmul2(x, x);
  x = __hmul2(x, x);
  out[t] = __hmul2(x, x); // error: infinity
}
__global__ void brainNarrowed(__nv_bfloat16 *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __float2bfloat16(in[t] * 4.86e33f); // error: infinity
}

__global__ void eighth(__nv_fp8_storage_t *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __nv_cvt_float_to_fp8(in[t], __NV_NOSAT, __NV_E4M3); // error: nan
}
__global__ void eighthWide(__nv_fp8_storage_t *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __nv_cvt_float_to_fp8(in[t], __NV_NOSAT, __NV_E5M2); // error: infinity
}
__global__ void eighthSaturated(__nv_fp8_e4m3 *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __nv_fp8_e4m3(in[t]);
}
__global__ void eighthSmall(__nv_fp8_storage_t *out, const float *in) {
  int t = threadIdx.x;
  out[t] = __nv_cvt_float_to_fp8(in[t] / 200, __NV_NOSAT, __NV_E4M3);
}

constexpr int Threads = 32;
template <class T, class F> T *numbers(F &&number) {
  T host[Threads], *device;
  for (int i = 0; i < Threads; i++)
    host[i] = number(i);
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}
template <class T, class U> void run(void (*kernel)(T *, const U *), U *in) {
  T *out;
  cudaMalloc(&out, Threads * sizeof(T));
  kernel<<<1, Threads>>>(out, in);
  cudaFree(out);
}

int main() {
  __half *large = numbers<__half>([](int i) { return __float2half(i == 5 ? 60000.0f : i); });
  __half2 *pair = numbers<__half2>([](int i) { return __floats2half2_rn(i, i == 5 ? 600.0f : 1.0f); });
  float *wide = numbers<float>([](int i) { return i == 5 ? 70000.0f : 1.0f * i; });
  float2 *wide2 = numbers<float2>([](int i) { return make_float2(i, i == 5 ? 70000 : i); });
  run(doubled, large);
  run(halved, large);
  run(difference, large);
  run(fused, large);
  run(saturated, large);
  run(quotient, large);
  run(quotientGuarded, large);
  run(pairs, pair);
  run(pairsAdded, pair);
  run(functions, large);
  run(functionsLess, large);
  run(narrowed, wide);
  run(narrowedTowardZero, wide);
  run(narrowedPair, wide2);
  run(passedOn, wide);
  run(counted, large);
  run(countedInt, large);
  __nv_bfloat16 *brains = numbers<__nv_bfloat16>([](int i) { return __float2bfloat16(i == 5 ? 1000.0f : 2.0f); });
  run(brain, brains);
  run(brainLess, brains);
  run(brainPairs, numbers<__nv_bfloat162>([](int i) { return __floats2bfloat162_rn(1, i == 5 ? 1000.0f : 2.0f); }));
  run(brainNarrowed, wide);
  run(eighth, wide);
  run(eighthWide, wide);
  run(eighthSaturated, wide);
  run(eighthSmall, numbers<float>([](int i) { return 1000.0f * i; }));
  return cudaDeviceSynchronize() != cudaSuccess;
}
