// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t && %heddle check --error-exitcode 3 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared virtual memory of the whole process: kernels use memory of malloc, of variables and of the stack, and what it
// points to; host and device count in one place at a time.
#include "opencl_test.h"

#include <atomic>
#include <list>
#include <memory>
#include <thread>

static const char *Source = R"(
typedef struct Node { int value; struct Node *next; } Node;
kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }
kernel void sum(global Node *first, global int *result) {
  for (Node *node = first; node; node = node->next) *result += node->value;
}
kernel void count(volatile global atomic_int *total, volatile global atomic_int *started) {
  atomic_store_explicit(started, 1, memory_order_release, memory_scope_all_svm_devices);
  for (int i = 0; i < 100; ++i)
    atomic_fetch_add_explicit(total, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}
)";

struct Node {
  int value;
  Node *next;
};
static int global[64];

static void addTo(Machine &m, cl_kernel add, int *values, int by) {
  OK(clSetKernelArgSVMPointer(add, 0, values));
  OK(clSetKernelArg(add, 1, sizeof(int), &by));
  m.run(add, {64});
  OK(clFinish(m.queue));
}

static void places(Machine &m, cl_program program) {
  cl_kernel add = m.kernel(program, "add");
  int local[64] = {};
  std::unique_ptr<int[]> heap(new int[64]());
  for (int *values : {global, local, heap.get()}) {
    addTo(m, add, values, 3);
    addTo(m, add, values, 4);
    for (int i = 0; i < 64; ++i)
      CHECK(values[i] == 7);
  }
  const cl_short pattern[2] = {1, 2};
  OK(clEnqueueSVMMemFill(m.queue, heap.get(), pattern, 4, 32 * 4, 0, nullptr, nullptr));
  OK(clEnqueueSVMMemcpy(m.queue, CL_TRUE, local, heap.get() + 16, 32 * 4, 0, nullptr, nullptr));
  CHECK(local[0] == 0x20001 && local[15] == 0x20001 && local[16] == 7 && local[31] == 7);
}

static void chains(Machine &m, cl_program program) {
  std::list<Node> nodes;
  for (int i = 1; i <= 100; ++i)
    nodes.push_front({i, nodes.empty() ? nullptr : &nodes.front()});
  int result = 0;
  cl_kernel sum = m.kernel(program, "sum");
  OK(clSetKernelArgSVMPointer(sum, 0, &nodes.front()));
  OK(clSetKernelArgSVMPointer(sum, 1, &result));
  const cl_bool yes = CL_TRUE;
  OK(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes));
  OK(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr));
  m.run(sum, {1});
  OK(clFinish(m.queue));
  CHECK(result == 5050);
}

static void countTogether(Machine &m, cl_program program) {
  auto total = std::make_unique<std::atomic<int>>(0), started = std::make_unique<std::atomic<int>>(0);
  cl_kernel count = m.kernel(program, "count");
  OK(clSetKernelArgSVMPointer(count, 0, total.get()));
  OK(clSetKernelArgSVMPointer(count, 1, started.get()));
  m.run(count, {4096});
  OK(clFlush(m.queue));
  while (!started->load(std::memory_order_acquire))
    std::this_thread::yield();
  for (int i = 0; i < 10000; ++i)
    total->fetch_add(1, std::memory_order_relaxed);
  OK(clFinish(m.queue));
  CHECK(*total == 4096 * 100 + 10000);
}

int main() {
  Machine m;
  cl_device_svm_capabilities has = 0;
  OK(clGetDeviceInfo(m.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(has), &has, nullptr));
  CHECK(has == (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS));
  cl_program program = m.build(Source);
  places(m, program);
  chains(m, program);
  countTogether(m, program);
  void *small = clSVMAlloc(m.context, CL_MEM_READ_WRITE, 64, 0);
  CHECK(!clCreateBuffer(m.context, CL_MEM_USE_HOST_PTR, 65, small, &m.code) && m.code == CL_INVALID_BUFFER_SIZE);
  clSVMFree(m.context, small);
}
