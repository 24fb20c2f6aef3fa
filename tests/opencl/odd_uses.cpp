// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses of the API that are allowed but rare: releases in callbacks, queues that are released before their commands run,
// parts of buffers that overlap, maps in any order, failed user events, ranges of primes, binaries in other contexts; and
// codes of what is not allowed.
#include "opencl_test.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

static const char *Source = R"(
kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
kernel void place(global int *a) {
  size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  size_t g = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
  a[i] += 1 + (g + get_global_offset(0) != get_global_id(0));
}
kernel void both(global int *a, global int *b) { int i = get_global_id(0); a[i] = i; b[i] = 2 * i; }
kernel void shared(global int *a, local int *t) { t[get_local_id(0)] = 1; a[0] = t[0]; }
)";

static cl_event userEvent(Machine &m) {
  cl_event event = clCreateUserEvent(m.context, &m.code);
  OK(m.code);
  return event;
}

static int status(cl_event event) {
  cl_int value = 0;
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(value), &value, nullptr));
  return value;
}

static std::atomic<int> called{0};

static void releases(Machine &m, cl_program program) {
  // An event's callback releases it, its kernel and the buffer.
  struct All {
    cl_event event;
    cl_kernel kernel;
    cl_mem memory;
  } all = {nullptr, m.kernel(program, "add"), m.buffer(std::vector<int>(64))};
  OK(clSetMemObjectDestructorCallback(all.memory, [](cl_mem, void *) { ++called; }, nullptr));
  setArguments(all.kernel, all.memory, 1);
  cl_event start = userEvent(m);
  const size_t size = 64;
  OK(clEnqueueNDRangeKernel(m.queue, all.kernel, 1, nullptr, &size, nullptr, 1, &start, &all.event));
  auto release = [](cl_event event, cl_int, void *data) {
    auto &all = *static_cast<All *>(data);
    OK(clReleaseKernel(all.kernel));
    OK(clReleaseMemObject(all.memory));
    OK(clReleaseEvent(event));
    ++called;
  };
  OK(clSetEventCallback(all.event, CL_COMPLETE, release, &all));
  OK(clSetUserEventStatus(start, CL_COMPLETE));
  OK(clFinish(m.queue));
  while (called != 2)
    std::this_thread::yield();
  OK(clReleaseEvent(start));
}

static void releasedQueue(Machine &m, cl_program program) {
  cl_command_queue queue = m.makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem memory = m.buffer(std::vector<int>(64));
  cl_kernel kernel = m.kernel(program, "add");
  setArguments(kernel, memory, 5);
  cl_event start = userEvent(m), done;
  const size_t size = 64;
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 1, &start, &done));
  setArguments(kernel, memory, 7); // arguments are those of the call
  OK(clReleaseKernel(kernel));
  OK(clReleaseCommandQueue(queue));
  CHECK(status(done) == CL_QUEUED || status(done) == CL_SUBMITTED);
  OK(clSetUserEventStatus(start, CL_COMPLETE));
  OK(clWaitForEvents(1, &done));
  CHECK(m.read<int>(memory)[63] == 5);
}

