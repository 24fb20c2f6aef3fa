// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/memory.h"
#include "opencl/program.h"

namespace heddle::cl {

/// What clSetKernelArg gave.
struct Slot {
  bool isSet = false;
  size_t localBytes = 0;
  std::vector<char> bytes;            ///< as the driver's kernel takes them
  std::array<uint32_t, 4> fixed = {}; ///< of images and samplers (opencl::FixedArgument)
  cl_mem memory = nullptr;            ///< which the kernel does not keep: OpenCL, "clSetKernelArg"
};

/// The forms of a kernel on a device (frontend/opencl/forms.cpp).
struct Forms {
  CUfunction plain = nullptr; ///< null where it will not do
  CUfunction ranged = nullptr, wide = nullptr;
  size_t mostThreads = 0, staticShared = 0; ///< of a group
};

} // namespace heddle::cl

struct _cl_kernel : heddle::cl::Object<_cl_kernel, heddle::cl::Kind::Kernel> {
  heddle::cl::Ref<_cl_program> program;
  std::shared_ptr<heddle::cl::Executable> executable;
  const heddle::opencl::Kernel *facts = nullptr;
  std::vector<heddle::cl::Slot> slots;
  std::mutex mutex;
  struct Known {
    cl_device_id device;
    heddle::cl::FixedArguments fixed;
    heddle::cl::Forms forms;
  };
  std::vector<Known> known;

  ~_cl_kernel();
  /// Null functions, with CUDA's code, where the device does not take it. `fixed`: made for these arguments.
  heddle::cl::Forms formsOn(cl_device_id, CUresult &, const heddle::cl::FixedArguments &fixed = {});
  /// What is known of its images and samplers.
  heddle::cl::FixedArguments fixedArguments() const;
  int attribute(cl_device_id, CUfunction_attribute);
};

namespace heddle::cl {

/// The dynamic shared memory that local arguments take, in bytes; `offsets`, if not null, gets one for
/// each argument.
size_t layOutLocals(const _cl_kernel &, std::vector<uint32_t> *offsets);

} // namespace heddle::cl
