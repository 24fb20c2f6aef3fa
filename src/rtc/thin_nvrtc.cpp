// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvrtc.so.N of the release HEDDLE_RELEASE: calls through the compiler's table. A version script that the build
// makes of the same list exports what the release has.
#include "rtc/thin.h"

static const heddle::rtc::NvrtcTable *table() {
  static const auto *loaded = heddle::rtc::loadTable<heddle::rtc::NvrtcTable>("heddleNvrtcTable");
  return loaded;
}

#define HEDDLE_CALL(...) HEDDLE_RELEASE __VA_OPT__(, ) __VA_ARGS__
#define HEDDLE_NVRTC(since, until, name, parameters, arguments)                                    \
  extern "C" __attribute__((visibility("default"))) nvrtcResult name parameters {                  \
    return table() ? table()->name(HEDDLE_CALL arguments) : NVRTC_ERROR_INTERNAL_ERROR;            \
  }
#include "heddle/nvrtc_functions.inc"
#undef HEDDLE_NVRTC

extern "C" __attribute__((visibility("default")))
const char *nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
#define HEDDLE_NVRTC_RESULT(name)                                                                  \
  case NVRTC_##name:                                                                               \
    return "NVRTC_" #name;
#include "heddle/nvrtc_results.inc"
#undef HEDDLE_NVRTC_RESULT
  }
  return "NVRTC_ERROR unknown";
}