static void failedEvents(Machine &m, cl_program program) {
  cl_command_queue queue = m.makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem memory = m.buffer(std::vector<int>(64));
  cl_kernel kernel = m.kernel(program, "add");
  setArguments(kernel, memory, 1);
  const size_t size = 64;
  cl_event start = userEvent(m), first, second, marker, free;
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 1, &start, &first));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 1, &first, &second));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, &free));
  OK(clEnqueueMarkerWithWaitList(queue, 1, &second, &marker));
  OK(clWaitForEvents(1, &free));
  OK(clSetUserEventStatus(start, -77));
  CHECK_CODE(clSetUserEventStatus(start, CL_COMPLETE), CL_INVALID_OPERATION);
  CHECK_CODE(clWaitForEvents(1, &second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(status(first) < 0 && status(second) < 0 && status(marker) < 0);
  OK(clFinish(queue));
  int value;
  CHECK_CODE(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &value, 1, &second, nullptr),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(m.read<int>(memory)[5] == 1);
}

static void parts(Machine &m, cl_program program) {
  cl_uint align = 0;
  OK(clGetDeviceInfo(m.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, nullptr));
  const size_t step = align / 8, ints = step / 4;
  cl_mem whole = m.buffer(std::vector<int>(4 * ints, -1));
  auto part = [&](size_t first, size_t steps) {
    cl_buffer_region region = {first * step, steps * step};
    cl_mem made = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &m.code);
    OK(m.code);
    return made;
  };
  cl_mem a = part(0, 3), b = part(1, 3);
  cl_kernel kernel = m.kernel(program, "add");
  setArguments(kernel, a, 10);
  m.run(kernel, {3 * ints});
  setArguments(kernel, b, 100);
  m.run(kernel, {3 * ints});
  std::vector<int> all = m.read<int>(whole);
  CHECK(all[0] == 9 && all[ints] == 109 && all[3 * ints - 1] == 109 && all[3 * ints] == 99);
  CHECK_CODE(clEnqueueCopyBuffer(m.queue, a, b, step, 0, step, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  cl_buffer_region odd = {1, step};
  clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &m.code);
  CHECK(m.code == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  cl_buffer_region region = {0, step};
  clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &m.code);
  CHECK(m.code == CL_INVALID_MEM_OBJECT);
  OK(clReleaseMemObject(whole)); // its parts keep it
  setArguments(kernel, b, 1);
  m.run(kernel, {3 * ints});
  CHECK(m.read<int>(b)[0] == 110);
}

static void maps(Machine &m) {
  cl_command_queue queue = m.makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem memory = m.buffer(std::vector<int>(100, 3));
  cl_event start = userEvent(m), mapped, unmapped[2];
  auto *late = static_cast<int *>(
      clEnqueueMapBuffer(queue, memory, CL_FALSE, CL_MAP_WRITE, 40, 40, 1, &start, &mapped, &m.code));
  OK(m.code);
  auto *now = static_cast<int *>(
      clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 0, 400, 0, nullptr, nullptr, &m.code));
  OK(m.code);
  CHECK(now[99] == 3);
  OK(clSetUserEventStatus(start, CL_COMPLETE));
  OK(clWaitForEvents(1, &mapped));
  late[0] = 8;
  OK(clEnqueueUnmapMemObject(queue, memory, late, 0, nullptr, &unmapped[0]));
  OK(clEnqueueUnmapMemObject(queue, memory, now, 1, &unmapped[0], &unmapped[1]));
  OK(clWaitForEvents(1, &unmapped[1]));
  CHECK_CODE(clEnqueueUnmapMemObject(queue, memory, now, 0, nullptr, nullptr), CL_INVALID_VALUE);
  std::vector<int> all = m.read<int>(memory);
  CHECK(all[10] == 8 && all[11] == 3);
  cl_mem closed = clCreateBuffer(m.context, CL_MEM_HOST_NO_ACCESS, 64, nullptr, &m.code);
  clEnqueueMapBuffer(queue, closed, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr, &m.code);
  CHECK(m.code == CL_INVALID_OPERATION);
  int none = 0;
  OK(clEnqueueReadBuffer(m.queue, memory, CL_TRUE, 4, 0, &none, 0, nullptr, nullptr)); // of nothing
  OK(clEnqueueCopyBuffer(m.queue, memory, memory, 0, 0, 0, 0, nullptr, nullptr));
  clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ, 0, 0, 0, nullptr, nullptr, &m.code);
  CHECK(m.code == CL_INVALID_VALUE);
}

static void primes(Machine &m, cl_program program) {
  cl_kernel place = m.kernel(program, "place");
  for (std::vector<size_t> size : {std::vector<size_t>{1}, {9973}, {104729}, {127, 131}, {7, 11, 13}, {1, 1, 251}, {2, 509, 3}}) {
    size_t count = 1;
    for (size_t extent : size)
      count *= extent;
    cl_mem out = m.buffer(std::vector<int>(count));
    setArguments(place, out);
    m.run(place, size);
    for (int value : m.read<int>(out))
      CHECK(value == 1);
    OK(clReleaseMemObject(out));
  }
  const size_t none = 0, size = 64, local = 7;
  cl_mem out = m.buffer(std::vector<int>(64));
  setArguments(place, out);
  OK(clEnqueueNDRangeKernel(m.queue, place, 1, nullptr, &none, nullptr, 0, nullptr, nullptr)); // as 2.1 and later allow
  OK(clEnqueueNDRangeKernel(m.queue, place, 1, nullptr, &size, &local, 0, nullptr, nullptr));  // as 2.0 and later do
  OK(clFinish(m.queue));
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, place, 0, nullptr, &size, nullptr, 0, nullptr, nullptr), CL_INVALID_WORK_DIMENSION);
  cl_kernel old = m.kernel(m.build(Source, "-cl-std=CL1.2 -Dget_enqueued_local_size=get_local_size"), "add");
  setArguments(old, out, 1);
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, old, 1, nullptr, &size, &local, 0, nullptr, nullptr), CL_INVALID_WORK_GROUP_SIZE);
}

