// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp6, fp4 and the powers of two of e8m0: every half converts to what a search among all numbers finds, to nearest and
// toward zero, on the host and on the device; every code survives the way to half and back. RUN: %heddle run %s
#include <cmath>
#include <cstdio>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

struct Kind {
  int digits, bias, largest, sign;
};
__host__ __device__ inline Kind kindOf(int kind) {
  return kind == 0 ? Kind{3, 1, 0x1f, 0x20} : kind == 1 ? Kind{2, 3, 0x1f, 0x20} : Kind{1, 1, 7, 8};
}
__host__ __device__ inline float valueOf(Kind k, int code) {
  int field = code >> k.digits, fraction = code & ((1 << k.digits) - 1);
  return field ? ldexpf(1 + ldexpf(fraction, -k.digits), field - k.bias) : ldexpf(fraction, 1 - k.bias - k.digits);
}
__host__ __device__ inline int convert(int kind, float x, cudaRoundMode mode) {
  return kind == 2 ? __nv_cvt_float_to_fp4(x, __NV_E2M1, mode)
                   : __nv_cvt_float_to_fp6(x, kind == 0 ? __NV_E2M3 : __NV_E3M2, mode);
}
/// The neighbours of |x| are found by counting up.
__host__ __device__ inline int search(Kind k, float x, cudaRoundMode mode) {
  if (x != x)
    return k.largest;
  int low = 0;
  while (low < k.largest && valueOf(k, low + 1) <= fabsf(x))
    ++low;
  int sign = signbit(x) ? k.sign : 0;
  float below = fabsf(x) - valueOf(k, low), above = low < k.largest ? valueOf(k, low + 1) - fabsf(x) : 1e30f;
  bool up = mode == cudaRoundNearest && (below > above || (below == above && (low & 1)));
  return sign | (up && low < k.largest ? low + 1 : low);
}
__host__ __device__ inline bool wrong(unsigned i) {
  float x = __half2float(__ushort_as_half((unsigned short)i));
  for (int kind = 0; kind < 3; ++kind) {
    Kind k = kindOf(kind);
    for (cudaRoundMode mode : {cudaRoundNearest, cudaRoundZero})
      if (convert(kind, x, mode) != search(k, x, mode))
        return true;
  }
  return false;
}
/// The field of the float, rounded up to a power of two or down.
__host__ __device__ inline bool wrongPower(unsigned i) {
  float x = __bfloat162float(__ushort_as_bfloat16((unsigned short)i));
  int up = __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf),
      down = __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero);
  if (x != x)
    return up != 0xff || down != 0xff;
  auto power = [](int code) { return ldexp(1.0, code - 127); };
  double size = fabs((double)x);
  int want = 0;
  while (want < 0xfe && power(want) < size)
    ++want;
  int low = want > 0 && power(want) > size ? want - 1 : want;
  return up != want || down != low || (float)__nv_fp8_e8m0(x) != (float)power(want);
}
__global__ void onDevice(int *bad) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (wrong(i) || wrongPower(i))
    atomicAdd(bad, 1);
}

int main() {
  int host = 0, *device;
  for (unsigned i = 0; i < 65536; i++)
    host += wrong(i) || wrongPower(i);
  cudaMallocManaged(&device, sizeof(int));
  *device = 0;
  onDevice<<<256, 256>>>(device);
  cudaError_t error = cudaDeviceSynchronize();
  int round = 0;
  for (int code = 0; code < 64; ++code) {
    __nv_fp6_e2m3 a, b(0.0f);
    a.__x = (unsigned char)code;
    b = __nv_fp6_e2m3((float)a);
    __nv_fp6_e3m2 c;
    c.__x = (unsigned char)code;
    __nv_fp4x2_e2m1 pair;
    pair.__x = (unsigned char)(code * 4 + 1);
    round += b.__x != code || __nv_fp6_e3m2((__half)c).__x != code || __nv_fp4x2_e2m1((float2)pair).__x != pair.__x;
  }
  float4 four = (float4)__nv_fp4x4_e2m1(make_float4(1, -2, 3, -6)),
         six = (float4)__nv_fp6x4_e3m2(make_float4(28, 0.0625f, -20, 100));
  bool rest = four.x == 1 && four.y == -2 && four.z == 3 && four.w == -6 && six.x == 28 && six.y == 0.0625f &&
              six.z == -20 && six.w == 28 && (int)__nv_fp4_e2m1(2.5) == 2 && sizeof(__nv_fp4x4_e2m1) == 2;
  printf("%s host %d device %d round trips %d rest %d\n", cudaGetErrorString(error), host, *device, round, rest);
  return error != cudaSuccess || host || *device || round || !rest;
}
