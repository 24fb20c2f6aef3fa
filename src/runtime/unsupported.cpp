// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that runtime.def calls Unsupported. They ignore their arguments, so they are
// defined without any: the calling conventions of the machines that we run on let a caller pass
// more than a function takes. This file sees no CUDA header, where the same names have their true
// types.
#include <atomic>

namespace heddle::runtime {
/// Says once that `name` is not supported; returns cudaErrorNotSupported. In
/// unsupported_report.cpp.
int reportUnsupported(const char *name, std::atomic<bool> &said);
} // namespace heddle::runtime

#define HEDDLE_Done(name)
#define HEDDLE_Unsupported(name)                                                                   \
  extern "C" __attribute__((visibility("default"))) int name() {                                   \
    static std::atomic<bool> said{false};                                                          \
    return heddle::runtime::reportUnsupported(#name, said);                                        \
  }
#define HEDDLE_FUNCTION(group, name, state) HEDDLE_##state(name)
#include "runtime/runtime.def"
