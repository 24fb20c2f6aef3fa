// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver includes this in sources with __shared__ variables whose constructors do
// something (src/driver/sources/shared_objects.cpp); programs never do. As under nvcc, the variable
// is memory that nobody has initialised: programs call init, or a constructor in place.
#ifndef HEDDLE_SHARED_OBJECT_H
#define HEDDLE_SHARED_OBJECT_H

template <typename T> union __heddle_shared_object {
  T object;
  __host__ __device__ __heddle_shared_object() {}
  __host__ __device__ ~__heddle_shared_object() {}
};

#endif
