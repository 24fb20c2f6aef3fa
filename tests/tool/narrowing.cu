// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrowing what is no constant in a list, and a macro's name right behind a literal: nvcc warns, and so do
// we. What depends on whether a conversion narrows does so still.
// RUN: %heddle cc -std=c++17 %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// CHECK-DAG: narrowing.cu:[[@LINE+18]]:{{.*}}warning:{{.*}}narrowed from type 'unsigned int'
// CHECK-DAG: narrowing.cu:[[@LINE+22]]:{{.*}}warning:{{.*}}requires a space
// CHECK-NOT: error
#include <cstring>
#include <utility>

struct Pair {
  unsigned char a, b;
};

template <class T, class = void> constexpr bool isListOf = false;
template <class T>
constexpr bool isListOf<T, std::void_t<decltype(T{std::declval<unsigned>()})>> = true;
static_assert(!isListOf<unsigned char> && isListOf<unsigned long>);

#define TEXT "b"

__global__ void kernel(Pair *out, unsigned n) {
  Pair pair = {n, n + 1};
  *out = pair;
}

int main() {
  if (std::strcmp("a"TEXT, "ab"))
    return 2;
  Pair *out, result = {};
  cudaMalloc(&out, sizeof(Pair));
  kernel<<<1, 1>>>(out, 256 + 7);
  cudaMemcpy(&result, out, sizeof(Pair), cudaMemcpyDeviceToHost);
  return result.a != 7 || result.b != 8;
}
