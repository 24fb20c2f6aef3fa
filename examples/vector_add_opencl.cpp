// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t | FileCheck %s
// CHECK: ok 1000000
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chapter "General Purpose GPU Programming", 7.6: OpenCL, from a CUDA perspective. The program of figure 7.6, the sum of two
// vectors: a platform, a device, a context and a queue come first; the kernel is a text, which is compiled while the
// program runs. Each work-item adds one pair in 5,120.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cstdio>
#include <vector>

static const char *Source = R"(
kernel void add(global const float *a, global const float *b, global float *c, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    c[i] = a[i] + b[i];
}
)";

static bool addsUp(cl_context context, cl_command_queue queue, cl_kernel kernel, int n) {
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = float(i);
    b[i] = 0.5f * float(i);
  }
  const size_t bytes = n * sizeof(float);
  cl_mem inA = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a.data(), nullptr);
  cl_mem inB = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b.data(), nullptr);
  cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, nullptr, nullptr);
  clSetKernelArg(kernel, 0, sizeof(cl_mem), &inA);
  clSetKernelArg(kernel, 1, sizeof(cl_mem), &inB);
  clSetKernelArg(kernel, 2, sizeof(cl_mem), &out);
  clSetKernelArg(kernel, 3, sizeof(int), &n);
  const size_t global = 160 * 32, local = 32;
  clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, c.data(), 0, nullptr, nullptr);
  for (cl_mem memory : {inA, inB, out})
    clReleaseMemObject(memory);
  for (int i = 0; i < n; ++i)
    if (c[i] != a[i] + b[i])
      return false;
  return true;
}

int main() {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, nullptr) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr))
    return std::printf("FAIL no device\n"), 1;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  cl_program program = clCreateProgramWithSource(context, 1, &Source, nullptr, nullptr);
  if (clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr))
    return std::printf("FAIL build\n"), 1;
  cl_kernel kernel = clCreateKernel(program, "add", nullptr);
  bool isGood = true;
  for (int n : {1, 1000, 1000000}) {
    const bool isRight = addsUp(context, queue, kernel, n);
    std::printf("%s %d\n", isRight ? "ok" : "FAIL", n);
    isGood = isGood && isRight;
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return !isGood;
}
