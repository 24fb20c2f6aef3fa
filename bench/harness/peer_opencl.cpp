// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL: the first CPU device of the first platform that has one, which here is POCL.
#include "opencl.h"

#include <fstream>
#include <map>
#include <sstream>

namespace bench {
namespace opencl {
namespace {

struct State {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  std::map<std::string, cl_program> programs;
  std::map<std::string, cl_kernel> kernels;
};

cl_device_id findDevice() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  must(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count; ++i) {
    cl_device_id device;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  fail("no OpenCL CPU device");
}

State &state() {
  static State *all = [] {
    State *s = new State();
    cl_int error;
    s->device = findDevice();
    s->context = clCreateContext(nullptr, 1, &s->device, nullptr, nullptr, &error);
    must(error, "clCreateContext");
    s->queue = clCreateCommandQueue(s->context, s->device, 0, &error);
    must(error, "clCreateCommandQueue");
    return s;
  }();
  return *all;
}

cl_program build(const std::string &file) {
  std::ifstream stream(std::string(BENCH_DIR "/kernels/") + file + ".cl");
  if (!stream)
    fail("no file kernels/" + file + ".cl");
  std::stringstream text;
  text << stream.rdbuf();
  std::string source = text.str();
  const char *pointer = source.c_str();
  cl_int error;
  cl_program program = clCreateProgramWithSource(state().context, 1, &pointer, nullptr, &error);
  must(error, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &state().device, "-cl-mad-enable -cl-fast-relaxed-math -I" BENCH_DIR "/kernels", nullptr, nullptr) != CL_SUCCESS) {
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program, state().device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    fprintf(stderr, "%s\n", log.data());
    fail("kernels/" + file + ".cl does not compile");
  }
  return program;
}

} // namespace

void must(cl_int error, const char *what) {
  if (error != CL_SUCCESS)
    fail(std::string(what) + ": OpenCL error " + std::to_string(error));
}

cl_command_queue queue() { return state().queue; }

cl_kernel kernel(const char *file, const char *name) {
  cl_kernel &found = state().kernels[std::string(file) + '/' + name];
  if (found)
    return found;
  cl_program &program = state().programs[file];
  if (!program)
    program = build(file);
  cl_int error;
  found = clCreateKernel(program, name, &error);
  must(error, name);
  return found;
}

} // namespace opencl

using namespace opencl;

void *allocate(size_t bytes) {
  cl_int error;
  cl_mem memory = clCreateBuffer(state().context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
  must(error, "clCreateBuffer");
  return memory;
}

void release(void *array) { must(clReleaseMemObject(static_cast<cl_mem>(array)), "clReleaseMemObject"); }

void upload(void *array, const void *source, size_t bytes) {
  cl_mem memory = static_cast<cl_mem>(array);
  must(clEnqueueWriteBuffer(queue(), memory, CL_TRUE, 0, bytes, source, 0, nullptr, nullptr), "write");
}

void download(void *target, void *array, size_t bytes) {
  cl_mem memory = static_cast<cl_mem>(array);
  must(clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, bytes, target, 0, nullptr, nullptr), "read");
}

void synchronize() { must(clFinish(queue()), "clFinish"); }

} // namespace bench
