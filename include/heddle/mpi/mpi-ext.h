// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open MPI's header of extensions, for MPI with libheddle_mpi.so in front of it, which knows device memory.
#if __has_include_next(<mpi-ext.h>)
#include_next <mpi-ext.h>
#endif
#ifndef HEDDLE_MPI_EXT_H
#define HEDDLE_MPI_EXT_H
#undef MPIX_CUDA_AWARE_SUPPORT
#define MPIX_CUDA_AWARE_SUPPORT 1
#ifdef __cplusplus
extern "C" {
#endif
int MPIX_Query_cuda_support(void);
#ifdef __cplusplus
}
#endif
#endif
