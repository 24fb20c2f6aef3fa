// RUN: %heddle cc %s -o %t -lcuda
// RUN: env CUDA_CACHE_PATH=%t.cache %t
// RUN: env CUDA_CACHE_PATH=%t.cache %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of thousands of kernels, each of which is read when it is first used: variables that they share, functions
// that one stores and another calls, and a kernel that is wrong.
#include "ptx_module.h"

static std::string kernel(int i) {
  const std::string number = std::to_string(i);
  return ".visible .entry k" + number + "(.param .u64 p) {" + ptxElement + R"(
	.reg .u32 %r;
	ld.global.u32 %r, [shared_by_all];
	add.u32 %v, %v, %r;
	add.u32 %v, %v, )" +
         number + R"(;
	st.global.u32 [%a], %v;
	add.u32 %r, %r, 1000;
	st.global.u32 [shared_by_all], %r;
	ret;
}
)";
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  std::string text = R"(
.global .align 4 .u32 shared_by_all = 5;
.global .align 8 .u64 chosen[2];
.global .align 8 .u64 table[2] = {square, twice};
.func (.param .b32 r) twice(.param .b32 a) {
	.reg .u32 %r;
	ld.param.u32 %r, [a];
	add.u32 %r, %r, %r;
	st.param.u32 [r], %r;
	ret;
}
.func (.param .b32 r) square(.param .b32 a) {
	.reg .u32 %r;
	ld.param.u32 %r, [a];
	mul.lo.u32 %r, %r, %r;
	st.param.u32 [r], %r;
	ret;
}
.visible .entry choose() {
	.reg .u64 %f;
	ld.global.u64 %f, [table];
	st.global.u64 [chosen], %f;
	mov.u64 %f, twice;
	st.global.u64 [chosen+8], %f;
	ret;
}
.visible .entry call(.param .u64 p) .maxntid 64 {)" +
                     ptxElement + R"(
	.reg .u64 %f; .reg .u64 %x; .shared .align 4 .b8 unused[64];
	and.b32 %t, %t, 1;
	mul.wide.u32 %x, %t, 8;
	mov.u64 %f, chosen;
	add.u64 %f, %f, %x;
	ld.global.u64 %f, [%f];
	{ .param .b32 a; .param .b32 b;
	  st.param.b32 [a], %v;
	  type : .callprototype (.param .b32 _) _ (.param .b32 _);
	  call (b), %f, (a), type;
	  ld.param.b32 %v, [b]; }
	st.global.u32 [%a], %v;
	ret;
}
.visible .entry wrong() {
	foo.u32 1;
	ret;
}
)";
  for (int i = 0; i < 3000; i++)
    text += kernel(i);
  CUmodule module = loadPtx(text);
  unsigned count = 0;
  DRIVER_OK(cuModuleGetFunctionCount(&count, module));
  expect("kernels", 0, count, 3003u);
  expectAll("the first", runPtx(module, "k0", {1}), {6});
  expectAll("the last", runPtx(module, "k2999", {1}), {4005});
  int value = 0;
  DRIVER_OK(cuMemcpyDtoH(&value, globalOf(module, "shared_by_all", 4), 4));
  expect("a variable", 0, value, 2005);
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "choose"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  expectAll("functions", runPtx(module, "call", {3, 4, 5, 6}), {9, 8, 25, 12});
  int threads = 0;
  DRIVER_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               functionOf(module, "call")));
  expect("bounds", 0, threads, 64);
  expectCode(
      "a wrong kernel",
      cuLaunchKernel(functionOf(module, "wrong"), 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      CUDA_ERROR_INVALID_PTX);
  CUfunction function;
  expectCode("no kernel", cuModuleGetFunction(&function, module, "k3000"), CUDA_ERROR_NOT_FOUND);
  return finish();
}
