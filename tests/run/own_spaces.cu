// RUN: %heddle cc %s -o %t
// RUN: %t | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specializations and explicit instantiations need not repeat their template's execution spaces; a kernel template may call
// what only the device's half declares; a call in a template finds members of a base class that depends on it.
#include <cstdio>

template <class T> inline __host__ __device__ float rounded(T t) { return float(t); }
#ifdef __CUDA_ARCH__
template <> inline __device__ float rounded(double d) { return __double2float_rz(d); }
#endif
template <> __host__ float rounded(short s) { return s + 0.5f; }
template __device__ float rounded<char>(char);
template float rounded<long>(long);

template <class T> __device__ T next(T t) { return t; }
template <> float next(float f) { return f + 1; }
template <> __host__ __device__ int next(int i) { return i + 2; }

template <class T> struct Pair {
  __device__ T first(T a) { return a; }
  __host__ __device__ T second(T a) { return a; }
};
template <> __host__ __device__ int Pair<int>::first(int a) { return a + 10; }
template <> __device__ int Pair<int>::second(int a) { return a + 20; }

namespace mine {
#ifdef __CUDA_ARCH__
inline __device__ void keep(float *to, float value) { *to = value; }
#endif
template <class T> __global__ void kernel(T *p) {
  keep(p, T(7));
  p[1] = rounded(0.1) < 0.1f;
  p[2] = next(1.0f) + next(1);
  p[3] = Pair<int>().first(1) + Pair<int>().second(1);
}
} // namespace mine

struct Base {
  __host__ __device__ static int twice(int x) { return 2 * x; }
};
template <int N> struct Middle : Base {
  using Base::twice;
  int entries[N];
};
template <int N> struct Heap : Middle<N> {
  using Middle<N>::entries;
  __device__ int top() const { return twice(entries[0]); }
};
template <int N> __global__ void heap(float *p) {
  Heap<N> h;
  h.entries[0] = 21;
  *p = h.top();
}

int main() {
  float *p;
  cudaMallocManaged(&p, 5 * sizeof(float));
  mine::kernel<<<1, 1>>>(p);
  heap<4><<<1, 1>>>(p + 4);
  cudaDeviceSynchronize();
  std::printf("%g %g %g %g %g\n", p[0], p[1], p[2], p[3], p[4]);
  // CHECK: 7 1 5 32 42
  std::printf("%g %g %d\n", rounded(short(1)), rounded(2L), next(5));
  // CHECK: 1.5 2 7
}
