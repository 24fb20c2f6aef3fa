// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loader's table, and the functions that are refused.
#include "opencl/context.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

namespace heddle::cl {

namespace {

template <size_t N> struct Name {
  constexpr Name(const char (&given)[N]) { std::copy_n(given, N, text); }
  char text[N];
};

/// Tells the function that clCreateContext was given.
template <typename First, typename... Others>
void tell(const std::string &text, First first, Others...) {
  if constexpr (std::is_same_v<First, cl_context>)
    if (isValid(first) && first->notify)
      first->notify(text.c_str(), nullptr, 0, first->notifyData);
}

/// In the place of a function that is not supported: CL_INVALID_OPERATION, as OpenCL 3.0 says of
/// optional features.
template <typename Function, Name name> struct Refusal;
template <typename R, typename... Parameters, Name name>
struct Refusal<R (*)(Parameters...), name> {
  static R answer(Parameters... parameters) {
    std::string text = std::string(name.text) + " is not supported";
    if (std::string_view(name.text) == "clCreateProgramWithIL")
      text += ": there is no translator from SPIR-V for our LLVM";
    tell(text, parameters...);
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
#define HEDDLE_OPENCL_Refused(name) .name = Refusal<cl_api_##name, #name>::answer,
#define HEDDLE_OPENCL_Slot(name) .name = nullptr,
const cl_icd_dispatch dispatchTable = {
#define HEDDLE_OPENCL(group, name, state) HEDDLE_OPENCL_##state(name)
#include "opencl/opencl.def"
};

} // namespace heddle::cl
