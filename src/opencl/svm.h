// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/context.h"

namespace heddle::cl {

/// Bytes from `pointer` to the end of the memory of this context's clSVMAlloc that holds it; 0 if none
/// does.
size_t svmBytes(const _cl_context &, const void *pointer);
inline bool isSvm(const _cl_context &context, const void *pointer) {
  return svmBytes(context, pointer) != 0;
}
/// A device has CL_DEVICE_SVM_FINE_GRAIN_SYSTEM.
bool hasSystemMemory(const _cl_context &);
/// From now on kernels use all memory of the host: pointers to it are no mistake, also in checked
/// runs.
void useSystemMemory();

} // namespace heddle::cl
