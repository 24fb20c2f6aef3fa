// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of PTX modules share.
#pragma once

#include "driver.h"

static const std::string ptxHead = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// A module of `text` behind the usual head.
inline CUmodule loadPtx(const std::string &text) {
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, (ptxHead + text).c_str()));
  return module;
}

/// Runs `kernel(int *p)` with a thread for each element, and gives what is in p then.
inline std::vector<int> runPtx(CUmodule module, const char *kernel, const std::vector<int> &p,
                               unsigned sharedBytes = 0) {
  Buffer<int> data(p);
  void *args[] = {&data.data};
  DRIVER_OK(cuLaunchKernel(functionOf(module, kernel), 1, 1, 1, unsigned(p.size()), 1, 1,
                           sharedBytes, nullptr, args, nullptr));
  std::vector<int> found(p.size());
  CUDA_OK(cudaMemcpy(found.data(), data, p.size() * sizeof(int), cudaMemcpyDeviceToHost));
  return found;
}

/// The start of a kernel k(p): %a is the address of the thread's element, %v its value.
static const std::string ptxElement = R"(
	.reg .b64 %a, %i; .reg .b32 %v, %t;
	ld.param.u64 %a, [p];
	cvta.to.global.u64 %a, %a;
	mov.u32 %t, %tid.x;
	mul.wide.u32 %i, %t, 4;
	add.u64 %a, %a, %i;
	ld.global.u32 %v, [%a];
)";