static void arguments(Machine &m, cl_program program) {
  cl_kernel shared = m.kernel(program, "shared");
  int value = 0;
  CHECK_CODE(clSetKernelArg(shared, 1, 0, nullptr), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clSetKernelArg(shared, 1, 64, &value), CL_INVALID_ARG_VALUE);
  CHECK_CODE(clSetKernelArg(shared, 2, 4, &value), CL_INVALID_ARG_INDEX);
  cl_kernel add = m.kernel(program, "add");
  CHECK_CODE(clSetKernelArg(add, 1, 8, &value), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clSetKernelArg(add, 1, 4, nullptr), CL_INVALID_ARG_VALUE);
  const size_t size = 1;
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, add, 1, nullptr, &size, nullptr, 0, nullptr, nullptr), CL_INVALID_KERNEL_ARGS);
  CHECK_CODE(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_INVALID_OPERATION); // it has kernels
  clCreateProgramWithIL(m.context, "\x03\x02\x23\x07", 4, &m.code);
  CHECK(m.code == CL_INVALID_OPERATION);
}

static void otherContext(Machine &m, cl_program program) {
  size_t size = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr));
  std::vector<unsigned char> bytes(size);
  unsigned char *pointer = bytes.data();
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(pointer), &pointer, nullptr));
  Machine other;
  const unsigned char *binary = bytes.data();
  cl_int state;
  cl_program copy = clCreateProgramWithBinary(other.context, 1, &other.device, &size, &binary, &state, &other.code);
  OK(other.code);
  OK(clBuildProgram(copy, 0, nullptr, "", nullptr, nullptr));
  cl_kernel both = other.kernel(copy, "both");
  cl_mem a = other.buffer(std::vector<int>(10)), b = other.buffer(std::vector<int>(10)), foreign = m.buffer(std::vector<int>(10));
  setArguments(both, a, b);
  other.run(both, {10});
  CHECK(other.read<int>(b)[9] == 18);
  const size_t ten = 10;
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, both, 1, nullptr, &ten, nullptr, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  CHECK_CODE(clEnqueueCopyBuffer(m.queue, a, foreign, 0, 0, 4, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  cl_event start = userEvent(m);
  CHECK_CODE(clEnqueueMarkerWithWaitList(other.queue, 1, &start, nullptr), CL_INVALID_CONTEXT);
  OK(clSetUserEventStatus(start, CL_COMPLETE));
  cl_event nothing = nullptr;
  CHECK_CODE(clEnqueueMarkerWithWaitList(m.queue, 1, &nothing, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  OK(clReleaseContext(other.context)); // its queue, program and buffers keep it
  other.run(both, {10});
  CHECK(other.read<int>(a)[9] == 9);
}

/// A barrier with a list waits for the list alone, not for what waits before it.
void barriers() {
  Machine m(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_event held = userEvent(m), first = nullptr, last = nullptr, never = nullptr;
  OK(clEnqueueMarkerWithWaitList(m.queue, 0, nullptr, &first));
  OK(clEnqueueMarkerWithWaitList(m.queue, 1, &held, &never));
  OK(clEnqueueBarrierWithWaitList(m.queue, 1, &first, nullptr));
  OK(clEnqueueMarkerWithWaitList(m.queue, 1, &first, &last));
  OK(clWaitForEvents(1, &last));
  OK(clSetUserEventStatus(held, CL_COMPLETE));
  OK(clFinish(m.queue));
}

/// Memory is free once the command is done: the function of the program has been called.
void freed(Machine &m) {
  static std::atomic<int> calls;
  void *memory = clSVMAlloc(m.context, CL_MEM_READ_WRITE, 64, 0);
  auto release = [](cl_command_queue, cl_uint count, void *pointers[], void *context) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    clSVMFree(static_cast<cl_context>(context), pointers[0]);
    calls += static_cast<int>(count);
  };
  OK(clEnqueueSVMFree(m.queue, 1, &memory, release, m.context, 0, nullptr, nullptr));
  OK(clFinish(m.queue));
  CHECK(calls == 1);
  cl_event start = userEvent(m), end = nullptr;
  OK(clEnqueueSVMFree(m.queue, 1, &memory, release, m.context, 1, &start, &end));
  OK(clSetUserEventStatus(start, -7));
  CHECK_CODE(clWaitForEvents(1, &end), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(calls == 1);
  clCreateProgramWithBuiltInKernels(m.context, 1, &m.device, "none", &m.code);
  CHECK_CODE(m.code, CL_INVALID_VALUE);
}

int main() {
  Machine m;
  cl_program program = m.build(Source);
  releases(m, program);
  releasedQueue(m, program);
  failedEvents(m, program);
  parts(m, program);
  maps(m);
  primes(m, program);
  arguments(m, program);
  otherContext(m, program);
  barriers();
  freed(m);
}
