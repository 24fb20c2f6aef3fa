// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the launch of an empty kernel takes (opencl.py): the call, the call and the run of many in a row, one that is waited for.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int code = clGetPlatformIDs(1, &platform, nullptr);
  code |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const char *source = "kernel void empty() {}";
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  code |= clBuildProgram(program, 1, &device, "", nullptr, nullptr);
  cl_kernel kernel = clCreateKernel(program, "empty", nullptr);
  const size_t one = 1;
  double launch = INFINITY, all = INFINITY, wait = INFINITY;
  for (int round = 0; round < 200; ++round) {
    constexpr int Launches = 200;
    const double start = now();
    for (int i = 0; i < Launches; ++i)
      code |= clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    launch = std::min(launch, (now() - start) / Launches);
    code |= clFinish(queue);
    all = std::min(all, (now() - start) / Launches);
    const double again = now();
    code |= clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
    code |= clFinish(queue);
    wait = std::min(wait, now() - again);
  }
  if (code)
    return std::printf("failed: %d\n", code), 1;
  std::printf("launched in %.2f us, run in a row in %.2f us, waited for %.2f us\n", launch * 1e6, all * 1e6, wait * 1e6);
}
