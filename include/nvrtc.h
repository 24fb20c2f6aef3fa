// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC: device code from text while a program runs (NVRTC guide). Valid in C and C++.
#ifndef HEDDLE_NVRTC_H
#define HEDDLE_NVRTC_H
#define __NVRTC_H__

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define HEDDLE_NVRTC_RESULT(name) NVRTC_##name,
#include "heddle/nvrtc_results.inc"
#undef HEDDLE_NVRTC_RESULT
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult result);
#define HEDDLE_NVRTC(since, until, name, parameters, arguments) nvrtcResult name parameters;
#include "heddle/nvrtc_functions.inc"
#undef HEDDLE_NVRTC

#ifdef __cplusplus
}
#endif

#if defined(__cplusplus) && NVRTC_GET_TYPE_NAME // a program that wants it defines it
#include <string>
#include <typeinfo>
#if defined(__GNUC__)
#include <cxxabi.h>
#endif

/// The name of a type as C++ writes it, for expressions of nvrtcAddNameExpression.
inline nvrtcResult nvrtcGetTypeName(const std::type_info &info, std::string *result) {
  if (!result)
    return NVRTC_ERROR_INVALID_INPUT;
  int status = 0;
  char *name = abi::__cxa_demangle(info.name(), nullptr, nullptr, &status);
  if (!name)
    return status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
  *result = name;
  free(name);
  return NVRTC_SUCCESS;
}

template <typename T> struct __heddle_nvrtc_type {};

/// The same, also of const, volatile and reference types.
template <typename T> nvrtcResult nvrtcGetTypeName(std::string *result) {
  constexpr const char Front[] = "__heddle_nvrtc_type<";
  nvrtcResult code = nvrtcGetTypeName(typeid(__heddle_nvrtc_type<T>), result);
  if (code == NVRTC_SUCCESS)
    *result = result->substr(sizeof(Front) - 1, result->size() - sizeof(Front));
  return code;
}
#endif

#endif
