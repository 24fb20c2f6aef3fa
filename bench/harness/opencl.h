// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch in one line for the OpenCL side, as short as CUDA's: kernels/NAME.cl is compiled at
// first use with -cl-mad-enable (as nvcc contracts) and the options given, and the kernel is kept.
#pragma once

#include "bench.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace bench::opencl {

struct Size {
  size_t x = 1, y = 1, z = 1;
};

/// The kernel of kernels/FILE.cl; cached.
cl_kernel kernel(const char *file, const char *name);
cl_command_queue queue();
void must(cl_int error, const char *what);

inline void setArgument(cl_kernel kernel, unsigned index, void *array) {
  cl_mem memory = static_cast<cl_mem>(array);
  must(clSetKernelArg(kernel, index, sizeof(memory), &memory), "clSetKernelArg");
}
inline void setArgument(cl_kernel kernel, unsigned index, int value) {
  must(clSetKernelArg(kernel, index, sizeof(value), &value), "clSetKernelArg");
}
inline void setArgument(cl_kernel kernel, unsigned index, float value) {
  must(clSetKernelArg(kernel, index, sizeof(value), &value), "clSetKernelArg");
}

/// Enqueues `name` of kernels/FILE.cl over groups x block work items.
template <class... Arguments>
void launch(const char *file, const char *name, Size groups, Size block, Arguments... arguments) {
  cl_kernel k = kernel(file, name);
  unsigned index = 0;
  (setArgument(k, index++, arguments), ...);
  size_t global[] = {groups.x * block.x, groups.y * block.y, groups.z * block.z};
  size_t local[] = {block.x, block.y, block.z};
  must(clEnqueueNDRangeKernel(queue(), k, 3, nullptr, global, local, 0, nullptr, nullptr), name);
}

} // namespace bench::opencl
