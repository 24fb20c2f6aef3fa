// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that ends by _exit, quick_exit or a signal still writes its profile, and ends as it did.
// RUN: %heddle cc -O3 %s -o %t
// RUN: not %heddle profile %t exit 2>&1 | FileCheck %s
// RUN: not %heddle profile %t quick 2>&1 | FileCheck %s
// RUN: not %heddle profile %t abort 2>&1 | FileCheck %s --check-prefixes=CHECK,ABORT
// RUN: not %heddle profile %t fault 2>&1 | FileCheck %s --check-prefixes=CHECK,FAULT
// RUN: not %heddle profile %t term 2>&1 | FileCheck %s --check-prefixes=CHECK,TERM
// RUN: not %heddle profile %t kill 2>&1 | FileCheck %s --check-prefixes=KILL
// RUN: %heddle profile %t child 2>&1 | FileCheck %s --check-prefix=CHILD
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void work(int *to) { *to = 1; }

int main(int, char **arguments) {
  int *to;
  cudaMalloc(&to, 4);
  work<<<1, 1>>>(to);
  cudaDeviceSynchronize();
  const char *how = arguments[1];
  if (!strcmp(how, "exit"))
    _exit(3);
  if (!strcmp(how, "quick"))
    quick_exit(3);
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "fault"))
    *reinterpret_cast<volatile int *>(8) = 1;
  if (!strcmp(how, "term"))
    kill(getpid(), SIGTERM);
  if (!strcmp(how, "kill"))
    kill(getpid(), SIGKILL);
  // Who is forked has nothing to report.
  if (fork() == 0)
    _exit(0);
  wait(nullptr);
  return 0;
}

// CHECK-NOT: Profiling result
// CHECK: Profiling result:
// CHECK: GPU activities: {{.*}} 1 {{.*}} work(int*)
// CHECK-NOT: Profiling result
// ABORT: was ended by a signal (Aborted){{$}}
// FAULT: was ended by a signal (Segmentation fault){{$}}
// TERM: was ended by a signal (Terminated){{$}}
// KILL: was ended by a signal (Killed), and has written no report
// CHILD: Profiling result:
// CHILD-NOT: Profiling result:
