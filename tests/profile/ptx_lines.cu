// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of PTX text is counted by the lines that its .loc tell.
// RUN: %heddle cc %s -o %t -lcuda && env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s
#include <cuda.h>
#include <cstdio>

constexpr const char *Text = R"(
.version 7.0
.target sm_70
.address_size 64
.file 1 "twice.f"
.visible .entry twice(.param .u64 at)
{
	.reg .b32 %r<3>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<4>;
	.loc 1 7 0
	ld.param.u64 %rd1, [at];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd2, %rd2, %rd3;
	.loc 1 8 0
	ld.global.f32 %f1, [%rd2];
	add.f32 %f2, %f1, %f1;
	.loc 1 9 0
	st.global.f32 [%rd2], %f2;
	ret;
}
)";

int main() {
  CUmodule module;
  CUfunction function;
  float *at;
  cudaMalloc(&at, 256);
  cudaMemset(at, 0, 256);
  if (cuModuleLoadData(&module, Text) || cuModuleGetFunction(&function, module, "twice"))
    return 1;
  void *arguments[] = {&at};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  return cudaDeviceSynchronize();
}

// CHECK: counted: twice grid 1 1 1 block 64 1 1: 1 of 1 blocks
// CHECK: twice.f:8:
// CHECK-NEXT: global load of 4: 2 requests, 64 lanes
// CHECK: twice.f:9:
// CHECK-NEXT: global store of 4: 2 requests, 64 lanes
