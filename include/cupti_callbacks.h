// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI: callbacks at calls of the runtime and the driver API. Calls that the runtime makes of the driver
// are part of it and have none. `functionParams`, `symbolName` and the context are not given. Other
// domains give CUPTI_ERROR_NOT_SUPPORTED.
#ifndef HEDDLE_CUPTI_CALLBACKS_H
#define HEDDLE_CUPTI_CALLBACKS_H

#include <stddef.h>

#include "cuda.h"
#include "cupti_version.h"
#include "heddle/cupti_cbids.h"

typedef enum { CUPTI_API_ENTER = 0, CUPTI_API_EXIT = 1 } CUpti_ApiCallbackSite;

typedef enum {
  CUPTI_CB_DOMAIN_INVALID = 0,
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CB_DOMAIN_SYNCHRONIZE = 4,
  CUPTI_CB_DOMAIN_NVTX = 5,
  CUPTI_CB_DOMAIN_STATE = 6,
  CUPTI_CB_DOMAIN_SIZE
} CUpti_CallbackDomain;

typedef uint32_t CUpti_CallbackId;

typedef struct {
  CUpti_ApiCallbackSite callbackSite;
  const char *functionName;
  const void *functionParams;
  void *functionReturnValue; ///< a CUresult or cudaError_t, at the exit
  const char *symbolName;
  CUcontext context;
  uint32_t contextUid;
  uint64_t *correlationData; ///< the callback's own, from the entry to the exit
  uint32_t correlationId;    ///< that of the records of activities
} CUpti_CallbackData;

typedef void (*CUpti_CallbackFunc)(void *userdata, CUpti_CallbackDomain domain,
                                   CUpti_CallbackId cbid, const void *data);
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef CUpti_CallbackDomain *CUpti_DomainTable;

#if defined(__cplusplus)
extern "C" {
#endif
CUptiResult CUPTIAPI cuptiSupportedDomains(size_t *count, CUpti_DomainTable *table);
/// One subscriber at a time.
CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                                    void *userdata);
CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber);
CUptiResult CUPTIAPI cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber,
                                           CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                       CUpti_CallbackDomain domain);
/// Of those that there are.
CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber);
CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
                                          const char **name);
#if defined(__cplusplus)
}
#endif

#endif
