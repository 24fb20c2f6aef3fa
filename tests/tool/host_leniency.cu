// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc, and g++ behind it, takes and clang refuses or warns of: main without a type, functions that return nothing,
// pragmas in macros, addresses of functions that there are of both sides.
//
// RUN: %nvcc -Werror all-warnings %s -o %t && %t
// RUN: %nvcc -O3 -std=c++20 -DNO_TYPE -DMISSING %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %nvcc -g -G -DNO_TYPE -DMISSING %s -o %t && %t
// RUN: not %nvcc -c -DOTHER %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
#include <cstdio>
#include <cstdlib>

int wrong = 0;
void check(const char *what, bool isRight) {
  if (!isRight)
    printf("wrong: %s\n", what), ++wrong;
}

// --- Addresses ---

__host__ int get(void **p, size_t n);
template <class T> static __device__ int get(T **p, size_t n);
template <class T> static __host__ int get(T **p, size_t n) {
  return get((void **)(void *)p, n * sizeof(T));
}
__host__ int get(void **p, size_t n) { *p = nullptr; return int(n); }
template <class T> __device__ __noinline__ T side(T a) { return a + 1; }
template <class T> __host__ T side(T a) { return a + 2; }
template <class F, class T> __host__ __device__ T apply(F f, T a) { return f(a); }

auto atFileScope = &side<int>;
__global__ void addresses(int *out) {
  auto f = &side<int>;
  int (*g)(int) = side<int>;
  out[0] = f(10);
  out[1] = g(20);
  out[2] = apply(side<int>, 30);
}

void checkAddresses(int *out) {
  auto f = &get<double>;
  auto g = &cudaMalloc<float>;
  auto h = cudaMallocHost<int>;
  int (*k)(double **, size_t) = &get<double>;
  k = get<double>;
  double *d = (double *)1;
  float *x = nullptr;
  int *y = nullptr;
  check("host's address", f(&d, 4) == 32 && k(&d, 1) == 8 && !d);
  check("runtime's address", g(&x, 10) == cudaSuccess && x && h(&y, 4, 0) == cudaSuccess && y);
  check("argument", apply(side<int>, 30) == 32 && apply(&side<long>, 1l) == 3);
  check("at file scope", atFileScope(1) == 3);
  addresses<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  check("device's addresses", out[0] == 11 && out[1] == 21 && out[2] == 31);
}

// --- Pragmas ---

#ifdef __CUDA_ARCH__
#define PRAGMA_UNROLL #pragma unroll
#define FACTOR 4
#define UNROLL_SOME \
  #pragma unroll FACTOR
#define BOTH PRAGMA_UNROLL
#else
#define PRAGMA_UNROLL
#define UNROLL_SOME
#define BOTH
#endif
#define QUOTED #pragma message "with \"quotes\" and \\n" // CHECK-DAG: warning: with "quotes" and
#define STATEMENT_AND_PRAGMA int sum = 0; PRAGMA_UNROLL

__global__ void pragmas(int *out) {
  STATEMENT_AND_PRAGMA
  for (int i = 0; i < 8; i++)
    sum += i;
  UNROLL_SOME
  for (int i = 0; i < 8; i++)
    sum += i;
  BOTH
  for (int i = 0; i < 8; i++)
    sum += i;
#pragma unroll(4)
  for (int i = 0; i < 8; i++)
    sum += i;
#pragma unroll (2)
  for (int i = 0; i < 8; i++)
    sum += i;
#pragma unroll 1
  for (int i = 0; i < 8; i++)
    sum += i;
  *out = sum;
}

// --- Returns ---

#ifdef MISSING
QUOTED
template <class T> __host__ T plusScan(T *x, unsigned n) {
  for (unsigned i = 1; i < n; ++i)
    x[i] = x[i - 1] + x[i];
} // CHECK-DAG: host_leniency.cu:[[@LINE]]:1: warning: non-void function does not return a value
struct Pair {
  double a, b;
};
__host__ __device__ Pair store(int *p, int value) { *p = value; }
__device__ int storeByDevice(int *p, int value) {
  if (value > 0)
    *p = value;
  else
    return 1;
}
__global__ void returns(int *out) {
  store(out, 5);
  storeByDevice(out + 1, 6);
  out[2] = 7;
}
void checkReturns(int *out) {
  int a[4] = {1, 2, 3, 4};
  plusScan(a, 4u);
  check("scan", a[3] == 10);
  store(a, 9);
  check("store", a[0] == 9);
  returns<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  check("device", out[0] == 5 && out[1] == 6 && out[2] == 7);
}
#else
void checkReturns(int *) {}
#endif

#ifdef OTHER
other(void) { return 0; }
// OTHER: host_leniency.cu:[[@LINE-1]]:1: error: a type specifier is required for all declarations
#endif

#ifdef NO_TYPE
main(int, char **) { // CHECK-DAG: host_leniency.cu:[[@LINE]]:1: warning: 'main' is declared without a type
#else
int main() {
#endif
  int *out;
  cudaMallocManaged(&out, 4 * sizeof(int));
  checkAddresses(out);
  pragmas<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  check("pragmas", *out == 6 * 28);
  checkReturns(out);
  return wrong != 0;
}
