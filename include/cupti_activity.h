// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI: records of what devices and the host did. Kernels, copies, fills, calls of the runtime and the
// driver, and markers of NVTX; other kinds give CUPTI_ERROR_NOT_SUPPORTED. Each kind has one record,
// by the names of all its versions. Fields that nothing fills are zero. Where HEDDLE_TIMING=model
// is set, times are those of the modelled GPU.
#ifndef HEDDLE_CUPTI_ACTIVITY_H
#define HEDDLE_CUPTI_ACTIVITY_H

#include <stddef.h>

#include "cuda.h"
#include "cupti_callbacks.h"

#define CUPTI_AUTO_BOOST_INVALID_CLIENT_PID 0
#define CUPTI_CORRELATION_ID_UNKNOWN 0
#define CUPTI_GRID_ID_UNKNOWN 0LL
#define CUPTI_TIMESTAMP_UNKNOWN 0LL

typedef enum {
  CUPTI_ACTIVITY_KIND_INVALID = 0,
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_EVENT = 6,
  CUPTI_ACTIVITY_KIND_METRIC = 7,
  CUPTI_ACTIVITY_KIND_DEVICE = 8,
  CUPTI_ACTIVITY_KIND_CONTEXT = 9,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_NAME = 11,
  CUPTI_ACTIVITY_KIND_MARKER = 12,
  CUPTI_ACTIVITY_KIND_MARKER_DATA = 13,
  CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR = 14,
  CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS = 15,
  CUPTI_ACTIVITY_KIND_BRANCH = 16,
  CUPTI_ACTIVITY_KIND_OVERHEAD = 17,
  CUPTI_ACTIVITY_KIND_CDP_KERNEL = 18,
  CUPTI_ACTIVITY_KIND_PREEMPTION = 19,
  CUPTI_ACTIVITY_KIND_ENVIRONMENT = 20,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER = 24,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
  CUPTI_ACTIVITY_KIND_FORCE_INT = 0x7fffffff
} CUpti_ActivityKind;

typedef enum {
  CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN = 0,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOA = 3,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOH = 4,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOA = 5,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOD = 6,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOA = 7,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOH = 9,
  CUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10,
  CUPTI_ACTIVITY_MEMCPY_KIND_FORCE_INT = 0x7fffffff
} CUpti_ActivityMemcpyKind;

typedef enum {
  CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN = 0,
  CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,
  CUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
  CUPTI_ACTIVITY_MEMORY_KIND_ARRAY = 4,
  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5,
  CUPTI_ACTIVITY_MEMORY_KIND_FORCE_INT = 0x7fffffff
} CUpti_ActivityMemoryKind;

typedef enum {
  CUPTI_ACTIVITY_FLAG_NONE = 0,
  CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC = 1 << 0,
  CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS = 1 << 0,
  CUPTI_ACTIVITY_FLAG_MARKER_START = 1 << 1,
  CUPTI_ACTIVITY_FLAG_MARKER_END = 1 << 2,
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1 << 0,
  CUPTI_ACTIVITY_FLAG_FORCE_INT = 0x7fffffff
} CUpti_ActivityFlag;

typedef enum {
  CUPTI_ACTIVITY_OBJECT_UNKNOWN = 0,
  CUPTI_ACTIVITY_OBJECT_PROCESS = 1,
  CUPTI_ACTIVITY_OBJECT_THREAD = 2,
  CUPTI_ACTIVITY_OBJECT_DEVICE = 3,
  CUPTI_ACTIVITY_OBJECT_CONTEXT = 4,
  CUPTI_ACTIVITY_OBJECT_STREAM = 5,
  CUPTI_ACTIVITY_OBJECT_FORCE_INT = 0x7fffffff
} CUpti_ActivityObjectKind;

typedef union {
  struct {
    uint32_t processId, threadId;
  } pt;
  struct {
    uint32_t deviceId, contextId, streamId;
  } dcs;
} CUpti_ActivityObjectKindId;

/// What all records begin with.
typedef struct {
  CUpti_ActivityKind kind;
} CUpti_Activity;

/// KERNEL and CONCURRENT_KERNEL. Times in nanoseconds.
typedef struct {
  CUpti_ActivityKind kind;
  uint8_t cacheConfigRequested;
  uint8_t sharedMemoryConfig;
  uint16_t registersPerThread;
  uint64_t start, end, completed;
  uint64_t queued, submitted;
  uint32_t deviceId, contextId, streamId, correlationId;
  int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  int32_t staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal;
  int64_t gridId;
  const char *name; ///< mangled; stays as long as the process
  uint64_t graphNodeId;
  uint32_t graphId;
} CUpti_ActivityKernel9;
typedef CUpti_ActivityKernel9 CUpti_ActivityKernel, CUpti_ActivityKernel2, CUpti_ActivityKernel3,
    CUpti_ActivityKernel4, CUpti_ActivityKernel5, CUpti_ActivityKernel6, CUpti_ActivityKernel7,
    CUpti_ActivityKernel8;

/// MEMCPY.
typedef struct {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId;
  uint32_t graphId;
  uint64_t graphNodeId;
} CUpti_ActivityMemcpy5;
typedef CUpti_ActivityMemcpy5 CUpti_ActivityMemcpy, CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy4;

/// MEMCPY2: between devices.
typedef struct {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId;
  uint32_t correlationId;
  uint64_t graphNodeId;
} CUpti_ActivityMemcpyPtoP4;
typedef CUpti_ActivityMemcpyPtoP4 CUpti_ActivityMemcpy2, CUpti_ActivityMemcpyPtoP,
    CUpti_ActivityMemcpyPtoP2, CUpti_ActivityMemcpyPtoP3;

/// MEMSET.
typedef struct {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint16_t flags, memoryKind;
  uint32_t graphId;
  uint64_t graphNodeId;
} CUpti_ActivityMemset4;
typedef CUpti_ActivityMemset4 CUpti_ActivityMemset, CUpti_ActivityMemset2, CUpti_ActivityMemset3;

/// RUNTIME and DRIVER.
typedef struct {
  CUpti_ActivityKind kind;
  CUpti_CallbackId cbid;
  uint64_t start, end;
  uint32_t processId, threadId, correlationId, returnValue;
} CUpti_ActivityAPI;

/// MARKER: two for a range, with one id. The name is on the first.
typedef struct {
  CUpti_ActivityKind kind;
  CUpti_ActivityFlag flags;
  uint64_t timestamp;
  uint32_t id;
  CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId;
  const char *name;
  const char *domain; ///< null; the name of a range of a domain is "domain:name"
} CUpti_ActivityMarker2;
typedef CUpti_ActivityMarker2 CUpti_ActivityMarker;

typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size,
                                                 size_t *maxNumRecords);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t streamId,
                                                  uint8_t *buffer, size_t size, size_t validSize);

#if defined(__cplusplus)
extern "C" {
#endif
CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                    CUpti_BuffersCallbackCompleteFunc completed);
/// Work that is over goes into buffers, which are asked for and completed now.
CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag);
CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t *buffer, size_t validSize,
                                                CUpti_Activity **record);
CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId,
                                                       size_t *dropped);
#if defined(__cplusplus)
}
#endif

#endif
