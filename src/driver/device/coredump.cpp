// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core dumps (driver API, "Coredump Attributes Control API"). A fault writes none: they can be asked
// for what they are, and switched off; all else is refused.
#include "driver/call.h"
#include "driver/functions.h"

#include <cstring>
#include <string_view>

namespace heddle::driver {

namespace {

/// What an attribute is; empty for an unknown one.
std::string_view attributeOf(CUcoredumpSettings attribute) {
  static constexpr bool Off = false;
  static constexpr int NoFlags = CU_COREDUMP_DEFAULT_FLAGS;
  switch (attribute) {
  case CU_COREDUMP_ENABLE_ON_EXCEPTION:
  case CU_COREDUMP_TRIGGER_HOST:
  case CU_COREDUMP_LIGHTWEIGHT:
  case CU_COREDUMP_ENABLE_USER_TRIGGER:
    return {reinterpret_cast<const char *>(&Off), sizeof Off};
  case CU_COREDUMP_FILE:
  case CU_COREDUMP_PIPE:
    return {"", 1};
  case CU_COREDUMP_GENERATION_FLAGS:
    return {reinterpret_cast<const char *>(&NoFlags), sizeof NoFlags};
  default:
    return {};
  }
}

CUresult get(CUcoredumpSettings attribute, void *value, size_t *bytes) {
  const std::string_view found = attributeOf(attribute);
  if (found.empty() || (value && *bytes < found.size()))
    return CUDA_ERROR_INVALID_VALUE;
  if (value)
    std::memcpy(value, found.data(), found.size());
  *bytes = found.size();
  return CUDA_SUCCESS;
}

CUresult set(FunctionNumber function, CUcoredumpSettings attribute, const void *value,
             const size_t *bytes) {
  const std::string_view found = attributeOf(attribute);
  if (found.empty())
    return CUDA_ERROR_INVALID_VALUE;
  if (!value || found == std::string_view(static_cast<const char *>(value), *bytes))
    return CUDA_SUCCESS;
  return refuse(function);
}

} // namespace

CUresult cuCoredumpGetAttribute(CUcoredumpSettings attribute, void *value, size_t *bytes) {
  return get(attribute, value, bytes);
}
CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *bytes) {
  return get(attribute, value, bytes);
}
CUresult cuCoredumpSetAttribute(CUcoredumpSettings attribute, void *value, size_t *bytes) {
  return set(FunctionNumber::cuCoredumpSetAttribute, attribute, value, bytes);
}
CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *bytes) {
  return set(FunctionNumber::cuCoredumpSetAttributeGlobal, attribute, value, bytes);
}

} // namespace heddle::driver
