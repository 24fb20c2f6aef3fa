// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX 3: names for what a program does, for profilers (NVIDIA Tools Extension Library, C API).
// Valid in C and C++.
//
// Nothing is linked: the functions are inline, and with no listener each is a load and a branch. A
// listener is a shared library that NVTX_INJECTION64_PATH names and that exports heddleNvtxListener
// (heddle/nvtx_listener.h); it is loaded at the first call in a process.
#ifndef HEDDLE_NVTX3_NV_TOOLS_EXT_H
#define HEDDLE_NVTX3_NV_TOOLS_EXT_H
#define NVTOOLSEXT_V3
#define NVTX_VERSION 3

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define NVTX_API
#ifndef NVTX_INLINE_STATIC
#define NVTX_INLINE_STATIC static inline __attribute__((unused))
#endif
// lib/nvtx defines it otherwise, to make a library of the functions.
#ifndef NVTX_DECLSPEC
#define NVTX_DECLSPEC NVTX_INLINE_STATIC
#endif

#if defined(__cplusplus)
extern "C" {
#endif

// What functions return.
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_ERR_INIT_LOAD_PROPERTY 2
#define NVTX_ERR_INIT_ACCESS_LIBRARY 3
#define NVTX_ERR_INIT_LOAD_LIBRARY 4
#define NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT 5
#define NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT 6
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE 7
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
struct nvtxDomainRegistration_st;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
struct nvtxStringRegistration_st;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
struct nvtxResourceHandle;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define NVTX_RESOURCE_CLASS_GENERIC 1
#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX)                                                      \
  ((((uint32_t)(NVTX_RESOURCE_CLASS_##CLASS)) << 16) | ((uint32_t)(INDEX)))

typedef enum nvtxResourceGenericType_t {
  NVTX_RESOURCE_TYPE_UNKNOWN = 0,
  NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
  NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
  NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
  NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;

typedef struct nvtxResourceAttributes_v0 {
  uint16_t version;
  uint16_t size;
  int32_t identifierType;
  union identifier_t {
    const void *pValue;
    uint64_t ullValue;
  } identifier;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_t))

#if defined(__cplusplus)
}
#endif

#include "../heddle/nvtx_listener.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// Attributes that have a message only.
NVTX_INLINE_STATIC nvtxEventAttributes_t heddleNvtxMessage(int32_t type,
                                                           nvtxMessageValue_t message) {
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = type;
  attributes.message = message;
  return attributes;
}

NVTX_INLINE_STATIC nvtxEventAttributes_t heddleNvtxAscii(const char *text) {
  nvtxMessageValue_t message;
  message.ascii = text;
  return heddleNvtxMessage(NVTX_MESSAGE_TYPE_ASCII, message);
}

NVTX_INLINE_STATIC nvtxEventAttributes_t heddleNvtxUnicode(const wchar_t *text) {
  nvtxMessageValue_t message;
  message.unicode = text;
  return heddleNvtxMessage(NVTX_MESSAGE_TYPE_UNICODE, message);
}

NVTX_DECLSPEC void NVTX_API nvtxInitialize(const void *reserved) {
  (void)reserved;
  (void)heddleNvtx();
}

// Domains. A null domain is the default one.
#define HEDDLE_NVTX_TELL(function, ...)                                                            \
  do {                                                                                             \
    const heddleNvtxListenerTable *listener = heddleNvtx();                                        \
    if (listener && listener->function)                                                            \
      listener->function(__VA_ARGS__);                                                             \
  } while (0)
#define HEDDLE_NVTX_ASK(otherwise, function, ...)                                                  \
  do {                                                                                             \
    const heddleNvtxListenerTable *listener = heddleNvtx();                                        \
    return listener && listener->function ? listener->function(__VA_ARGS__) : (otherwise);         \
  } while (0)

NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateA(const char *name) {
  HEDDLE_NVTX_ASK(NULL, domainCreate, name, NULL);
}
NVTX_DECLSPEC nvtxDomainHandle_t NVTX_API nvtxDomainCreateW(const wchar_t *name) {
  HEDDLE_NVTX_ASK(NULL, domainCreate, NULL, name);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainDestroy(nvtxDomainHandle_t domain) {
  HEDDLE_NVTX_TELL(domainDestroy, domain);
}

// Marks.
NVTX_DECLSPEC void NVTX_API nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                                             const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_TELL(mark, domain, eventAttrib);
}
NVTX_DECLSPEC void NVTX_API nvtxMarkEx(const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_TELL(mark, NULL, eventAttrib);
}
NVTX_DECLSPEC void NVTX_API nvtxMarkA(const char *message) {
  nvtxEventAttributes_t attributes = heddleNvtxAscii(message);
  HEDDLE_NVTX_TELL(mark, NULL, &attributes);
}
NVTX_DECLSPEC void NVTX_API nvtxMarkW(const wchar_t *message) {
  nvtxEventAttributes_t attributes = heddleNvtxUnicode(message);
  HEDDLE_NVTX_TELL(mark, NULL, &attributes);
}

// Ranges of the process: from any thread to any thread.
NVTX_DECLSPEC nvtxRangeId_t NVTX_API
nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_ASK(0, rangeStart, domain, eventAttrib);
}
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_ASK(0, rangeStart, NULL, eventAttrib);
}
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartA(const char *message) {
  nvtxEventAttributes_t attributes = heddleNvtxAscii(message);
  HEDDLE_NVTX_ASK(0, rangeStart, NULL, &attributes);
}
NVTX_DECLSPEC nvtxRangeId_t NVTX_API nvtxRangeStartW(const wchar_t *message) {
  nvtxEventAttributes_t attributes = heddleNvtxUnicode(message);
  HEDDLE_NVTX_ASK(0, rangeStart, NULL, &attributes);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  HEDDLE_NVTX_TELL(rangeEnd, domain, id);
}
NVTX_DECLSPEC void NVTX_API nvtxRangeEnd(nvtxRangeId_t id) { HEDDLE_NVTX_TELL(rangeEnd, NULL, id); }

// Ranges of a thread, which nest. The result is the depth, from 0.
NVTX_DECLSPEC int NVTX_API nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                                                 const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePush, domain, eventAttrib);
}
NVTX_DECLSPEC int NVTX_API nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib) {
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePush, NULL, eventAttrib);
}
NVTX_DECLSPEC int NVTX_API nvtxRangePushA(const char *message) {
  nvtxEventAttributes_t attributes = heddleNvtxAscii(message);
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePush, NULL, &attributes);
}
NVTX_DECLSPEC int NVTX_API nvtxRangePushW(const wchar_t *message) {
  nvtxEventAttributes_t attributes = heddleNvtxUnicode(message);
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePush, NULL, &attributes);
}
NVTX_DECLSPEC int NVTX_API nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePop, domain);
}
NVTX_DECLSPEC int NVTX_API nvtxRangePop(void) {
  HEDDLE_NVTX_ASK(NVTX_NO_PUSH_POP_TRACKING, rangePop, NULL);
}

