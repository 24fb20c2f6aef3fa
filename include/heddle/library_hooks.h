// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are not in CUDA's documentation and that Thrust, CUB and libcu++ call, since nvcc
// has them built in or its own headers declare them.
#ifndef HEDDLE_LIBRARY_HOOKS_H
#define HEDDLE_LIBRARY_HOOKS_H

// Traits that nvcc has built in (CUDA guide, "Extended Lambda Type Traits"). They tell of closure
// types that nvcc's host compiler does not know as lambdas and that need special treatment, such as
// a result type that cannot be had on the host. There are none: to clang every lambda is one.
#define __nv_is_extended_device_lambda_closure_type(...)                                           \
  __heddle_is_replaced_closure<__VA_ARGS__>::value
#define __nv_is_extended_host_device_lambda_closure_type(...)                                      \
  __heddle_is_replaced_closure<__VA_ARGS__>::value
#define __nv_is_extended_device_lambda_with_preserved_return_type(...)                             \
  __heddle_is_replaced_closure<__VA_ARGS__>::value
template <typename T> struct __heddle_is_replaced_closure {
  static constexpr bool value = false;
};

/// cudaDeviceSynchronize, without the warning that device code gets for it.
static __host__ __device__ __forceinline__ cudaError_t
__cudaDeviceSynchronizeDeprecationAvoidance() {
  return cudaDeviceSynchronize();
}

/// What a pointer's accesses should leave in the second cache; a CPU's caches are not told. The
/// pointer as it was.
static __device__ __forceinline__ void *__nv_associate_access_property(const void *pointer,
                                                                       unsigned long long) {
  return const_cast<void *>(pointer);
}

#endif
