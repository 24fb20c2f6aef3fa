// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory that is not there, or may not be written, as a side of a copy or a fill: the call fails and says so.
// Where the device works later (page-locked memory that the program has unmapped), it is lost, as by a kernel's fault.
// A program that has a handler of its own for such faults gets them, and may bring the memory.
//
// UNSUPPORTED: sanitizer
// RUN: %nvcc %s -o %t && %t 2>&1 | FileCheck %s
// CHECK: heddle: a copy: 16 bytes from {{.*}}: the memory at 0x10000 is not there, or must not be written
// CHECK-NOT: wrong
// CHECK: heddle: a fill: 8192 bytes at {{.*}}: the memory at 0x{{.*}} is not there, or must not be written
// CHECK: heddle: a copy: 4096 bytes
// CHECK: held
// RUN: %t fill 2>&1 | FileCheck %s --check-prefix=FILL
// FILL-NOT: wrong
// FILL: heddle: a fill: 4096 bytes
// FILL: held
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

static int wrong = 0;
static void expect(const char *what, cudaError_t error, cudaError_t wanted) {
  if (error == wanted)
    return;
  fprintf(stderr, "wrong: %s: %s\n", what, cudaGetErrorName(error));
  wrong++;
}

__global__ void spin(volatile int *go) {
  while (!*go)
    ;
}

static char *brought;
static void bring(int, siginfo_t *, void *) { mprotect(brought, 4096, PROT_READ | PROT_WRITE); }

/// A memset node of words.
static cudaError_t fillLater(void *at, cudaStream_t stream) {
  const cudaMemsetParams params = {at, 0, 0x01020304, 4, 1024, 1};
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  expect("node", cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params), cudaSuccess);
  expect("graph", cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  return cudaGraphLaunch(exec, stream);
}

int main(int argc, char **) {
  constexpr size_t Page = 4096, Large = 8 << 20;
  char *device, *none = (char *)0x10000, odd[64];
  static const char fixed[Page] = "constant";
  cudaMalloc(&device, Large);
  cudaMemset(device, 7, Large);
  expect("from", cudaMemcpy(device, none, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect("to", cudaMemcpy(none, device, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  expect("to a constant", cudaMemcpy((void *)fixed, device, 16, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  expect("no address", cudaMemcpy((void *)(1ull << 50), device, 16, cudaMemcpyDefault), cudaErrorInvalidValue);
  expect("shared out", cudaMemcpy(device, none, Large, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  expect("host to host", cudaMemcpy(odd, none, 16, cudaMemcpyHostToHost), cudaErrorInvalidValue);
  expect("rows", cudaMemcpy2D(device, 64, none, 64, 16, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);

  // The last page of three is missing.
  char *pages = (char *)mmap(nullptr, 3 * Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + 2 * Page, Page);
  expect("end", cudaMemcpy(pages, device, 3 * Page, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  expect("what is there", cudaMemcpy(pages, device, 2 * Page, cudaMemcpyDeviceToHost), cudaSuccess);

  // In a stream: idle, and behind a kernel, where the source is read at once.
  cudaStream_t stream;
  int *go;
  cudaStreamCreate(&stream);
  cudaMallocManaged(&go, 4);
  *go = 0;
  expect("idle", cudaMemcpyAsync(device, none, 16, cudaMemcpyHostToDevice, stream), cudaErrorInvalidValue);
  spin<<<1, 1, 0, stream>>>(go);
  expect("busy", cudaMemcpyAsync(device, none, 16, cudaMemcpyHostToDevice, stream), cudaErrorInvalidValue);
  *(volatile int *)go = 1;
  expect("nothing is lost", cudaDeviceSynchronize(), cudaSuccess);

  // The program's own handler.
  struct sigaction action = {}, old;
  action.sa_sigaction = bring;
  action.sa_flags = SA_SIGINFO;
  brought = pages;
  mprotect(pages, Page, PROT_NONE);
  sigaction(SIGSEGV, &action, &old);
  expect("brought", cudaMemcpy(pages, device, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  sigaction(SIGSEGV, &old, nullptr);

  cudaHostRegister(pages, 2 * Page, cudaHostRegisterDefault);
  munmap(pages, 2 * Page);
  expect("fill", cudaMemset(pages, 1, 2 * Page), cudaErrorInvalidValue);
  expect("fill rows", cudaMemset2D(pages, 64, 1, 16, 4), cudaErrorInvalidValue);
  void *to = device, *from = pages;
  size_t bytes = 16, first = 0;
  cudaMemcpyAttributes now = {};
  now.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  expect("batch", cudaMemcpyBatchAsync(&to, &from, &bytes, 1, &now, &first, 1, nullptr, stream), cudaErrorInvalidValue);
  cudaError_t error =
      argc > 1 ? fillLater(pages, stream) : cudaMemcpyAsync(device, pages, Page, cudaMemcpyHostToDevice, stream);
  expect("later", error ? error : cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  expect("lost", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  fprintf(stderr, wrong ? "%d wrong\n" : "held\n", wrong);
}
