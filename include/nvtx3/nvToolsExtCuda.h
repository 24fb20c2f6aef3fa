// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX: names of the driver API's objects. Valid in C and C++.
#ifndef HEDDLE_NVTX3_NV_TOOLS_EXT_CUDA_H
#define HEDDLE_NVTX3_NV_TOOLS_EXT_CUDA_H
#define NVTOOLSEXT_CUDA_V3

#include "../cuda.h"
#include "nvToolsExt.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define NVTX_RESOURCE_CLASS_CUDA 4
typedef enum nvtxResourceCUDAType_t {
  NVTX_RESOURCE_TYPE_CUDA_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDA, 1),
  NVTX_RESOURCE_TYPE_CUDA_CONTEXT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 2),
  NVTX_RESOURCE_TYPE_CUDA_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDA, 3),
  NVTX_RESOURCE_TYPE_CUDA_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDA, 4)
} nvtxResourceCUDAType_t;

#define HEDDLE_NVTX_NAME(Name, T, kind)                                                            \
  NVTX_DECLSPEC void NVTX_API nvtxName##Name##A(T object, const char *name) {                      \
    HEDDLE_NVTX_TELL(nameObject, kind, (uint64_t)(uintptr_t)object, name, NULL);                   \
  }                                                                                                \
  NVTX_DECLSPEC void NVTX_API nvtxName##Name##W(T object, const wchar_t *name) {                   \
    HEDDLE_NVTX_TELL(nameObject, kind, (uint64_t)(uintptr_t)object, NULL, name);                   \
  }
HEDDLE_NVTX_NAME(CuDevice, CUdevice, HEDDLE_NVTX_CU_DEVICE)
HEDDLE_NVTX_NAME(CuContext, CUcontext, HEDDLE_NVTX_CU_CONTEXT)
HEDDLE_NVTX_NAME(CuStream, CUstream, HEDDLE_NVTX_CU_STREAM)
HEDDLE_NVTX_NAME(CuEvent, CUevent, HEDDLE_NVTX_CU_EVENT)
#undef HEDDLE_NVTX_NAME

#if defined(__cplusplus)
}
#endif

#define nvtxNameCuDevice HEDDLE_NVTX_LETTER(nvtxNameCuDevice)
#define nvtxNameCuContext HEDDLE_NVTX_LETTER(nvtxNameCuContext)
#define nvtxNameCuStream HEDDLE_NVTX_LETTER(nvtxNameCuStream)
#define nvtxNameCuEvent HEDDLE_NVTX_LETTER(nvtxNameCuEvent)

#endif
