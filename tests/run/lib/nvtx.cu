// RUN: %heddle cc %s -o %t && %t
// RUN: %heddle cc -DBY_NAME %s -o %t -lnvToolsExt && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX around kernels, in a program that nobody listens to.
#ifdef BY_NAME
#include <nvToolsExt.h>
#else
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>
#endif

#include <cstdio>

__global__ void add(int *p) { atomicAdd(p, 1); }

int main() {
  int *p, result = 0;
  cudaMalloc(&p, sizeof(int));
  cudaMemset(p, 0, sizeof(int));
#ifdef BY_NAME
  if (nvtxRangePush("launch") != NVTX_NO_PUSH_POP_TRACKING)
    return 1;
  add<<<2, 32>>>(p);
  nvtxRangePop();
#else
  nvtxNameCudaStream(nullptr, "default");
  {
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range range("launch", nvtx3::rgb(1, 2, 3));
    add<<<2, 32>>>(p);
  }
#endif
  cudaMemcpy(&result, p, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  return result != 64;
}
