// REQUIRES: opencl
// RUN: %opencl %s -o %t && not %heddle check --tool memcheck,racecheck --error-exitcode 1 %t > %t.txt 2>&1
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=OUTSIDE
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=LOCAL
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=GLOBAL
// RUN: FileCheck %s --input-file=%t.txt --check-prefix=RIGHT
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of OpenCL, wrong ones beside right ones.
// OUTSIDE: Invalid global read of 4 bytes, in kernel scale
// LOCAL: of shared memory {{.*}} in kernel turn
// GLOBAL: of global memory (4 bytes), in kernel sum
// RIGHT-NOT: Right
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
static const char *Text = R"(
kernel void scale(global float *a, int n) {
  int i = get_global_id(0);
  if (i <= n)
    a[i] *= 2;
}
kernel void scaleRight(global float *a, int n) {
  int i = get_global_id(0);
  if (i < n)
    a[i] *= 2;
}
kernel void turn(global float *a, local float *t) {
  int i = get_local_id(0);
  t[i] = a[i];
  a[i] = t[63 - i];
}
kernel void turnRight(global float *a, local float *t) {
  int i = get_local_id(0);
  t[i] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = t[63 - i];
}
kernel void sum(global int *s) { s[0] += get_global_id(0); }
kernel void sumRight(global int *s) { atomic_add(s, (int)get_global_id(0)); }
)";

int main() {
  cl_platform_id platform;
  cl_device_id device;
  cl_int e;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context c = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &e);
  cl_command_queue q = clCreateCommandQueue(c, device, 0, &e);
  cl_program p = clCreateProgramWithSource(c, 1, &Text, nullptr, &e);
  if (clBuildProgram(p, 1, &device, "-g", nullptr, nullptr))
    return 2;
  int n = 100;
  float zeros[128] = {};
  cl_mem a = clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * 4, zeros, &e);
  auto run = [&](const char *name, size_t threads, bool isLocal, bool hasN) {
    cl_kernel k = clCreateKernel(p, name, &e);
    clSetKernelArg(k, 0, sizeof(a), &a);
    if (isLocal)
      clSetKernelArg(k, 1, 256, nullptr);
    if (hasN)
      clSetKernelArg(k, 1, 4, &n);
    size_t local = 64;
    e = clEnqueueNDRangeKernel(q, k, 1, nullptr, &threads, &local, 0, nullptr, nullptr);
    clFinish(q);
    clReleaseKernel(k);
  };
  run("scale", 128, false, true);
  run("scaleRight", 128, false, true);
  run("turn", 64, true, false);
  run("turnRight", 64, true, false);
  run("sum", 128, false, false);
  run("sumRight", 128, false, false);
  clReleaseMemObject(a);
  clReleaseProgram(p);
  clReleaseCommandQueue(q);
  clReleaseContext(c);
  return 0;
}
