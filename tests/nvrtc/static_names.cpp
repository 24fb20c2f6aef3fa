// RUN: %nvcc -O1 -I%S/Inputs %s -lnvrtc -lcuda -o %t
// RUN: %t
// RUN: %heddle cc -fatbin -arch=sm_80 %S/Inputs/statics.cu -o %t.fatbin && %t %t.fatbin
// RUN: %heddle cc -ptx -arch=sm_80 %S/Inputs/statics.cu -o %t.ptx && %t %t.ptx
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static variables and kernels are in the module and have the names that nvcc gives them; what a program writes into
// such a variable is read, also where the source has a value for it.
#include "rtc.h"

#include <fstream>
#include <sstream>

static const char *Source = R"(
static __constant__ int table[32];
static __device__ int scale = 3;
static __global__ void kernel(int *out) { out[threadIdx.x] = table[threadIdx.x] * scale; }
)";

static void set(CUmodule module, const char *name, const std::vector<int> &values) {
  CUdeviceptr p;
  size_t bytes;
  CHECK(cuModuleGetGlobal(&p, &bytes, module, name) == CUDA_SUCCESS && bytes == values.size() * sizeof(int));
  CHECK(cuMemcpyHtoD(p, values.data(), bytes) == CUDA_SUCCESS);
}

static void check(const std::string &code, const char *kernel) {
  CUmodule module = load(code);
  CHECK(run(module, kernel)[5] == 0);
  std::vector<int> table(32);
  for (int i = 0; i < 32; ++i)
    table[i] = 10 * i;
  set(module, "table", table);
  CHECK(run(module, kernel)[5] == 150);
  set(module, "scale", {4});
  CHECK(run(module, kernel)[5] == 200);
  CUdeviceptr p;
  CHECK(cuModuleGetGlobal(&p, nullptr, module, "tables") == CUDA_ERROR_NOT_FOUND);
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "_Z6kernelPf") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
}

int main(int argc, char **argv) {
  useDevice();
  if (argc > 1) {
    std::ifstream file(argv[1], std::ios::binary);
    std::stringstream code;
    code << file.rdbuf();
    check(code.str(), "_Z6kernelPi");
    return 0;
  }
  Rtc program(Source);
  CHECK(nvrtcAddNameExpression(program.program, "kernel") == NVRTC_SUCCESS);
  program.compile({"-arch=sm_80"});
  CHECK(program.result == NVRTC_SUCCESS);
  check(program.cubin(), program.name("kernel"));
  check(program.ptx(), program.name("kernel"));
}
