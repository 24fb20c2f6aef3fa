// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a GPU our libraries are jumps into the machine's of the same name, whatever its major version
// (lib/support/forward.h): never to ours, though ours are found first, also by what the machine's need
// and open. What is not there is named; texts
// are ours. Without a GPU the same program computes here.
//
// RUN: rm -rf %t.libs && mkdir %t.libs
// RUN: cc -shared -fPIC -DBLAS_LT %S/Inputs/machine_library.c -Wl,-soname,libcublasLt.so.13 -o %t.libs/libcublasLt.so.13
// RUN: cc -shared -fPIC -DBLAS %S/Inputs/machine_library.c %t.libs/libcublasLt.so.13 -o %t.libs/libcublas.so.13
// RUN: cc -shared -fPIC -DFFT %S/Inputs/machine_library.c -o %t.libs/libcufft.so.12
// RUN: cc -shared -fPIC -DLINK %S/Inputs/machine_library.c -Wl,-soname,libnvJitLink.so.13 -o %t.libs/libnvJitLink.so.13
// RUN: cc -shared -fPIC -DRAND %S/Inputs/machine_library.c -o %t.libs/libcurand.so.10
// RUN: ln -s %build/lib/libcublas.so.12 %build/lib/libcusparse.so.12 %t.libs
// RUN: rm -rf %t.ours && mkdir %t.ours && ln -s %build/lib/libcu{blas,blasLt,fft,sparse}.so.1* %t.ours
// RUN: %heddle cc %s -lcublas -lcufft -lcurand -lcusparse -o %t
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so HEDDLE_GPU_LIBRARIES=%t.ours:%t.libs \
// RUN:   LD_LIBRARY_PATH=%build/lib %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: %t | FileCheck %s --check-prefix=HERE
#include <cstdio>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  cublasHandle_t blas;
  float *x, alpha = 2, beta = 0, norm = 0;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // CHECK: machine: cublasLtPrivate
  // CHECK: machine: cublasCreate_v2
  std::printf("create %d\n", cublasCreate(&blas));
  // CHECK: create 0
  // HERE: create 0
  cublasSetStream(blas, stream);
  // CHECK: machine: cublasSetStream_v2 0x1234 1
  // CHECK: machine: cublasSgemm_v2 0x1234 0 1, 3 x 4 x 5, 2 6 7 0 8, 100 200
  std::printf("product %d\n", cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, 3, 4, 5, &alpha, x, 6, x + 100, 7,
                                          &beta, x + 200, 8));
  // HERE: product 0
  cublasScnrm2(blas, 3, reinterpret_cast<cuComplex *>(x), 1, &norm);
  std::printf("norm %g\n", norm);
  // CHECK: machine: cublasScnrm2_v2
  // CHECK: norm 2.5
  // HERE: norm 0

  // CHECK: heddle: cublasDgemm_v2: libcublas.so.12,libcublas.so.13,libcublas.so.11: the library of this machine's GPU does not have the function
  double one = 1;
  std::printf("missing %d\n", cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &one, nullptr, 1, nullptr, 1, &one, nullptr, 1));
  // CHECK: missing 15
  std::printf("%s\n", cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
  // CHECK: the functionality requested is not supported

  cufftHandle plan;
  cufftPlan1d(&plan, 256, CUFFT_C2C, 2);
  cufftExecC2C(plan, reinterpret_cast<cufftComplex *>(x), reinterpret_cast<cufftComplex *>(x), CUFFT_INVERSE);
  // CHECK: machine: nvJitLinkPrivate
  // CHECK: machine: cufftPlan1d 256 29 2
  // CHECK: machine: cufftExecC2C 77 1 1

  curandGenerator_t numbers;
  curandCreateGenerator(&numbers, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateNormal(numbers, x, 64, 1.5f, 0.25f);
  // CHECK: machine: curandCreateGenerator 161
  // CHECK: machine: curandGenerateNormal 0x99 64 1.5 0.25

  cusparseHandle_t sparse;
  std::printf("sparse %d\n", cusparseCreate(&sparse));
  // CHECK: heddle: cusparseCreate: libcusparse.so.12,libcusparse.so.11: this machine has no such library for its GPU
  // CHECK: sparse 10
  // HERE: sparse 0
}
