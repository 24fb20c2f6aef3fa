// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel beyond what is modelled says so beside its times: products of matrices by warps.
// RUN: %heddle cc -O3 -arch=sm_80 %s -o %t
// RUN: %heddle predict --gpu h100 %t 2>&1 | FileCheck %s
// RUN: %heddle predict --gpu h100 --csv %t 2>&1 | FileCheck %s --check-prefix=CSV
#include <mma.h>
using namespace nvcuda;

__global__ void product(const half *a, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, a, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void plain(float *c) { c[threadIdx.x] = 1; }

int main() {
  half *a;
  float *c;
  cudaMalloc(&a, 512);
  cudaMalloc(&c, 1024);
  cudaMemset(a, 0, 512);
  product<<<1, 32>>>(a, c);
  plain<<<1, 32>>>(c);
  return cudaDeviceSynchronize();
}

// CHECK: product({{.*}}1 launch
// CHECK: left out: instructions on a warp's matrices count as {{.*}}, not as those of tensor cores
// CHECK: h100:
// CHECK: plain({{.*}}1 launch
// CHECK-NEXT: h100:
// CSV: "product({{.*}},h100,{{.*}}not as those of tensor cores"
// CSV: "plain({{.*}},h100,{{.*}},{{$}}
