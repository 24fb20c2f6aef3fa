// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function pointers in kernels: tables, targets that differ between lanes, stored in device memory by one kernel
// and called by another, as arguments, to functions of several signatures; member function pointers.
#include "support.h"

typedef float (*Binary)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float subtract(float a, float b) { return a - b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ float loop(float a, float b) {
  float r = 0;
  for (int i = 0; i < int(b); i++)
    r += a;
  return r;
}
__device__ Binary table[4] = {add, subtract, larger, loop};
__device__ Binary one = subtract;
__device__ int calls;

static float host(int which, float a, float b) {
  switch (which) {
  case 0:
    return a + b;
  case 1:
    return a - b;
  case 2:
    return a > b ? a : b;
  }
  float r = 0;
  for (int i = 0; i < int(b); i++)
    r += a;
  return r;
}

__device__ __noinline__ float apply(Binary f, float a, float b) { return f(a, b) * 2; }

__global__ void call(const int *which, const float *a, const float *b, float *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  float r = table[which[i]](a[i], b[i]);
  r += apply(table[(which[i] + 1) & 3], a[i], b[i]);
  if (which[i] & 1)
    r += one(a[i], 1);
  Binary local = i & 1 ? add : larger;
  out[i] = r + local(b[i], 3);
}

typedef void (*Effect)(int *, int);
__device__ void countCall(int *p, int by) {
  atomicAdd(&calls, by);
  *p = by;
}
__device__ void noCall(int *p, int) { *p = -1; }

__global__ void store(Effect *effects, int n) {
  int i = threadInGrid();
  if (i < n)
    effects[i] = i % 3 == 0 ? countCall : i % 3 == 1 ? noCall : nullptr;
}
__global__ void useStored(const Effect *effects, int *out, int n) {
  int i = threadInGrid();
  if (i < n && effects[i])
    effects[i](out + i, i);
}

struct Counter {
  int value;
  __device__ int up(int by) { return value += by; }
  __device__ int down(int by) { return value -= by; }
};
__global__ void members(int *out, int n) {
  int i = threadInGrid();
  Counter c{i};
  int (Counter::*method)(int) = i % 5 < 2 ? &Counter::up : &Counter::down;
  int Counter::*field = &Counter::value;
  if (i < n)
    out[i] = (c.*method)(10) * 1000 + c.*field;
}

// What these functions read first becomes a value of the launch while they stay functions; shared
// memory is wanted behind it.
__shared__ int held[100];
__device__ int times = 2;
__device__ int own(int i) {
  int block = blockIdx.x;
  return held[threadIdx.x] + 1000 * block + i;
}
__device__ int next(int i) {
  int factor = times;
  return factor * held[(threadIdx.x + 1) % blockDim.x] - i;
}
typedef int (*Pick)(int);
__device__ Pick picks[2] = {own, next};
__global__ void callOnShared(int *out, int n) {
  int i = threadInGrid();
  held[threadIdx.x] = 3 * i;
  __syncthreads();
  if (i < n)
    out[i] = picks[i % 2](i);
}

int main() {
  Random random(33);
  const int n = 257;
  std::vector<int> which(n);
  std::vector<float> a(n), b(n), want(n);
  for (int i = 0; i < n; i++) {
    which[i] = random.below(4);
    a[i] = float(random.below(50)), b[i] = float(random.below(9));
    want[i] = host(which[i], a[i], b[i]) + host((which[i] + 1) & 3, a[i], b[i]) * 2;
    if (which[i] & 1)
      want[i] += a[i] - 1;
    want[i] += host(i & 1 ? 0 : 2, b[i], 3);
  }
  Buffer<int> deviceWhich(which);
  Buffer<float> deviceA(a), deviceB(b), out(n);
  call<<<3, 100>>>(deviceWhich, deviceA, deviceB, out, n);
  checkLaunch();
  expectAll("tables", out.get(), want);

  Buffer<Effect> effects(n);
  std::vector<int> before(n, 5), wantOut(n);
  int wantCalls = 0;
  for (int i = 0; i < n; i++) {
    wantOut[i] = i % 3 == 0 ? i : i % 3 == 1 ? -1 : 5;
    wantCalls += i % 3 == 0 ? i : 0;
  }
  Buffer<int> outInt(before);
  store<<<3, 100>>>(effects, n);
  useStored<<<5, 64>>>(effects, outInt, n);
  checkLaunch();
  expectAll("stored", outInt.get(), wantOut);
  int gotCalls;
  CUDA_OK(cudaMemcpyFromSymbol(&gotCalls, calls, sizeof gotCalls));
  expect("effects", 0, gotCalls, wantCalls);

  members<<<3, 100>>>(outInt, n);
  checkLaunch();
  for (int i = 0; i < n; i++) {
    int v = i % 5 < 2 ? i + 10 : i - 10;
    wantOut[i] = v * 1000 + v;
  }
  expectAll("members", outInt.get(), wantOut);

  callOnShared<<<3, 100>>>(outInt, n);
  checkLaunch();
  for (int i = 0; i < n; i++)
    wantOut[i] = i % 2 ? 2 * 3 * (i / 100 * 100 + (i + 1) % 100) - i : 3 * i + 1000 * (i / 100) + i;
  expectAll("shared memory in called functions", outInt.get(), wantOut);
  return finish();
}
