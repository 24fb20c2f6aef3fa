// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's table, and the functions that are refused.
#include "opencl/object.h"

#include <tuple>

namespace heddle::cl {

namespace {

/// In the place of a function that is not supported: CL_INVALID_OPERATION, as OpenCL 3.0 says of
/// optional features.
template <typename Function> struct Refusal;
template <typename R, typename... Parameters> struct Refusal<R (*)(Parameters...)> {
  static R answer(Parameters... parameters) {
    if constexpr (std::is_pointer_v<R>) {
      using Last = std::tuple_element_t<sizeof...(Parameters) - 1, std::tuple<Parameters...>>;
      if constexpr (std::is_same_v<Last, cl_int *>)
        if (cl_int *code = std::get<sizeof...(Parameters) - 1>(std::tie(parameters...)))
          *code = CL_INVALID_OPERATION;
      return nullptr;
    } else {
      return CL_INVALID_OPERATION;
    }
  }
};

} // namespace

#define HEDDLE_OPENCL_Done(name) .name = ::name,
#define HEDDLE_OPENCL_Refused(name) .name = Refusal<cl_api_##name>::answer,
#define HEDDLE_OPENCL_Slot(name) .name = nullptr,
const cl_icd_dispatch dispatchTable = {
#define HEDDLE_OPENCL(group, name, state) HEDDLE_OPENCL_##state(name)
#include "opencl/opencl.def"
};

} // namespace heddle::cl
