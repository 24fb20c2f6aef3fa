// RUN: %heddle cc %s -o %t
// RUN: %widths %t | FileCheck --strict-whitespace %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device printf: every conversion, flags, widths, strings, no arguments, many arguments, its result, output of one
// thread in its order and before what the host prints after a synchronisation.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void formats() {
  printf("int [%d] [%5d] [%-5d] [%05d] [%+d] [%i] [% d]\n", 42, 42, 42, 42, 42, -7, 3);
  printf("unsigned [%u] [%x] [%X] [%#x] [%o] [%08X]\n", 4000000000u, 255u, 255u, 255u, 8u, 0xbeefu);
  printf("long [%ld] [%lld] [%llu] [%llx] [%zu]\n", -5000000000l, -1ll << 62, ~0ull, 0x123456789abcull, size_t(9));
  printf("small [%hd] [%hhd] [%hhu] [%c] [%c]\n", short(-3), (signed char)(-4), (unsigned char)(250), 'A', 98);
  printf("float [%f] [%.2f] [%10.3f] [%-10.1f] [%e] [%.3E] [%g] [%G] [%a]\n", 1.5f, 3.14159, 2.71828f, 0.25, 12345.678,
         0.00012, 1e-10, 1e20, 1.0);
  printf("special [%f] [%f] [%5s] [%-5s] [%.2s] [%%]\n", 1.0 / 0.0, -1.0f / 0.0f, "abc", "de", "xyz");
  printf("pointer [%p]\n", (void *)0x1234);
  printf("many %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  printf("no arguments\n");
  printf("mixed %c %d %lld %f %s %hd\n", 'q', 1, 2ll, 3.0f, "four", short(5));
  int written = printf("%d and %d\n", 1, 2);
  printf("result %d\n", written);
}

__global__ void threads() {
  int t = threadIdx.x;
  if (t % 5 == 3)
    printf("thread %d of block %d\n", t, blockIdx.x);
  if (t == 37)
    for (int i = 0; i < 3; i++)
      printf("step %d of thread %d: %f\n", i, t, t * 0.5f);
}

__device__ const char *names[2] = {"even", "odd"};
__global__ void strings() {
  printf("%s thread\n", names[threadIdx.x & 1]);
}

int main() {
  formats<<<1, 1>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("host 1\n");
  std::fflush(stdout);
  threads<<<1, 40>>>();
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("host 2\n");
  std::fflush(stdout);
  strings<<<1, 2>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}

// CHECK: int [42] [   42] [42   ] [00042] [+42] [-7] [ 3]
// CHECK-NEXT: unsigned [4000000000] [ff] [FF] [0xff] [10] [0000BEEF]
// CHECK-NEXT: long [-5000000000] [-4611686018427387904] [18446744073709551615] [123456789abc] [9]
// CHECK-NEXT: small [-3] [-4] [250] [A] [b]
// CHECK-NEXT: float [1.500000] [3.14] [     2.718] [0.2       ] [1.234568e+04] [1.200E-04] [1e-10] [1E+20] [0x1p+0]
// CHECK-NEXT: special [inf] [-inf] [  abc] [de   ] [xy] [%]
// CHECK-NEXT: pointer [0x1234]
// CHECK-NEXT: many 1 2 3 4 5 6 7 8 9 10 11 12
// CHECK-NEXT: no arguments
// CHECK-NEXT: mixed q 1 2 3.000000 four 5
// CHECK-NEXT: 1 and 2
// CHECK-NEXT: result 2
// CHECK-NEXT: host 1
// CHECK-NOT: host
// CHECK-DAG: thread 3 of block 0
// CHECK-DAG: thread 8 of block 0
// CHECK-DAG: thread 38 of block 0
// CHECK-DAG: step 0 of thread 37: 18.500000
// CHECK-DAG: step 1 of thread 37: 18.500000
// CHECK-DAG: step 2 of thread 37: 18.500000
// CHECK: host 2
// CHECK-DAG: even thread
// CHECK-DAG: odd thread
