// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What our built-in functions of OpenCL C begin with. They stand in front of libclc's. Types are those of clang's
// opencl-c-base.h.
#pragma once

#define OVERLOADABLE __attribute__((overloadable))
#define CONST_FUNCTION __attribute__((overloadable, const))
#define CONVERGENT __attribute__((overloadable, convergent))

// macro(n, ...) for each number of elements.
#define EACH_VECTOR(macro, ...)                                                                    \
  macro(2, __VA_ARGS__) macro(3, __VA_ARGS__) macro(4, __VA_ARGS__) macro(8, __VA_ARGS__)          \
      macro(16, __VA_ARGS__)
#define EACH_SIZE(macro, ...) macro(, __VA_ARGS__) EACH_VECTOR(macro, __VA_ARGS__)

#define TID_X __nvvm_read_ptx_sreg_tid_x()
#define TID_Y __nvvm_read_ptx_sreg_tid_y()
#define TID_Z __nvvm_read_ptx_sreg_tid_z()
#define NTID_X __nvvm_read_ptx_sreg_ntid_x()
#define NTID_Y __nvvm_read_ptx_sreg_ntid_y()
#define NTID_Z __nvvm_read_ptx_sreg_ntid_z()
