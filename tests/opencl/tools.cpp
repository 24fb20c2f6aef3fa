// REQUIRES: opencl
// RUN: %opencl %s -o %t
// RUN: not %heddle check --error-exitcode 3 %t 2>&1 | FileCheck %s
// RUN: %heddle profile %t right 2>&1 | FileCheck --check-prefix=PROFILE %s
// RUN: %heddle check --error-exitcode 3 %t right
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of OpenCL under the checks and the profiler.
#include "opencl_test.h"

int main(int count, char **) {
  Machine m;
  cl_kernel shift = m.kernel(m.build("kernel void shift(global int *a, int n) {\n"
                                     "  int i = get_global_id(0);\n"
                                     "  if (i < n)\n"
                                     "    a[i] = a[i + 1];\n"
                                     "}\n"),
                             "shift");
  cl_mem a = m.buffer(std::vector<int>(256));
  setArguments(shift, a, count > 1 ? 255 : 256);
  m.run(shift, {256}, {64});
  clFinish(m.queue);
  clReleaseMemObject(a);
}
// CHECK: nvalid {{.*}}read
// CHECK: program.cl:4
// PROFILE: shift
