// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests of OpenCL share: a context with a queue, programs, buffers; CHECK ends the program.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)
#define OK(call) CHECK_CODE(call, CL_SUCCESS)
#define CHECK_CODE(call, expected)                                                                 \
  do {                                                                                             \
    const cl_int code_ = (call);                                                                   \
    if (code_ != (expected)) {                                                                     \
      std::printf("%s:%d: %s: %d instead of %d\n", __FILE__, __LINE__, #call, code_, expected);    \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Machine {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_int code = 0;

  explicit Machine(cl_command_queue_properties properties = 0) {
    OK(clGetPlatformIDs(1, &platform, nullptr));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    OK(code);
    queue = makeQueue(properties);
  }
  cl_command_queue makeQueue(cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &code);
    OK(code);
    return made;
  }
  cl_program build(const char *source, const char *options = "-cl-std=CL3.0") {
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    OK(code);
    code = clBuildProgram(program, 1, &device, options, nullptr, nullptr);
    if (code)
      std::printf("%s", log(program).c_str());
    OK(code);
    return program;
  }
  std::string log(cl_program program) {
    char text[20000] = "";
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, nullptr));
    return text;
  }
  cl_kernel kernel(cl_program program, const char *name) {
    cl_kernel made = clCreateKernel(program, name, &code);
    OK(code);
    return made;
  }
  template <typename T> cl_mem buffer(std::vector<T> values, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    cl_mem made = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T), values.data(), &code);
    OK(code);
    return made;
  }
  template <typename T> std::vector<T> read(cl_mem memory) {
    size_t size = 0;
    OK(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size, nullptr));
    std::vector<T> values(size / sizeof(T));
    OK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, values.data(), 0, nullptr, nullptr));
    return values;
  }
  void run(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
           std::vector<size_t> offset = {}) {
    OK(clEnqueueNDRangeKernel(queue, kernel, static_cast<cl_uint>(global.size()),
                              offset.empty() ? nullptr : offset.data(), global.data(),
                              local.empty() ? nullptr : local.data(), 0, nullptr, nullptr));
  }
};

template <typename... Values> void setArguments(cl_kernel kernel, const Values &...values) {
  cl_uint index = 0;
  auto set = [&](size_t size, const void *value) { OK(clSetKernelArg(kernel, index++, size, value)); };
  (set(sizeof(values), &values), ...);
}