// Names of strings, resources, categories and threads.
NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                                                    const char *string) {
  HEDDLE_NVTX_ASK(NULL, registerString, domain, string, NULL);
}
NVTX_DECLSPEC nvtxStringHandle_t NVTX_API nvtxDomainRegisterStringW(nvtxDomainHandle_t domain,
                                                                    const wchar_t *string) {
  HEDDLE_NVTX_ASK(NULL, registerString, domain, NULL, string);
}
NVTX_DECLSPEC nvtxResourceHandle_t NVTX_API
nvtxDomainResourceCreate(nvtxDomainHandle_t domain, nvtxResourceAttributes_t *attribs) {
  HEDDLE_NVTX_ASK(NULL, resourceCreate, domain, attribs);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainResourceDestroy(nvtxResourceHandle_t resource) {
  HEDDLE_NVTX_TELL(resourceDestroy, resource);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryA(nvtxDomainHandle_t domain, uint32_t category,
                                                    const char *name) {
  HEDDLE_NVTX_TELL(nameCategory, domain, category, name, NULL);
}
NVTX_DECLSPEC void NVTX_API nvtxDomainNameCategoryW(nvtxDomainHandle_t domain, uint32_t category,
                                                    const wchar_t *name) {
  HEDDLE_NVTX_TELL(nameCategory, domain, category, NULL, name);
}
NVTX_DECLSPEC void NVTX_API nvtxNameCategoryA(uint32_t category, const char *name) {
  HEDDLE_NVTX_TELL(nameCategory, NULL, category, name, NULL);
}
NVTX_DECLSPEC void NVTX_API nvtxNameCategoryW(uint32_t category, const wchar_t *name) {
  HEDDLE_NVTX_TELL(nameCategory, NULL, category, NULL, name);
}
NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadA(uint32_t threadId, const char *name) {
  HEDDLE_NVTX_TELL(nameObject, HEDDLE_NVTX_OS_THREAD, threadId, name, NULL);
}
NVTX_DECLSPEC void NVTX_API nvtxNameOsThreadW(uint32_t threadId, const wchar_t *name) {
  HEDDLE_NVTX_TELL(nameObject, HEDDLE_NVTX_OS_THREAD, threadId, NULL, name);
}

#if defined(__cplusplus)
}
#endif

// The names without a letter.
#if defined(UNICODE)
#define HEDDLE_NVTX_LETTER(name) name##W
#else
#define HEDDLE_NVTX_LETTER(name) name##A
#endif
#define nvtxMark HEDDLE_NVTX_LETTER(nvtxMark)
#define nvtxRangeStart HEDDLE_NVTX_LETTER(nvtxRangeStart)
#define nvtxRangePush HEDDLE_NVTX_LETTER(nvtxRangePush)
#define nvtxNameCategory HEDDLE_NVTX_LETTER(nvtxNameCategory)
#define nvtxNameOsThread HEDDLE_NVTX_LETTER(nvtxNameOsThread)
#define nvtxDomainCreate HEDDLE_NVTX_LETTER(nvtxDomainCreate)
#define nvtxDomainRegisterString HEDDLE_NVTX_LETTER(nvtxDomainRegisterString)
#define nvtxDomainNameCategory HEDDLE_NVTX_LETTER(nvtxDomainNameCategory)

#endif
