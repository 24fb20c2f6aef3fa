// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/context.h"

struct _cl_sampler : heddle::cl::Object<_cl_sampler, heddle::cl::Kind::Sampler> {
  heddle::cl::Ref<_cl_context> context;
  cl_bool isNormalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  std::vector<cl_sampler_properties> properties;
  cl_uint bits = 0; ///< as kernels get it (base/abi/opencl_image.h)
};
