// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings that only g++ knows are passed over by both halves and in C++ files, also where warnings are errors; those that
// clang knows are not. And what a script takes for the toolkit's folder is it.
// RUN: %nvcc -Xcompiler -Wall,-Werror,-Wlogical-op,-Wimplicit-fallthrough=5 -c %s -o %t.o 2>&1 | count 0
// RUN: %nvcc -Werror all-warnings -Xcompiler "-Wstringop-overflow=4 -Wduplicated-cond" -c %s -o %t.o 2>&1 | count 0
// RUN: cp %s %t.cpp
// RUN: %nvcc -Xcompiler -Wall,-Werror,-Wlogical-op -c %t.cpp -o %t.o 2>&1 | count 0
// RUN: not %nvcc -DUNUSED -Xcompiler -Wall,-Werror,-Wlogical-op -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: unused variable 'unused'
// RUN: sh -c 'folder=$(dirname $(dirname $(readlink -f %nvcc))); test -f $folder/include/cuda_runtime.h && test -e $folder/lib64/libcudart.so'
#ifdef __CUDACC__
__global__ void kernel(int *p) { *p = 1; }
template <typename T> struct Of {
  __host__ __device__ Of(T) {}
};
template <typename T> __host__ __device__ Of(T) -> Of<T>;
#endif

int main() {
#ifdef UNUSED
  int unused;
#endif
  return 0;
}
