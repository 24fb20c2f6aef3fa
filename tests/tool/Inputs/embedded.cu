// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers what fatbinary --embedded-fatbin has written (dump.test), as the host code of other compilers does.
#include "add.c"

#include <cstdio>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaUnregisterFatBinary(void **);
}

static void stub() {}

int main() {
  void **handle = __cudaRegisterFatBinary((void *)&__fatDeviceText);
  char name[] = "_Z3addPKiPi";
  __cudaRegisterFunction(handle, (const char *)stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  int *p, value = 0;
  cudaMallocManaged(&p, 8);
  p[0] = 40, p[1] = 1;
  int *q = p + 1;
  void *arguments[] = {&p, &q};
  if (cudaLaunchKernel((const void *)stub, dim3(1), dim3(1), arguments, 0, nullptr) || cudaDeviceSynchronize())
    return 1;
  std::printf("%d\n", p[1]);
  __cudaUnregisterFatBinary(handle);
}
