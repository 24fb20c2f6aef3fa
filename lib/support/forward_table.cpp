// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public names of one library: HEDDLE_LIBRARY_TABLE is its table, HEDDLE_LIBRARY_FILES what
// the machine's may be called, HEDDLE_LIBRARY_REFUSES the status for what is not there.
#include "support/forward.h"

namespace {
int refuse() { return HEDDLE_LIBRARY_REFUSES; }
constinit heddle::library::ForwardedLibrary theLibrary{HEDDLE_LIBRARY_FILES, refuse};
} // namespace

/// Who looks for the machine's library knows ours by it (driver/gpu/cuda_libraries.cpp).
extern "C" __attribute__((visibility("default"), weak)) const char heddle_is_ours = 1;

#define HEDDLE_FUNCTION(group, name, state) HEDDLE_FORWARD(name)
#include HEDDLE_LIBRARY_TABLE
#undef HEDDLE_FUNCTION

namespace {
#define HEDDLE_FUNCTION(group, name, state) &heddle_entry_##name,
constinit heddle::library::ForwardedFunction *const functions[] = {
#include HEDDLE_LIBRARY_TABLE
};
#undef HEDDLE_FUNCTION
} // namespace

/// For `heddle check` (check/host_stack.cpp): the public name of the function of ours whose code begins
/// there, or null. A library that was stripped says it nowhere else.
extern "C" __attribute__((visibility("default"), weak)) const char *
heddle_public_name(const void *code) {
  for (const heddle::library::ForwardedFunction *function : functions)
    if (reinterpret_cast<const void *>(function->own) == code)
      return function->name;
  return nullptr;
}
