// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %nvcc -I. good.cu -o good && ./good
// RUN: not %nvcc -I. bad.cu -o bad 2>&1 | FileCheck bad.cu --implicit-check-not=error:
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of class templates that name members which there are not, as Thrust's `optional<T &>` has one, and that
// nothing instantiates. A member that is missing where the function is instantiated is an error of the user's text.

//--- holder.h
template <class T> struct Holder {
  T *p;
  Holder *next[2];
  const Holder &self() const { return *this; }
  template <class... A> __host__ __device__ T &emplace(A &&...a) { return this->construct(a...); }
  int viaParameter(const Holder &o) const { return o.none + (*this) . none2(o.
    self().next[0]->none3); }
  __host__ __device__ T value() const { return *p; }
};

//--- good.cu
#include <cstdio>
#include "holder.h"

template <class T> struct Other {
  Holder<T> h;
  __device__ T sum(Other *o) { return o->h.value() + this->nothing; }
  __device__ T value() { return this->h.value(); }
};

__global__ void read(Holder<int> h, int *out) {
  Other<int> o{h};
  *out = h.value() + o.value();
}

int main() {
  int *p;
  cudaMallocManaged(&p, 2 * sizeof(int));
  p[0] = 21;
  read<<<1, 1>>>(Holder<int>{p}, p + 1);
  if (cudaDeviceSynchronize() != cudaSuccess || p[1] != 42) {
    std::printf("%d\n", p[1]);
    return 1;
  }
  return 0;
}

//--- bad.cu
#include "holder.h"
int main() {
  Holder<int> h;
  h.emplace(1);
  return h.absent;
  // CHECK: bad.cu:[[@LINE-1]]:12: error: no member named 'absent' in 'Holder<int>'
  // CHECK: In file included from bad.cu:1:
  // CHECK-NEXT: {{.*}}holder.h:5:81: error: no member named 'construct' in 'Holder<int>'
  // CHECK: bad.cu:[[@LINE-5]]:5: note: in instantiation of function template specialization
}
