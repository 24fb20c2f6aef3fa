// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Flang leaves to its runtime of ALLOCATE in device code (flang/Runtime/allocatable.h): with
// SOURCE= and MOLD=, which it does not write out. Memory is of the device's heap, where what it
// writes out is, too.
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

/// Of STAT=: there is no memory left.
constexpr int StatNoMemory = 5014;

/// Gives the array memory for its bounds; a status that nobody looks at ends the program.
int allocate(Descriptor *array, bool hasStat) {
  auto stride = static_cast<int64_t>(array->elementBytes);
  for (int d = 0; d < array->rank; ++d) {
    array->dimensions[d].stride = stride;
    stride *= array->dimensions[d].extent;
  }
  array->base = static_cast<uint8_t *>(malloc(stride > 0 ? static_cast<uint64_t>(stride) : 1));
  if (!array->base && !hasStat)
    endProgram("no memory for ALLOCATE in a kernel");
  return array->base ? 0 : StatNoMemory;
}

} // namespace

extern "C" {

void _FortranAAllocatableSetBounds(Descriptor *array, int dimension, int64_t lower, int64_t upper) {
  array->dimensions[dimension].lower = lower;
  array->dimensions[dimension].extent = upper >= lower ? upper - lower + 1 : 0;
}

/// Bounds of a source for an array that is given none.
void _FortranAAllocatableApplyMold(Descriptor *array, const Descriptor *mold, int rank) {
  array->rank = static_cast<uint8_t>(rank);
  for (int d = 0; d < rank; ++d) {
    array->dimensions[d].lower = mold->dimensions[d].lower;
    array->dimensions[d].extent = mold->dimensions[d].extent;
  }
}

int _FortranAAllocatableAllocate(Descriptor *array, int64_t *, bool hasStat, const Descriptor *,
                                 const char *, int, void *) {
  return allocate(array, hasStat);
}

int _FortranAAllocatableAllocateSource(Descriptor *array, const Descriptor *source, bool hasStat,
                                       const Descriptor *, const char *, int) {
  int status = allocate(array, hasStat);
  uint64_t count = status == 0 ? elementsOf(array) : 0;
  for (uint64_t i = 0; i < count; ++i)
    copyElement(elementAt(array, i), source->rank == 0 ? source->base : elementAt(source, i),
                array->elementBytes);
  return status;
}

// Of variables with the attribute device, as those of device code are.
int _FortranACUFAllocatableAllocate(Descriptor *array, int64_t *, bool *, bool hasStat,
                                    const Descriptor *, const char *, int, bool) {
  return allocate(array, hasStat);
}

int _FortranACUFAllocatableAllocateSource(Descriptor *array, const Descriptor *source, int64_t *,
                                          bool *, bool hasStat, const Descriptor *message,
                                          const char *file, int line, bool) {
  return _FortranAAllocatableAllocateSource(array, source, hasStat, message, file, line);
}

int _FortranAAllocatableDeallocate(Descriptor *array, bool, const Descriptor *, const char *, int) {
  free(array->base);
  array->base = nullptr;
  return 0;
}
}
