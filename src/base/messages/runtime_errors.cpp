// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/runtime_errors.h"

namespace heddle {

ErrorText runtimeErrorText(int code) {
  switch (code) {
#define HEDDLE_ERROR(name, value, text)                                                            \
  case value:                                                                                      \
    return {#name, text};
#include "base/messages/runtime_errors.def"
#undef HEDDLE_ERROR
  }
  return {"unrecognized error code", "unrecognized error code"};
}

} // namespace heddle
