// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are not in CUDA's documentation and that Thrust, CUB and libcu++ call, since nvcc
// has them built in or its own headers declare them.
#ifndef HEDDLE_LIBRARY_HOOKS_H
#define HEDDLE_LIBRARY_HOOKS_H

// Traits that nvcc has built in (CUDA guide, "Extended Lambda Type Traits"). heddle-clang puts the
// member types into closures (src/frontend/cuda/lambdas.cpp).
#define __nv_is_extended_device_lambda_closure_type(...)                                           \
  __heddle_lambda<__VA_ARGS__>::isOfDevice
#define __nv_is_extended_host_device_lambda_closure_type(...)                                      \
  __heddle_lambda<__VA_ARGS__>::isOfBoth
#define __nv_is_extended_device_lambda_with_preserved_return_type(...)                             \
  __heddle_lambda<__VA_ARGS__>::hasReturnType
template <typename T> struct __heddle_lambda {
private:
  template <typename U> static char ofDevice(typename U::__heddle_device_lambda *);
  template <typename U> static long ofDevice(...);
  template <typename U> static char ofBoth(typename U::__heddle_host_device_lambda *);
  template <typename U> static long ofBoth(...);
  template <typename U> static char returning(typename U::__heddle_returning_lambda *);
  template <typename U> static long returning(...);

public:
  static constexpr bool isOfDevice = sizeof(ofDevice<T>(nullptr)) == 1;
  static constexpr bool isOfBoth = sizeof(ofBoth<T>(nullptr)) == 1;
  static constexpr bool hasReturnType = sizeof(returning<T>(nullptr)) == 1;
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
