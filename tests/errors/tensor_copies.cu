// RUN: %nvcc -arch=sm_90 -I%S/../run %s -o %t
// RUN: %t load 2 2>&1 | FileCheck %s --check-prefixes=CHECK,PIECE
// RUN: %t load -2 2>&1 | FileCheck %s --check-prefixes=CHECK,PIECE
// RUN: %t store -4 2>&1 | FileCheck %s --check-prefixes=CHECK,BEFORE
// RUN: %t reduce 0 2>&1 | FileCheck %s --check-prefixes=CHECK,TYPE
// RUN: %t load -4 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %t store 8 2>&1 | FileCheck %s --check-prefix=RIGHT
// PIECE: a tensor copy whose innermost coordinate is no multiple of 16 bytes
// BEFORE: a tensor copy to global memory that begins before the tensor
// TYPE: a reduction that elements of the tensor map's type do not have
// CHECK: tensor_copies.cu:
// CHECK: the host goes on
// CHECK-NOT: got
// RIGHT: all right
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are illegal instructions on an H200, and those beside them that are not.
#include "lost.h"
#include "tensor.h"

__global__ void copy(const __grid_constant__ CUtensorMap map, char action, int at) {
  __shared__ alignas(128) u32 box[8];
  __shared__ u64 barrier;
  Coordinates c = {{at}};
  initBarrier(&barrier, 1);
  if (action == 'l') {
    FOR_RANK(LOAD_FORM, 1, &map, box, c, windowOf(&barrier));
    expectBytes(&barrier, sizeof box);
    waitFor(&barrier, 0);
    return;
  }
  if (action == 's')
    FOR_RANK(STORE_FORM, 1, &map, box, c, 0);
  else
    asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc.tile.bulk_group [%0, {%2}], [%1];" ::"l"(&map),
                 "r"(windowOf(box)), "r"(at)
                 : "memory");
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}

int main(int, char **arguments) {
  Tensor t = {};
  t.type = *arguments[1] == 'r' ? CU_TENSOR_MAP_DATA_TYPE_INT32 : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  t.rank = 1;
  t.sizes[0] = 100;
  t.box[0] = 8;
  t.steps[0] = 1;
  Buffer<u32> tensor(100);
  copy<<<1, 1>>>(tiledMap(t, tensor), *arguments[1], atoi(arguments[2]));
  if (cudaPeekAtLastError() != cudaSuccess)
    return 2;
  if (cudaError_t error = cudaDeviceSynchronize(); error == cudaSuccess)
    return finish();
  return expectLost(cudaErrorIllegalInstruction);
}
