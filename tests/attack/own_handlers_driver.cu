// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that links libcuda.so.1 only and sets a handler of SIGSEGV behind its first call: a kernel's fault is the
// device's, its own is the program's.
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc -fatbin %s -o %t.fatbin
// RUN: g++ -x c++ -std=c++11 -I%build/lib/heddle/include %s -L%build/lib -lcuda -Wl,-rpath,%build/lib -o %t
// RUN: %t %t.fatbin
#ifdef __CUDACC__
extern "C" __global__ void write(int *p) { p[threadIdx.x] = 1; }
#else
#include <cuda.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

static sigjmp_buf back;
static volatile int handled = 0;
static void handle(int) {
  ++handled;
  siglongjmp(back, 1);
}

static void check(bool isGood, const char *what) {
  if (isGood)
    return;
  std::printf("%s\n", what);
  std::exit(1);
}

static void ownFault() {
  if (sigsetjmp(back, 1) == 0)
    *reinterpret_cast<volatile int *>(16) = 1;
}

int main(int, char **arguments) {
  CUcontext context;
  CUmodule module;
  CUfunction write;
  CUdeviceptr p = 4096;
  void *parameters[] = {&p};
  check(cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, 0, 0) == CUDA_SUCCESS, "no context");
  std::signal(SIGSEGV, handle);
  check(cuModuleLoad(&module, arguments[1]) == CUDA_SUCCESS, "no module");
  check(cuModuleGetFunction(&write, module, "write") == CUDA_SUCCESS, "no kernel");
  ownFault();
  check(handled == 1, "the program's fault is not its own");
  check(cuLaunchKernel(write, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS, "no launch");
  check(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "the kernel's fault is not told");
  check(handled == 1, "the kernel's fault came to the program");
  ownFault();
  check(handled == 2, "the program's fault is not its own any more");
}
#endif
