/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A C program of the driver API alone: runs the kernel of sines.cu, whose module is the file that is named. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult result, const char *call) {
  const char *name = "an unknown error";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", call, name);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(int count, char **arguments) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction sines;
  CUdeviceptr x;
  float values[64];
  void *parameters[] = {&x};
  int i, right = 1;
  for (i = 0; i < 64; i++)
    values[i] = i % 2 ? 1.57079633f : 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, count > 1 ? arguments[1] : ""));
  CHECK(cuModuleGetFunction(&sines, module, "_Z5sinesPf"));
  CHECK(cuMemAlloc(&x, sizeof(values)));
  CHECK(cuMemcpyHtoD(x, values, sizeof(values)));
  CHECK(cuLaunchKernel(sines, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
  CHECK(cuMemcpyDtoH(values, x, sizeof(values)));
  for (i = 0; i < 64; i++)
    right &= values[i] > (i % 2) - 1e-6f && values[i] < (i % 2) + 1e-6f;
  printf("the driver's sines are %s\n", right ? "right" : "wrong");
  return !right;
}
