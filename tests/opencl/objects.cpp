// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What objects say of themselves, their counts and callbacks, the functions of OpenCL 1.0 and 1.1, the loader's table.
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "opencl_test.h"

#include <CL/cl_icd.h>

#include <cstring>

static Machine m;

template <typename T, typename Function, typename Object> T ask(Function function, Object object, cl_uint name) {
  T value = {};
  size_t size = 0;
  OK(function(object, name, sizeof(T), &value, &size));
  CHECK(size == sizeof(T));
  CHECK_CODE(function(object, name, sizeof(T) - 1, &value, nullptr), CL_INVALID_VALUE);
  CHECK_CODE(function(object, 0xffff, 0, nullptr, nullptr), CL_INVALID_VALUE);
  return value;
}
template <typename Count, typename Function, typename Object>
void counted(Count retain, Count release, Function function, Object object, cl_uint name) {
  OK(retain(object));
  CHECK(ask<cl_uint>(function, object, name) == 2);
  OK(release(object));
  CHECK(ask<cl_uint>(function, object, name) == 1);
}

static int destroyed = 0;

static void platforms() {
  char text[2000] = "";
  OK(clGetPlatformInfo(m.platform, CL_PLATFORM_EXTENSIONS, sizeof(text), text, nullptr));
  CHECK(std::strstr(text, "cl_khr_icd"));
  OK(clGetPlatformInfo(m.platform, CL_PLATFORM_NAME, sizeof(text), text, nullptr));
  CHECK(text == std::string("Heddle"));
  CHECK(!clGetExtensionFunctionAddressForPlatform(m.platform, "clNoSuchFunction") && !clGetExtensionFunctionAddress("clNo"));
  OK(clUnloadPlatformCompiler(m.platform));
  OK(clUnloadCompiler());
  CHECK(ask<cl_device_type>(clGetDeviceInfo, m.device, CL_DEVICE_TYPE) == CL_DEVICE_TYPE_CPU);
  OK(clRetainDevice(m.device));
  OK(clReleaseDevice(m.device));
  const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  CHECK_CODE(clCreateSubDevices(m.device, parts, 0, nullptr, nullptr), CL_INVALID_VALUE);
  cl_ulong device = 0, host = 0, later = 0;
  OK(clGetDeviceAndHostTimer(m.device, &device, &host));
  OK(clGetHostTimer(m.device, &later));
  CHECK(device && host <= later);
}

static void contexts() {
  const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(m.platform), 0};
  cl_context context = clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &m.code);
  OK(m.code);
  CHECK(ask<cl_uint>(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES) == 1);
  OK(clSetContextDestructorCallback(context, [](cl_context, void *) { ++destroyed; }, nullptr));
  counted(clRetainContext, clReleaseContext, clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT);
  OK(clReleaseContext(context));
  CHECK(destroyed == 1);
  const cl_context_properties wrong[] = {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
  clCreateContext(wrong, 1, &m.device, nullptr, nullptr, &m.code);
  CHECK_CODE(m.code, CL_INVALID_PROPERTY);
  clCreateContextFromType(list, CL_DEVICE_TYPE_ACCELERATOR, nullptr, nullptr, &m.code);
  CHECK_CODE(m.code, CL_DEVICE_NOT_FOUND);
}

