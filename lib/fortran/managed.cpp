// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -gpu=managed: what the program allocates on the heap is managed memory, so allocatable arrays and
// pointers may be used on the device. The link gives malloc and its like of the program and of
// Flang's runtime, which are linked statically, to the functions here (--wrap); allocators of
// Flang's registry would not do, as compiled code and the runtime also call malloc, realloc and
// free for one and the same array. What shared libraries allocate and free themselves stays theirs,
// and memory goes back to whom it came from.
#include "fortran/entry.h"

#include <algorithm>
#include <cstring>

extern "C" {
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
}

using namespace heddle::fortran;

HEDDLE_FORTRAN void *__wrap_malloc(size_t bytes) {
  return programHasBegun ? allocateManaged(bytes) : __real_malloc(bytes);
}

HEDDLE_FORTRAN void *__wrap_calloc(size_t count, size_t bytes) {
  size_t all = 0;
  if (!programHasBegun || __builtin_mul_overflow(count, bytes, &all))
    return __real_calloc(count, bytes);
  void *memory = allocateManaged(all);
  return memory ? std::memset(memory, 0, all) : nullptr;
}

HEDDLE_FORTRAN void __wrap_free(void *memory) {
  if (memory && !freeManaged(memory))
    __real_free(memory);
}

HEDDLE_FORTRAN void *__wrap_realloc(void *memory, size_t bytes) {
  if (!memory)
    return __wrap_malloc(bytes);
  size_t old = managedBytes(memory);
  if (old == 0)
    return __real_realloc(memory, bytes);
  void *larger = allocateManaged(bytes);
  if (larger) {
    std::memcpy(larger, memory, std::min(old, bytes));
    freeManaged(memory);
  }
  return larger;
}
