// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX: objects of the program's own that threads synchronize by. Valid in C and C++.
#ifndef HEDDLE_NVTX3_NV_TOOLS_EXT_SYNC_H
#define HEDDLE_NVTX3_NV_TOOLS_EXT_SYNC_H
#define NVTOOLSEXT_SYNC_V3

#include "nvToolsExt.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define NVTX_RESOURCE_CLASS_SYNC_OS 2
#define NVTX_RESOURCE_CLASS_SYNC_PTHREAD 3

typedef enum nvtxResourceSyncPosixThreadType_t {
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_MUTEX = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 1),
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_CONDITION = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 2),
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_RWLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 3),
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_BARRIER = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 4),
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_SPINLOCK = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 5),
  NVTX_RESOURCE_TYPE_SYNC_PTHREAD_ONCE = NVTX_RESOURCE_MAKE_TYPE(SYNC_PTHREAD, 6)
} nvtxResourceSyncPosixThreadType_t;

struct nvtxSyncUser;
typedef struct nvtxSyncUser *nvtxSyncUser_t;

typedef struct nvtxSyncUserAttributes_v0 {
  uint16_t version;
  uint16_t size;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxSyncUserAttributes_v0;
typedef struct nvtxSyncUserAttributes_v0 nvtxSyncUserAttributes_t;
#define NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxSyncUserAttributes_t))

NVTX_DECLSPEC nvtxSyncUser_t NVTX_API
nvtxDomainSyncUserCreate(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t *attribs) {
  const heddleNvtxListenerTable *listener = heddleNvtx();
  return listener && listener->syncCreate ? (nvtxSyncUser_t)listener->syncCreate(domain, attribs)
                                          : NULL;
}
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserDestroy(nvtxSyncUser_t handle) {
  HEDDLE_NVTX_TELL(syncDestroy, handle);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireStart(nvtxSyncUser_t handle) {
  HEDDLE_NVTX_TELL(syncChange, handle, HEDDLE_NVTX_ACQUIRE_START);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireFailed(nvtxSyncUser_t handle) {
  HEDDLE_NVTX_TELL(syncChange, handle, HEDDLE_NVTX_ACQUIRE_FAILED);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserAcquireSuccess(nvtxSyncUser_t handle) {
  HEDDLE_NVTX_TELL(syncChange, handle, HEDDLE_NVTX_ACQUIRE_SUCCESS);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainSyncUserReleasing(nvtxSyncUser_t handle) {
  HEDDLE_NVTX_TELL(syncChange, handle, HEDDLE_NVTX_RELEASING);
}

#if defined(__cplusplus)
}
#endif

#endif
