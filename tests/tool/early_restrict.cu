// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a template __restrict__ may stand before the star and qualify a parameter of the template that is no pointer in
// the end; it then means nothing. On a type that is known it is a mistake, for nvcc too.
//
// RUN: %nvcc -Werror all-warnings %s -o %t && %t
// RUN: not %nvcc -c -DOTHER %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
#include <cstdio>

template <class T> struct Part {
  const T __restrict__ *from;
  T __restrict__ first;
};
template <class T> __host__ __device__ T sum(const Part<T> &part) {
  const T __restrict__ *p = part.from;
  T __restrict__ all = part.first;
  return all + p[0] + p[1];
}
template <class T> __global__ void use(Part<T> part, T *to) {
  T __restrict__ *out = to;
  *out = sum(part);
}

#ifdef OTHER
// OTHER: early_restrict.cu:[[@LINE+1]]:{{[0-9]+}}: error: restrict requires a pointer
__global__ void mistake(const float __restrict__ *a) {}
// OTHER: error: {{.*}}read-only
template <class T> __global__ void stillConst(T *p) {
  const T __restrict__ *q = p;
  *q = 1;
}
template __global__ void stillConst(int *);
#endif

int main() {
  int *v;
  cudaMallocManaged(&v, 3 * sizeof(int));
  v[0] = 3, v[1] = 4;
  use<<<1, 1>>>(Part<int>{v, 5}, v + 2);
  if (cudaDeviceSynchronize() != cudaSuccess || v[2] != 12 || sum(Part<int>{v, 1}) != 8)
    return printf("wrong: %d\n", v[2]), 1;
}