static void queues(cl_kernel kernel) {
  cl_command_queue queue = clCreateCommandQueue(m.context, m.device, CL_QUEUE_PROFILING_ENABLE, &m.code);
  OK(m.code);
  CHECK(ask<cl_command_queue_properties>(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES) == CL_QUEUE_PROFILING_ENABLE);
  counted(clRetainCommandQueue, clReleaseCommandQueue, clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT);
  CHECK_CODE(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, nullptr), CL_INVALID_OPERATION);
  cl_event task = nullptr, marker = nullptr, last = nullptr;
  OK(clEnqueueTask(queue, kernel, 0, nullptr, &task));
  OK(clEnqueueMarker(queue, &marker));
  OK(clEnqueueMarkerWithWaitList(m.queue, 1, &marker, &last)); // of another queue
  OK(clEnqueueWaitForEvents(queue, 1, &last));
  OK(clEnqueueBarrier(queue));
  OK(clFlush(queue));
  OK(clFinish(queue));
  CHECK(ask<cl_int>(clGetEventInfo, last, CL_EVENT_COMMAND_EXECUTION_STATUS) == CL_COMPLETE);
  counted(clRetainEvent, clReleaseEvent, clGetEventInfo, task, CL_EVENT_REFERENCE_COUNT);
  CHECK_CODE(clEnqueueMarkerWithWaitList(queue, 0, &last, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  for (cl_event event : {task, marker, last})
    OK(clReleaseEvent(event));
  OK(clReleaseCommandQueue(queue));
  CHECK_CODE(clEnqueueMarker(m.queue, nullptr), CL_INVALID_VALUE);
  CHECK_CODE(clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
}

static void memory() {
  const cl_mem_properties none[] = {0}, wrong[] = {77, 1, 0};
  cl_mem buffer = clCreateBufferWithProperties(m.context, none, CL_MEM_READ_ONLY, 64, nullptr, &m.code);
  OK(m.code);
  clCreateBufferWithProperties(m.context, wrong, CL_MEM_READ_ONLY, 64, nullptr, &m.code);
  CHECK_CODE(m.code, CL_INVALID_PROPERTY);
  counted(clRetainMemObject, clReleaseMemObject, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT);
  OK(clSetMemObjectDestructorCallback(buffer, [](cl_mem, void *count) { ++*static_cast<int *>(count); }, &destroyed));
  OK(clReleaseMemObject(buffer));
  CHECK(destroyed == 2);

  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_mem flat = clCreateImage2D(m.context, 0, &format, 5, 3, 0, nullptr, &m.code);
  OK(m.code);
  cl_mem solid = clCreateImage3D(m.context, 0, &format, 5, 3, 2, 0, 0, nullptr, &m.code);
  OK(m.code);
  CHECK(ask<size_t>(clGetImageInfo, flat, CL_IMAGE_ROW_PITCH) == 80 && ask<size_t>(clGetImageInfo, solid, CL_IMAGE_DEPTH) == 2);
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE1D;
  description.image_width = 9;
  cl_mem row = clCreateImageWithProperties(m.context, none, 0, &format, &description, nullptr, &m.code);
  OK(m.code);
  cl_uint count = 0;
  OK(clGetSupportedImageFormats(m.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
  CHECK(count > 20);
  for (cl_mem image : {flat, solid, row})
    OK(clReleaseMemObject(image));

  cl_sampler sampler = clCreateSampler(m.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &m.code);
  OK(m.code);
  CHECK(ask<cl_addressing_mode>(clGetSamplerInfo, sampler, CL_SAMPLER_ADDRESSING_MODE) == CL_ADDRESS_REPEAT);
  counted(clRetainSampler, clReleaseSampler, clGetSamplerInfo, sampler, CL_SAMPLER_REFERENCE_COUNT);
  OK(clReleaseSampler(sampler));

  void *shared = clSVMAlloc(m.context, CL_MEM_READ_WRITE, 64, 0);
  const void *list[] = {shared};
  OK(clEnqueueSVMMigrateMem(m.queue, 1, list, nullptr, 0, 0, nullptr, nullptr));
  OK(clFinish(m.queue));
  clSVMFree(m.context, shared);
}

/// A handle that is released once too often is none any more.
static void releasedTwice() {
  cl_mem buffer = m.buffer(std::vector<int>(1));
  cl_program program = m.build("kernel void k() {}");
  cl_kernel kernel = m.kernel(program, "k");
  cl_event event = clCreateUserEvent(m.context, &m.code);
  OK(clReleaseMemObject(buffer));
  OK(clReleaseKernel(kernel));
  OK(clReleaseProgram(program));
  OK(clReleaseEvent(event));
  CHECK_CODE(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clReleaseKernel(kernel), CL_INVALID_KERNEL);
  CHECK_CODE(clReleaseProgram(program), CL_INVALID_PROGRAM);
  CHECK_CODE(clReleaseEvent(event), CL_INVALID_EVENT);
}

static void kernels(cl_program program, cl_kernel kernel) {
  cl_kernel all[2] = {};
  cl_uint count = 0;
  OK(clCreateKernelsInProgram(program, 2, all, &count));
  CHECK(count == 2);
  CHECK_CODE(clCreateKernelsInProgram(program, 1, all, nullptr), CL_INVALID_VALUE);
  cl_kernel copy = clCloneKernel(kernel, &m.code);
  OK(m.code);
  m.run(copy, {1}); // with the arguments of the other
  counted(clRetainKernel, clReleaseKernel, clGetKernelInfo, copy, CL_KERNEL_REFERENCE_COUNT);
  counted(clRetainProgram, clReleaseProgram, clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
  const size_t shape[] = {50, 2};
  size_t answer = 0;
  OK(clGetKernelSubGroupInfo(kernel, m.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof(shape), shape, sizeof(answer),
                             &answer, nullptr));
  CHECK(answer == 4);
  OK(clFinish(m.queue));
}

/// What is in the loader's table: all that is done, and what refuses.
template <typename R, typename... Parameters> R nothing(R (*function)(Parameters...)) { return function(Parameters{}...); }
template <typename R> bool refuses(R answer) {
  if constexpr (std::is_pointer_v<R>)
    return !answer;
  else
    return answer == CL_INVALID_OPERATION;
}
static void table() {
  const auto &table = **reinterpret_cast<const cl_icd_dispatch *const *>(m.platform);
  int rows = 0;
#define Done(name) CHECK(table.name)
#define Refused(name) CHECK(table.name && refuses(nothing(table.name)))
#define Slot(name) CHECK(!table.name)
#define HEDDLE_OPENCL(group, name, state)                                                          \
  state(name);                                                                                     \
  ++rows;
#include "../../src/opencl/opencl.def"
  CHECK_CODE(clGetPipeInfo(nullptr, CL_PIPE_PACKET_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  CHECK(rows * sizeof(void *) <= sizeof(table));
  size_t answer = 0;
  const size_t shape = 64;
  cl_kernel kernel = m.kernel(m.build("kernel void k() {}"), "k");
  OK(table.clGetKernelSubGroupInfoKHR(kernel, m.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(shape), &shape,
                                      sizeof(answer), &answer, nullptr));
  CHECK(answer == 32);
}

int main() {
  cl_program program = m.build("kernel void add(global int *a) { a[0]++; } kernel void other() {}");
  cl_kernel kernel = m.kernel(program, "add");
  cl_mem a = m.buffer(std::vector<int>(1));
  setArguments(kernel, a);
  platforms();
  contexts();
  queues(kernel);
  memory();
  kernels(program, kernel);
  CHECK(m.read<int>(a)[0] == 2);
  releasedTwice();
  table();
}
