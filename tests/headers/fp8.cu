// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fp8: every half converts to the nearest of all 256 values, ties to even; every fp8 survives the
// way to half and back. RUN: %heddle run %s
#include <cmath>
#include <cstdio>
#include <cuda_fp8.h>

__host__ __device__ float valueOf(unsigned code, int kind) {
  int digits = kind ? 2 : 3, bias = kind ? 15 : 7;
  int field = (code & 0x7f) >> digits, fraction = code & ((1 << digits) - 1);
  float v = field ? ldexpf(1 + ldexpf(fraction, -digits), field - bias)
                  : ldexpf(fraction, 1 - bias - digits);
  return code & 0x80 ? -v : v;
}
__host__ __device__ bool wrong(unsigned i, int kind) {
  auto k = kind ? __NV_E5M2 : __NV_E4M3;
  const unsigned largest = kind ? 0x7b : 0x7e;
  float x = __half2float(__ushort_as_half((unsigned short)i));
  unsigned code = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, k);
  if (x != x)
    return (code & 0x7f) <= largest;
  if ((code & 0x7f) > largest || (code >> 7) != i >> 15)
    return true;
  float here = fabsf(valueOf(code & 0x7f, kind)), size = fabsf(x);
  if (size >= valueOf(largest, kind))
    return (code & 0x7f) != largest;
  float below = (code & 0x7f) ? valueOf((code & 0x7f) - 1, kind) : -1,
        above = valueOf((code & 0x7f) + 1, kind);
  float error = fabsf(here - size), low = size - below, high = above - size;
  if (error > low || error > high || ((code & 1) && (error == low || error == high)))
    return true;
  float back = __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)code, k)));
  return back != valueOf(code, kind);
}
__global__ void onDevice(int *bad) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (wrong(i, 0) || wrong(i, 1))
    atomicAdd(bad, 1);
}
int main() {
  int host = 0, *device;
  for (unsigned i = 0; i < 65536; i++)
    host += wrong(i, 0) + wrong(i, 1);
  cudaMallocManaged(&device, sizeof(int));
  *device = 0;
  onDevice<<<256, 256>>>(device);
  cudaError_t error = cudaDeviceSynchronize();
  __nv_fp8x2_e4m3 pair(make_float2(1.5f, -3.0f));
  float2 values = (float2)pair;
  bool rest = (float)__nv_fp8_e4m3(1000.0f) == 448 && (float)__nv_fp8_e5m2(0.3) == 0.3125f &&
              values.x == 1.5f && values.y == -3.0f &&
              __nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) == 0x7c;
  printf("%s host %d device %d rest %d\n", cudaGetErrorString(error), host, *device, rest);
  return error != cudaSuccess || host || *device || !rest;
}
