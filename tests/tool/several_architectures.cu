// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for several architectures: each device of a process runs what is meant for it.
// RUN: %nvcc -gencode arch=compute_35,code=sm_35 -gencode arch=compute_60,code=[sm_60,compute_60] -gencode arch=compute_90,code=sm_90 %s -o %t
// RUN: env HEDDLE_DEVICE=k20,cpu,p100,v100 %t 350 900 600 600 > %t.out && FileCheck %s < %t.out
// RUN: %nvcc -rdc=true -gencode arch=compute_35,code=sm_35 -gencode arch=compute_60,code=[sm_60,compute_60] -gencode arch=compute_90,code=sm_90 %s %S/Inputs/architecture_of.cu -DSEPARATE -o %t.rdc
// RUN: env HEDDLE_DEVICE=k20,cpu,p100,v100 %t.rdc 350 900 600 600 | FileCheck %s
// CHECK: 3.5: compiled for 350, ptx 35, binary 35
// CHECK-NEXT: 9.0: compiled for 900, ptx 90, binary 90
// CHECK-NEXT: 6.0: compiled for 600, ptx 60, binary 60
// CHECK-NEXT: 7.0: compiled for 600, ptx 60, binary 70
//
// One is enough where the text is the same; a mistake of all is reported once, a mistake of one with its line.
// RUN: rm -rf %t.kept && mkdir %t.kept
// RUN: %nvcc -keep --keep-dir %t.kept -gencode arch=compute_50,code=sm_50 -gencode arch=compute_60,code=sm_60 -c %S/Inputs/add.cu -o %t.o
// RUN: test -f %t.kept/add.bc
// RUN: %nvcc -arch=all-major %s -o %t.all && env HEDDLE_DEVICE=k20,h200 %t.all 500 900 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: the program has no device code for Tesla K20{{.*}} (3.5), and that GPU would not run it; here the code for sm_50 runs
// NONE-NOT: no device code for
// RUN: not %nvcc -arch=all-major -DMISTAKE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MISTAKE
// MISTAKE: several_architectures.cu:[[# @LINE + 19]]:{{[0-9]+}}: error: {{.*}}'missing'
// MISTAKE: several_architectures.cu:[[# @LINE + 20]]:2: error: before 6.0
// MISTAKE: 2 errors detected
// RUN: %nvcc -Xptxas -v -gencode arch=compute_50,code=sm_50 -gencode arch=compute_60,code=[sm_60,sm_61,compute_60] -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=USED
// USED: for 'sm_50'
// USED: bytes cmem[0]
// USED: for 'sm_60'
// USED: for 'sm_61'
// USED-NOT: for 'sm_
// RUN: not %nvcc -arch=all-major -ptx %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: nvcc fatal   : Option '--ptx (-ptx)' is not allowed when compiling for multiple GPU architectures
// RUN: %nvcc -gencode arch=compute_60,code=[sm_60,compute_60] -ptx %s -o %t.ptx
// RUN: not %nvcc -gencode arch=compute_60,code=[sm_60,sm_61] -cubin %s -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CUBIN
// CUBIN: nvcc fatal   : Option '--cubin (-cubin)' is not allowed when compiling for multiple GPU code instances
// RUN: %nvcc -arch=all-major -fatbin %s -o %t.fatbin
#include <cstdio>
#include <cstdlib>

#ifdef MISTAKE
__device__ int mistake = missing;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
#error before 6.0
#endif
#endif

#ifdef __CUDA_ARCH_LIST__
constexpr int List[] = {__CUDA_ARCH_LIST__};
#endif

__device__ int times = 3;
__managed__ int seen[2] = {7, 0};

#ifdef SEPARATE
extern __device__ int architectureOf();
#else
__device__ int architectureOf() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}
#endif

__global__ void tell(int *result) {
  *result = architectureOf() * times;
  seen[1] += seen[0];
}

int main(int argc, char **argv) {
  int devices, failures = 0;
  cudaGetDeviceCount(&devices);
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    int *result, value = 0;
    cudaMalloc(&result, sizeof(int));
    tell<<<1, 1>>>(result);
    cudaMemcpy(&value, result, sizeof(int), cudaMemcpyDeviceToHost);
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, d);
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, tell);
    printf("%d.%d: compiled for %d, ptx %d, binary %d\n", p.major, p.minor, value / 3, a.ptxVersion,
           a.binaryVersion);
    failures += d + 1 >= argc || value != 3 * atoi(argv[d + 1]);
  }
  failures += seen[1] != 7 * devices;
  // The variable of one device is not that of another, whatever its code.
  int four = 4, got[2] = {};
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    if (d == 0)
      cudaMemcpyToSymbol(times, &four, sizeof(int));
    cudaMemcpyFromSymbol(&got[d], times, sizeof(int));
  }
  failures += got[0] != 4 || got[1] != 3;
  failures += sizeof(List) / sizeof(int) < 3;
  return failures;
}
