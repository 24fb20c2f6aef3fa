// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which launches are checked, and what compute-sanitizer's and cuda-memcheck's names do.
// RUN: %heddle cc %s -o %t
// RUN: %heddle check %t 2>&1 | FileCheck --check-prefixes=ONE,TWO,SUM2 %s
// RUN: %heddle check --kernel-name one %t 2>&1 | FileCheck --check-prefixes=ONE,SUM1 %s
// RUN: %heddle check --kernel-regex-exclude kns=one %t 2>&1 | FileCheck --check-prefixes=TWO,SUM1 %s
// RUN: %heddle check --launch-skip 2 %t 2>&1 | FileCheck --check-prefixes=TWO,SUM1 %s
// RUN: %heddle check -c 1 %t 2>&1 | FileCheck --check-prefixes=ONE,SUM1 %s
// RUN: not %build/lib/heddle/bin/compute-sanitizer --error-exitcode 3 %t 2>%t.err | FileCheck --check-prefixes=SANITIZER,ONE,TWO,SUM2 %s
// RUN: %build/lib/heddle/bin/cuda-memcheck --filter kernel_name=two %t 2>%t.err | FileCheck --check-prefixes=MEMCHECK,TWO,SUM1 %s
// Other ways to run, and programs that end in other ways.
// RUN: env HEDDLE_CHECK=memcheck %t 2>&1 | FileCheck --check-prefixes=ONE,TWO,SUM2 %s
// RUN: %heddle run --check=memcheck %s 2>&1 | FileCheck --check-prefixes=ONE,TWO,SUM2 %s
// RUN: not %heddle check %t abort 2>&1 | FileCheck --check-prefixes=ONE,TWO,ABORT,SUM2 %s
// RUN: not %heddle check %t crash 2>&1 | FileCheck --check-prefixes=ONE,CRASH %s
// RUN: not %heddle check %t exit 2>&1 | FileCheck --check-prefixes=ONE,TWO,EXIT,SUM2 %s
// RUN: %heddle check sh -c '%t; %t' 2>&1 | FileCheck --check-prefixes=ONE,TWO,SUM2 %s
// RUN: %heddle check --target-processes application-only sh -c '%t; true' 2>&1 | FileCheck --check-prefix=NONE %s
// Files.
// RUN: %heddle check --save %t.save --json %t.json --sarif %t.sarif --generate-suppressions %t.sup --log-file %t.log %t 2>&1 | FileCheck --allow-empty --check-prefix=EMPTY %s
// RUN: FileCheck --check-prefixes=ONE,TWO,SUM2 --input-file=%t.log %s
// RUN: %heddle check --log-file %t.log --kernel-name one %t && FileCheck --check-prefixes=ONE,SUM1,AGAIN --input-file=%t.log %s
// RUN: %heddle check --read %t.save 2>&1 | FileCheck --check-prefixes=ONE,TWO,SUM2 %s
// RUN: %heddle check --suppressions %t.sup %t 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: %python -c "import json; run = json.load(open('%t.sarif'))['runs'][0]; assert len(run['results']) == 2; assert len(json.load(open('%t.json'))['findings']) == 2"
// RUN: %heddle check --xml %t 2>%t.xml && %python -c "import xml.dom.minidom as m; assert len(m.parse('%t.xml').getElementsByTagName('record')) == 2"
// RUN: %heddle check --print-limit 1 %t 2>&1 | FileCheck --check-prefixes=ONE,LIMIT,SUM2 %s
// Mistakes.
// RUN: not %heddle check 2>&1 | FileCheck --check-prefix=NOTHING %s
// RUN: not %heddle check %s 2>&1 | FileCheck --check-prefix=SOURCE %s
// RUN: not %heddle check /nowhere/x 2>&1 | FileCheck --check-prefix=NOWHERE %s
// RUN: not %heddle check --leak-check half %t 2>&1 | FileCheck --check-prefix=OPTION %s
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void one(int *p) { p[100] = 1; }
__global__ void two(int *p) { p[101] = 1; }

int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 400);
  one<<<1, 1>>>(p);
  one<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  if (argc > 1 && !strcmp(argv[1], "crash"))
    *(volatile int *)nullptr = 0;
  two<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  if (argc > 1 && !strcmp(argv[1], "abort"))
    abort();
  if (argc > 1 && !strcmp(argv[1], "exit"))
    _exit(7);
}
// SANITIZER: ========= COMPUTE-SANITIZER
// MEMCHECK: ========= CUDA-MEMCHECK
// ONE: Invalid global write of 4 bytes, in kernel one(int*)
// ONE: by thread (0,0,0) in block (0,0,0)
// ONE: address {{.*}} is 0 bytes behind an allocation of 400 bytes
// ONE-NEXT: allocated by cudaMalloc
// ONE-NEXT: in main
// ONE: launched by cudaLaunchKernel
// LIMIT: more errors are only counted
// TWO: Invalid global write of 4 bytes, in kernel two(int*)
// ABORT: Target application was ended by a signal: Aborted
// CRASH: Target application was ended by a signal: Segmentation fault
// EXIT: Target application returned an error: 7
// CRASH-NEXT: ERROR SUMMARY: 1 error
// SUM1: ERROR SUMMARY: 1 error{{$}}
// AGAIN-NOT: {{ERROR|kernel two}}
// SUM2: ERROR SUMMARY: 2 errors
// NONE-NOT: Invalid
// NONE: ERROR SUMMARY: 0 errors
// EMPTY-NOT: =====
// NOTHING: heddle check needs a program
// SOURCE: selection.cu' is no program; heddle run --check compiles it
// NOWHERE: cannot run /nowhere/x: No such file or directory
// OPTION: 'half' of '--leak-check' is neither full nor no
