// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and descriptions of error codes.
#include "driver/functions.h"

namespace heddle::driver {

#define HEDDLE_RESULT(name, value, text) static_assert(name == value);
#include "driver/errors.def"

namespace {

struct ErrorText {
  const char *name = nullptr, *text = nullptr;
};

ErrorText textOf(CUresult error) {
  switch (static_cast<int>(error)) {
#define HEDDLE_RESULT(name, value, text)                                                           \
  case value:                                                                                      \
    return {#name, text};
#include "driver/errors.def"
  }
  return {};
}

/// For a number that is no code the answer is null, and an error.
CUresult answer(const char *text, const char **result) {
  if (!result)
    return CUDA_ERROR_INVALID_VALUE;
  *result = text;
  return text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuGetErrorName(CUresult error, const char **name) {
  return answer(textOf(error).name, name);
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  return answer(textOf(error).text, text);
}

} // namespace heddle::driver
