// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who listens to NVTX: the hook for profilers.
//
// A listener is a shared library whose path is in NVTX_INJECTION64_PATH. It exports
//
//   const heddleNvtxListenerTable *heddleNvtxListener(uint32_t version);
//
// which is called once for each library or executable of the process that uses NVTX, with
// HEDDLE_NVTX_LISTENER_VERSION, and returns its functions; null for a version that it does not
// know. A function that it has not is null. They are called on the thread that called NVTX.
// Libraries that other tools inject do not export this and are left alone.
#ifndef HEDDLE_NVTX_LISTENER_H
#define HEDDLE_NVTX_LISTENER_H

#include <dlfcn.h>
#include <stdlib.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define HEDDLE_NVTX_LISTENER_VERSION 1u

/// What nameObject names.
typedef enum heddleNvtxObject {
  HEDDLE_NVTX_OS_THREAD,
  HEDDLE_NVTX_CU_DEVICE,
  HEDDLE_NVTX_CU_CONTEXT,
  HEDDLE_NVTX_CU_STREAM,
  HEDDLE_NVTX_CU_EVENT,
  HEDDLE_NVTX_CUDA_DEVICE,
  HEDDLE_NVTX_CUDA_STREAM,
  HEDDLE_NVTX_CUDA_EVENT
} heddleNvtxObject;

/// What happens to an object of the program's that threads synchronize by.
typedef enum heddleNvtxSync {
  HEDDLE_NVTX_ACQUIRE_START,
  HEDDLE_NVTX_ACQUIRE_FAILED,
  HEDDLE_NVTX_ACQUIRE_SUCCESS,
  HEDDLE_NVTX_RELEASING
} heddleNvtxSync;

struct nvtxSyncUserAttributes_v0;

/// Of two names one is null: the other is what the program gave.
typedef struct heddleNvtxListenerTable {
  nvtxDomainHandle_t (*domainCreate)(const char *name, const wchar_t *wide);
  void (*domainDestroy)(nvtxDomainHandle_t domain);
  void (*mark)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
  nvtxRangeId_t (*rangeStart)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
  void (*rangeEnd)(nvtxDomainHandle_t domain, nvtxRangeId_t id);
  int (*rangePush)(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes);
  int (*rangePop)(nvtxDomainHandle_t domain);
  nvtxStringHandle_t (*registerString)(nvtxDomainHandle_t domain, const char *string,
                                       const wchar_t *wide);
  nvtxResourceHandle_t (*resourceCreate)(nvtxDomainHandle_t domain,
                                         const nvtxResourceAttributes_t *attributes);
  void (*resourceDestroy)(nvtxResourceHandle_t resource);
  void (*nameCategory)(nvtxDomainHandle_t domain, uint32_t category, const char *name,
                       const wchar_t *wide);
  void (*nameObject)(heddleNvtxObject kind, uint64_t object, const char *name, const wchar_t *wide);
  void *(*syncCreate)(nvtxDomainHandle_t domain,
                      const struct nvtxSyncUserAttributes_v0 *attributes);
  void (*syncDestroy)(void *object);
  void (*syncChange)(void *object, heddleNvtxSync change);
} heddleNvtxListenerTable;

/// What heddleNvtx() has found: the listener and whether it was looked for. One for each library
/// and executable.
typedef struct heddleNvtxState {
  const heddleNvtxListenerTable *listener;
  int ready;
} heddleNvtxState;
__attribute__((weak, visibility("hidden"))) heddleNvtxState heddle_nvtx_state;

__attribute__((weak, visibility("hidden"), noinline)) const heddleNvtxListenerTable *
heddleNvtxFind(void) {
  typedef const heddleNvtxListenerTable *(*Entry)(uint32_t);
  const char *path = getenv("NVTX_INJECTION64_PATH");
  void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
  Entry entry = library ? (Entry)dlsym(library, "heddleNvtxListener") : NULL;
  const heddleNvtxListenerTable *found = entry ? entry(HEDDLE_NVTX_LISTENER_VERSION) : NULL;
  __atomic_store_n(&heddle_nvtx_state.listener, found, __ATOMIC_RELAXED);
  __atomic_store_n(&heddle_nvtx_state.ready, 1, __ATOMIC_RELEASE);
  return found;
}

/// The listener, null if nobody listens. Threads that come here at once find the same one.
static inline __attribute__((unused)) const heddleNvtxListenerTable *heddleNvtx(void) {
  if (__builtin_expect(!__atomic_load_n(&heddle_nvtx_state.ready, __ATOMIC_ACQUIRE), 0))
    return heddleNvtxFind();
  return __atomic_load_n(&heddle_nvtx_state.listener, __ATOMIC_RELAXED);
}

#if defined(__cplusplus)
}
#endif

#endif
