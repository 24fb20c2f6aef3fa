// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvvm.so.4: calls through the compiler's table.
#include "rtc/thin.h"

static const heddle::rtc::NvvmTable *table() {
  static const auto *loaded = heddle::rtc::loadTable<heddle::rtc::NvvmTable>("heddleNvvmTable");
  return loaded;
}

#define HEDDLE_CALL(...) HEDDLE_RELEASE __VA_OPT__(, ) __VA_ARGS__
#define HEDDLE_NVVM(name, parameters, arguments)                                                   \
  extern "C" __attribute__((visibility("default"))) nvvmResult name parameters {                   \
    return table() ? table()->name(HEDDLE_CALL arguments) : NVVM_ERROR_COMPILATION;                \
  }
#include "heddle/nvvm_functions.inc"
#undef HEDDLE_NVVM

extern "C" __attribute__((visibility("default")))
const char *nvvmGetErrorString(nvvmResult result) {
  switch (result) {
#define HEDDLE_NVVM_RESULT(name)                                                                   \
  case NVVM_##name:                                                                                \
    return "NVVM_" #name;
#include "heddle/nvvm_results.inc"
#undef HEDDLE_NVVM_RESULT
  }
  return "NVVM_ERROR unknown";
}
