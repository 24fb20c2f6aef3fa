// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a call that the standard answers with an exception: host code throws it, and a
// kernel traps, as the documentation of CCCL says ("on device no exceptions are thrown").
#ifndef HEDDLE_CUDA_STD_FAILURE_H
#define HEDDLE_CUDA_STD_FAILURE_H

#include <cstdlib>
#include <stdexcept>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {
namespace __heddle {

/// Throws Exception(arguments...).
template <class Exception, class... Arguments>
[[noreturn]] inline void fail([[maybe_unused]] const Arguments &...arguments) {
#if defined(__CUDA_ARCH__)
  __builtin_trap();
#elif defined(__cpp_exceptions)
  throw Exception(arguments...);
#else
  ::std::abort();
#endif
}

[[noreturn]] inline void failRange(const char *what) { fail<::std::out_of_range>(what); }

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
