// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands: buffers and parts of them, maps without copies, rectangles, fills; events of users, waits between queues,
// queues out of order, callbacks, times, native kernels, shared virtual memory.
#include "opencl_test.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

static const char *Source = R"(
kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }
kernel void follow(global int *global *p) { *p[get_global_id(0)] += 5; }
)";

static void buffers(Machine &m, cl_kernel add) {
  std::vector<int> host(1024);
  for (int i = 0; i < 1024; ++i)
    host[i] = i;
  cl_mem used = clCreateBuffer(m.context, CL_MEM_USE_HOST_PTR, 4096, host.data(), &m.code);
  OK(m.code);
  setArguments(add, used, 1000);
  m.run(add, {1024});
  auto *mapped = static_cast<int *>(clEnqueueMapBuffer(m.queue, used, CL_TRUE, CL_MAP_READ, 0, 4096, 0, nullptr, nullptr, &m.code));
  CHECK(mapped == host.data() && host[1023] == 2023);
  OK(clEnqueueUnmapMemObject(m.queue, used, mapped, 0, nullptr, nullptr));
  CHECK_CODE(clEnqueueUnmapMemObject(m.queue, used, mapped, 0, nullptr, nullptr), CL_INVALID_VALUE);

  cl_buffer_region part = {256, 512};
  cl_mem sub = clCreateSubBuffer(used, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &m.code);
  OK(m.code);
  setArguments(add, sub, 1);
  m.run(add, {128});
  CHECK(m.read<int>(sub)[0] == 1065 && m.read<int>(used)[63] == 1063 && m.read<int>(used)[192] == 1192);
  part.origin = 3;
  clCreateSubBuffer(used, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &m.code);
  CHECK_CODE(m.code, CL_MISALIGNED_SUB_BUFFER_OFFSET);

  cl_mem plane = m.buffer(std::vector<int>(64));
  const int nine = 9;
  const cl_short16 wide = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
  OK(clEnqueueFillBuffer(m.queue, plane, &nine, 4, 0, 64, 0, nullptr, nullptr));
  OK(clEnqueueFillBuffer(m.queue, plane, &wide, 32, 64, 160, 0, nullptr, nullptr));
  std::vector<short> filled = m.read<short>(plane);
  CHECK(filled[0] == 9 && filled[32] == 1 && filled[32 + 79] == 16 && filled[32 + 80] == 0);
  CHECK_CODE(clEnqueueFillBuffer(m.queue, plane, &nine, 3, 0, 6, 0, nullptr, nullptr), CL_INVALID_VALUE);
  // A box of 2 x 2 integers in rows of 8.
  size_t from[3] = {4, 1, 0}, to[3] = {0, 0, 0}, region[3] = {8, 2, 1};
  int box[4] = {-1, -2, -3, -4};
  OK(clEnqueueWriteBufferRect(m.queue, plane, CL_TRUE, from, to, region, 32, 0, 8, 0, box, 0, nullptr, nullptr));
  int back[4] = {};
  OK(clEnqueueReadBufferRect(m.queue, plane, CL_TRUE, from, to, region, 32, 0, 8, 0, back, 0, nullptr, nullptr));
  CHECK(!std::memcmp(box, back, sizeof(box)) && m.read<int>(plane)[9] == -1 && m.read<int>(plane)[18] == -4);
  size_t target[3] = {8, 4, 0};
  OK(clEnqueueCopyBufferRect(m.queue, plane, plane, from, target, region, 32, 0, 32, 0, 0, nullptr, nullptr));
  CHECK(m.read<int>(plane)[4 * 8 + 2] == -1 && m.read<int>(plane)[5 * 8 + 3] == -4);
  CHECK_CODE(clEnqueueCopyBufferRect(m.queue, plane, plane, from, from, region, 32, 0, 32, 0, 0, nullptr, nullptr),
             CL_MEM_COPY_OVERLAP);
  CHECK_CODE(clEnqueueCopyBuffer(m.queue, plane, plane, 0, 4, 8, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  OK(clEnqueueMigrateMemObjects(m.queue, 1, &plane, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
}

static void events(Machine &m, cl_kernel add) {
  cl_command_queue other = m.makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem a = m.buffer(std::vector<int>(64)), b = m.buffer(std::vector<int>(64));
  cl_event user = clCreateUserEvent(m.context, &m.code), held = nullptr, after = nullptr, free = nullptr, mark = nullptr;
  OK(m.code);
  size_t size = 64;
  setArguments(add, a, 1);
  OK(clEnqueueNDRangeKernel(other, add, 1, nullptr, &size, nullptr, 1, &user, &held));
  setArguments(add, b, 2); // arguments are those of the time of the call
  OK(clEnqueueNDRangeKernel(other, add, 1, nullptr, &size, nullptr, 0, nullptr, &free));
  OK(clWaitForEvents(1, &free)); // passes the one that waits
  OK(clEnqueueBarrierWithWaitList(other, 0, nullptr, &mark));
  setArguments(add, a, 10);
  OK(clEnqueueNDRangeKernel(m.queue, add, 1, nullptr, &size, nullptr, 1, &mark, &after)); // in another queue
  cl_int status = 0;
  OK(clGetEventInfo(held, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
  CHECK(status == CL_QUEUED);
  static std::atomic<int> called = 0;
  OK(clSetEventCallback(after, CL_COMPLETE, [](cl_event, cl_int status, void *data) { called += status == CL_COMPLETE && data; }, &m));
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    OK(clSetUserEventStatus(user, CL_COMPLETE));
  });
  OK(clWaitForEvents(1, &after));
  setter.join();
  CHECK(m.read<int>(a)[5] == 11 && m.read<int>(b)[5] == 2);
  while (!called)
    std::this_thread::yield();
  CHECK_CODE(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);

  // A failed event fails what waits for it.
  cl_event failing = clCreateUserEvent(m.context, &m.code), failed = nullptr;
  OK(clEnqueueNDRangeKernel(m.queue, add, 1, nullptr, &size, nullptr, 1, &failing, &failed));
  OK(clSetUserEventStatus(failing, -7));
  CHECK_CODE(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  OK(clGetEventInfo(failed, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
  CHECK(status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(m.read<int>(a)[5] == 11);
  OK(clFinish(other));
  for (cl_event event : {user, held, after, free, mark, failing, failed})
    OK(clReleaseEvent(event));
  OK(clReleaseCommandQueue(other));
}

static void times(Machine &m, cl_kernel add) {
  cl_command_queue queue = m.makeQueue(CL_QUEUE_PROFILING_ENABLE);
  cl_mem a = m.buffer(std::vector<int>(1 << 20));
  setArguments(add, a, 1);
  size_t size = 1 << 20;
  cl_event event = nullptr;
  OK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &size, nullptr, 0, nullptr, &event));
  OK(clFinish(queue));
  cl_ulong t[4] = {};
  const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  for (int i = 0; i < 4; ++i)
    OK(clGetEventProfilingInfo(event, names[i], sizeof(cl_ulong), &t[i], nullptr));
  CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] < t[3] && t[3] - t[0] < 60'000'000'000ull);
  cl_event next = nullptr; // a kernel's time is its own, however long a queue took to begin
  OK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &size, nullptr, 0, nullptr, &next));
  OK(clFinish(queue));
  cl_ulong start = 0, end = 0;
  OK(clGetEventProfilingInfo(next, CL_PROFILING_COMMAND_START, sizeof(start), &start, nullptr));
  OK(clGetEventProfilingInfo(next, CL_PROFILING_COMMAND_END, sizeof(end), &end, nullptr));
  CHECK(t[3] <= start && start < end);
}

static void native(Machine &m) {
  cl_mem a = m.buffer(std::vector<int>{1, 2, 3});
  struct {
    int *values;
    int add;
  } arguments = {nullptr, 40};
  const void *place = &arguments.values;
  OK(clEnqueueNativeKernel(
      m.queue, [](void *given) { auto *p = static_cast<decltype(arguments) *>(given); p->values[1] += p->add; },
      &arguments, sizeof(arguments), 1, &a, &place, 0, nullptr, nullptr));
  CHECK(m.read<int>(a)[1] == 42);
}

static void shared(Machine &m, cl_program program, cl_kernel add) {
  auto *memory = static_cast<int *>(clSVMAlloc(m.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 256, 0));
  auto **list = static_cast<int **>(clSVMAlloc(m.context, CL_MEM_READ_WRITE, 64, 64));
  CHECK(memory && list);
  for (int i = 0; i < 64; ++i)
    memory[i] = i;
  for (int i = 0; i < 8; ++i)
    list[i] = memory + 2 * i;
  OK(clSetKernelArgSVMPointer(add, 0, memory));
  const int hundred = 100;
  OK(clSetKernelArg(add, 1, 4, &hundred));
  m.run(add, {64});
  cl_kernel follow = m.kernel(program, "follow");
  OK(clSetKernelArgSVMPointer(follow, 0, list));
  void *used[] = {memory};
  OK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(used), used));
  m.run(follow, {8});
  OK(clFinish(m.queue));
  CHECK(memory[14] == 119 && memory[15] == 115);
  const int seven = 7;
  OK(clEnqueueSVMMemFill(m.queue, memory, &seven, 4, 128, 0, nullptr, nullptr));
  OK(clEnqueueSVMMemcpy(m.queue, CL_TRUE, memory + 32, memory, 64, 0, nullptr, nullptr));
  CHECK(memory[31] == 7 && memory[47] == 7 && memory[48] == 148);
  OK(clEnqueueSVMMap(m.queue, CL_TRUE, CL_MAP_WRITE, memory, 256, 0, nullptr, nullptr));
  OK(clEnqueueSVMUnmap(m.queue, memory, 0, nullptr, nullptr));
  clSVMFree(m.context, memory);
  void *pointers[] = {list};
  cl_event freed = nullptr;
  OK(clEnqueueSVMFree(m.queue, 1, pointers, nullptr, nullptr, 0, nullptr, &freed));
  OK(clWaitForEvents(1, &freed));
}

int main() {
  Machine m;
  cl_program program = m.build(Source);
  cl_kernel add = m.kernel(program, "add");
  buffers(m, add);
  events(m, add);
  times(m, add);
  native(m);
  shared(m, program, add);
}
