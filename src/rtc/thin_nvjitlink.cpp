// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvJitLink.so.N of the release HEDDLE_RELEASE: calls through the compiler's table. HEDDLE_MINORS lists the
// versions that the library's functions are named after, X(12_0) X(12_1).
#include "rtc/thin.h"

static const heddle::rtc::NvJitLinkTable *table() {
  static const auto *loaded =
      heddle::rtc::loadTable<heddle::rtc::NvJitLinkTable>("heddleNvJitLinkTable");
  return loaded;
}

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
#define HEDDLE_CALL(...) HEDDLE_RELEASE __VA_OPT__(, ) __VA_ARGS__

#define HEDDLE_NVJITLINK(name, parameters, arguments)                                              \
  HEDDLE_EXPORT nvJitLinkResult nvJitLink##name parameters {                                       \
    return table() ? table()->name(HEDDLE_CALL arguments) : NVJITLINK_ERROR_INTERNAL;              \
  }
#include "heddle/nvjitlink_functions.inc"
#undef HEDDLE_NVJITLINK

#define HEDDLE_ALIAS(name, version, parameters)                                                    \
  HEDDLE_EXPORT nvJitLinkResult __nvJitLink##name##_##version parameters                           \
      __attribute__((alias("nvJitLink" #name)));
#define HEDDLE_NVJITLINK(name, parameters, arguments) HEDDLE_MINORS(name, parameters)
#include "heddle/nvjitlink_functions.inc"
#undef HEDDLE_NVJITLINK

HEDDLE_EXPORT nvJitLinkResult nvJitLinkVersion(unsigned *major, unsigned *minor) {
  if (!major || !minor)
    return NVJITLINK_ERROR_NULL_INPUT;
  *major = HEDDLE_RELEASE / 1000;
  *minor = HEDDLE_RELEASE % 1000 / 10;
  return NVJITLINK_SUCCESS;
}
