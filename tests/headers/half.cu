// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// half and bfloat16: all conversions of all values, and arithmetic on random ones, on the host and
// in a kernel, against exact results in double rounded by hand. RUN: %heddle run %s
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// x rounded to `digits` significant bits, the least exponent and the largest value as given; mode
/// as FE_TONEAREST, ...
__host__ __device__ double rounded(double x, int digits, int least, double most, int mode) {
  if (!(fabs(x) < INFINITY) || x == 0)
    return x;
  int e = ilogb(x);
  e = (e < least ? least : e) - digits + 1;
  double scaled = ldexp(x, -e), whole;
  whole = mode == 0   ? rint(scaled)
          : mode == 1 ? trunc(scaled)
          : mode == 2 ? ceil(scaled)
                      : floor(scaled);
  double r = ldexp(whole, e);
  if (fabs(r) > most) {
    bool away = mode == 0 || (mode == 2 && r > 0) || (mode == 3 && r < 0);
    return copysign(away ? INFINITY : most, x);
  }
  return r;
}
__host__ __device__ double asHalf(double x, int mode) { return rounded(x, 11, -14, 65504, mode); }
__host__ __device__ double asBf(double x, int mode) {
  return rounded(x, 8, -126, 0x1.fep127, mode);
}
__host__ __device__ bool same(double got, double expected) {
  return got == expected || (got != got && expected != expected);
}

/// The checks of one pair of bit patterns; returns the failures as bits.
__host__ __device__ unsigned check(unsigned short a, unsigned short b, unsigned short c, float f) {
  unsigned bad = 0;
  __half x = __ushort_as_half(a), y = __ushort_as_half(b), z = __ushort_as_half(c);
  double dx = __half2float(x), dy = __half2float(y), dz = __half2float(z);
  bad |= (dx == dx && __half_as_ushort(__float2half(__half2float(x))) != a) << 0;
  bad |= !same(__half2float(__float2half_rn(f)), asHalf(f, 0)) << 1;
  bad |= !same(__half2float(__float2half_rz(f)), asHalf(f, 1)) << 2;
  bad |= !same(__half2float(__float2half_ru(f)), asHalf(f, 2)) << 3;
  bad |= !same(__half2float(__float2half_rd(f)), asHalf(f, 3)) << 4;
  bad |= !same(__half2float(x + y), asHalf(dx + dy, 0)) << 5;
  bad |= !same(__half2float(x * y), asHalf(dx * dy, 0)) << 6;
  bad |= !same(__half2float(x / y), asHalf(dx / dy, 0)) << 7;
  // The sum of a product of halves and a half fits the double's 53 bits unless they lie far apart;
  // skip those.
  double sum = fma(dx, dy, dz);
  if (sum - dz == dx * dy && sum - dx * dy == dz)
    bad |= !same(__half2float(__hfma(x, y, z)), asHalf(sum, 0)) << 8;
  bad |= ((x < y) != (dx < dy) || (x == y) != (dx == dy) || __hgeu(x, y) != !(dx < dy)) << 9;
  bad |= !same(__half2float(hsqrt(x)), asHalf(sqrt(dx), 0)) << 10;
  if (fabs(dx) < 60000)
    bad |= (__half2int_rd(x) != (int)floor(dx) || __half2int_ru(x) != (int)ceil(dx)) << 11;
  __nv_bfloat16 u = __ushort_as_bfloat16(a), v = __ushort_as_bfloat16(b);
  double du = __bfloat162float(u), dv = __bfloat162float(v);
  bad |= (du == du && __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(u))) != a) << 12;
  bad |= !same(__bfloat162float(__float2bfloat16_rn(f)), asBf(f, 0)) << 13;
  bad |= !same(__bfloat162float(__float2bfloat16_rz(f)), asBf(f, 1)) << 14;
  bad |= !same(__bfloat162float(__float2bfloat16_ru(f)), asBf(f, 2)) << 15;
  bad |= !same(__bfloat162float(__float2bfloat16_rd(f)), asBf(f, 3)) << 16;
  bad |= !same(__bfloat162float(u * v), asBf(du * dv, 0)) << 17;
  if (fabs(du + dv) != INFINITY && du + dv - du == dv)
    bad |= !same(__bfloat162float(u + v), asBf(du + dv, 0)) << 18;
  __half2 p = __halves2half2(x, y);
  __half2 q = __hadd2(p, __lowhigh2highlow(p));
  bad |=
      (!same(__low2float(q), __high2float(q)) || !same(__low2float(q), __half2float(__hadd(x, y))))
      << 19;
  return bad;
}

__host__ __device__ unsigned hash(unsigned i) {
  i ^= i >> 16, i *= 0x7feb352du, i ^= i >> 15, i *= 0x846ca68bu;
  return i ^ i >> 16;
}
__host__ __device__ unsigned checkNumber(unsigned i) {
  unsigned bits = hash(i ^ 0x5555) & 0x8fffffffu | (hash(i) % 2 ? 0x30000000u : 0x20000000u);
  float f;
  memcpy(&f, &bits, 4);
  return check((unsigned short)i, (unsigned short)hash(i), (unsigned short)hash(i + 77), f);
}
__global__ void onDevice(unsigned *bad) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (unsigned b = checkNumber(i))
    atomicOr(bad, b);
}
__global__ void atomics(__half *h, __half2 *h2, __nv_bfloat16 *b) {
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
}

int main() {
  unsigned host = 0, *device;
  for (unsigned i = 0; i < 65536; i++)
    host |= checkNumber(i);
  cudaMallocManaged(&device, 4096);
  cudaMemset(device, 0, 4096);
  onDevice<<<256, 256>>>(device);
  __half *h = (__half *)(device + 16);
  __half2 *h2 = (__half2 *)(device + 32);
  __nv_bfloat16 *b = (__nv_bfloat16 *)(device + 64);
  atomics<<<2, 64>>>(h, h2, b);
  cudaError_t error = cudaDeviceSynchronize();
  bool sums =
      (float)*h == 128 && __low2float(*h2) == 128 && __high2float(*h2) == 256 && (float)*b == 128;
  printf("%s host %x device %x sums %d\n", cudaGetErrorString(error), host, *device, sums);
  return error != cudaSuccess || host || *device || !sums;
}
