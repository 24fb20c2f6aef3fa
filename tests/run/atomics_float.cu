// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomicAdd of float, double, half2 and bfloat162 in global and shared memory, under contention: sums of values that
// are exact in every order; atomicExch of float; atomicMin and Max of floats by CAS loops.
#include "support.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T> __global__ void add(const T *in, T *out, int cells, int n) {
  __shared__ T local[4];
  int i = threadInGrid(), t = threadInBlock();
  if (t < 4)
    local[t] = 0;
  __syncthreads();
  if (i < n) {
    atomicAdd(out + i % cells, in[i]);
    atomicAdd(local + i % cells, in[i]);
  }
  __syncthreads();
  if (t < cells)
    atomicAdd(out + t, local[t]);
}

template <class T> void check(const char *name) {
  Random random(61);
  const int n = 1203;
  std::vector<T> in(n);
  for (T &v : in)
    v = T(random.below(2000) - 1000) / 8;
  Buffer<T> deviceIn(in);
  for (int cells : {1, 3}) {
    std::vector<T> want(cells);
    for (int i = 0; i < n; i++)
      want[i % cells] += 2 * in[i];
    for (int block : {96, 33}) {
      Buffer<T> out(cells);
      add<<<(n + block - 1) / block, block>>>(deviceIn.data, out.data, cells, n);
      checkLaunch();
      expectAll(name, out.get(), want);
    }
  }
}

__device__ float atomicMaxFloat(float *p, float v) {
  int *address = reinterpret_cast<int *>(p);
  int old = *address, assumed;
  do {
    assumed = old;
    if (__int_as_float(assumed) >= v)
      break;
    old = atomicCAS(address, assumed, __float_as_int(v));
  } while (old != assumed);
  return __int_as_float(old);
}
__device__ double addByCas(double *p, double v) {
  unsigned long long *address = reinterpret_cast<unsigned long long *>(p), old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void byCas(const float *in, float *largest, double *sum, float *exchanged, int n) {
  int i = threadInGrid();
  if (i < n) {
    atomicMaxFloat(largest, in[i]);
    addByCas(sum, in[i]);
    atomicExch(exchanged + i % 5, in[i]);
  }
}

__global__ void pairs(__half2 *h, __nv_bfloat162 *b, __half *one, int n) {
  int i = threadInGrid();
  if (i < n) {
    atomicAdd(h + i % 3, __floats2half2_rn(1, 2));
    atomicAdd(b + i % 3, __floats2bfloat162_rn(1, 0.5f));
    atomicAdd(one, __float2half(1));
  }
}
__global__ void unpack(const __half2 *h, const __nv_bfloat162 *b, const __half *one, float *out) {
  for (int i = 0; i < 3; i++) {
    out[i * 4] = __low2float(h[i]), out[i * 4 + 1] = __high2float(h[i]);
    out[i * 4 + 2] = __low2float(b[i]), out[i * 4 + 3] = __high2float(b[i]);
  }
  out[12] = __half2float(*one);
}

int main() {
  check<float>("float");
  check<double>("double");

  Random random(62);
  const int n = 777;
  std::vector<float> in(n);
  float wantLargest = -1000;
  double wantSum = 0;
  for (float &v : in) {
    v = float(random.below(4000) - 2000) / 4;
    wantLargest = std::max(wantLargest, v), wantSum += v;
  }
  Buffer<float> deviceIn(in), largest(std::vector<float>{-1000}), exchanged(5);
  Buffer<double> sum(1);
  byCas<<<8, 100>>>(deviceIn, largest, sum, exchanged, n);
  checkLaunch();
  expect("largest by CAS", 0, largest.get()[0], wantLargest);
  expect("sum by CAS", 0, sum.get()[0], wantSum);
  for (int k = 0; k < 5; k++) {
    bool found = false;
    for (int i = k; i < n; i += 5)
      found |= in[i] == exchanged.get()[k];
    expectTrue("exchanged", found);
  }

  Buffer<__half2> h(3);
  Buffer<__nv_bfloat162> b(3);
  Buffer<__half> one(1);
  Buffer<float> out(13);
  pairs<<<3, 50>>>(h, b, one, 150);
  unpack<<<1, 1>>>(h, b, one, out);
  checkLaunch();
  std::vector<float> want;
  for (int i = 0; i < 3; i++)
    want.insert(want.end(), {50, 100, 50, 25});
  want.push_back(150);
  expectAll("pairs", out.get(), want);
  return finish();
}
