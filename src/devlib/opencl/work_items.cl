// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Work-Item Functions". What the place of a work-group in the command's range decides is
// asked by calls that the forms of a kernel answer (frontend/opencl/forms.cpp).
#include "builtins.h"

#define QUERY __attribute__((const, nothrow))
QUERY ulong __heddle_cl_global_id(uint);
QUERY ulong __heddle_cl_global_offset(uint);
QUERY ulong __heddle_cl_global_size(uint);
QUERY ulong __heddle_cl_group_id(uint);
QUERY ulong __heddle_cl_num_groups(uint);
QUERY ulong __heddle_cl_enqueued_local_size(uint);
QUERY uint __heddle_cl_work_dim(void);

CONST_FUNCTION uint get_work_dim(void) { return __heddle_cl_work_dim(); }
CONST_FUNCTION size_t get_global_id(uint d) { return __heddle_cl_global_id(d); }
CONST_FUNCTION size_t get_global_offset(uint d) { return __heddle_cl_global_offset(d); }
CONST_FUNCTION size_t get_global_size(uint d) { return __heddle_cl_global_size(d); }
CONST_FUNCTION size_t get_group_id(uint d) { return __heddle_cl_group_id(d); }
CONST_FUNCTION size_t get_num_groups(uint d) { return __heddle_cl_num_groups(d); }
CONST_FUNCTION size_t get_enqueued_local_size(uint d) { return __heddle_cl_enqueued_local_size(d); }

CONST_FUNCTION size_t get_local_id(uint d) {
  return d == 0 ? TID_X : d == 1 ? TID_Y : d == 2 ? TID_Z : 0;
}
CONST_FUNCTION size_t get_local_size(uint d) {
  return d == 0 ? NTID_X : d == 1 ? NTID_Y : d == 2 ? NTID_Z : 1;
}
CONST_FUNCTION size_t get_local_linear_id(void) {
  return (uint)((TID_Z * NTID_Y + TID_Y) * NTID_X + TID_X);
}
CONST_FUNCTION size_t get_global_linear_id(void) {
  ulong x = __heddle_cl_global_id(0) - __heddle_cl_global_offset(0);
  ulong y = __heddle_cl_global_id(1) - __heddle_cl_global_offset(1);
  ulong z = __heddle_cl_global_id(2) - __heddle_cl_global_offset(2);
  return (z * __heddle_cl_global_size(1) + y) * __heddle_cl_global_size(0) + x;
}

CONVERGENT void barrier(uint flags) { __syncthreads(); }
CONVERGENT void work_group_barrier(uint flags) { __syncthreads(); }
CONVERGENT void work_group_barrier(uint flags, memory_scope scope) { __syncthreads(); }
OVERLOADABLE void mem_fence(uint flags) { __nvvm_membar_cta(); }
OVERLOADABLE void read_mem_fence(uint flags) { __nvvm_membar_cta(); }
OVERLOADABLE void write_mem_fence(uint flags) { __nvvm_membar_cta(); }
