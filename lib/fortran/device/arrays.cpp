// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Flang leaves to its runtime of arrays and pointers in device code, and its fatal errors
// (flang/Runtime/assign.h, misc-intrinsic.h, pointer.h, stop.h).
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

constexpr uint8_t Allocatable = 2; // CFI_attribute_allocatable

} // namespace

HEDDLE_RARE void __heddle_fortran_assign(Descriptor *to, const Descriptor *from) {
  if (!to->base || to->type != from->type || to->elementBytes != from->elementBytes)
    endProgram("an assignment in a kernel allocates or converts an array");
  uint64_t count = elementsOf(to);
  if (from->rank != 0 && elementsOf(from) != count)
    endProgram("an assignment in a kernel changes the shape of an array");
  for (uint64_t i = 0; i < count; ++i)
    copyElement(elementAt(to, i), from->rank == 0 ? from->base : elementAt(from, i),
                to->elementBytes);
}

/// TRANSFER to a scalar: the result is memory that the caller frees.
HEDDLE_RARE void __heddle_fortran_transfer(Descriptor *result, const Descriptor *source,
                                           const Descriptor *mold) {
  if (mold->rank != 0)
    endProgram("TRANSFER to an array in a kernel");
  result->elementBytes = mold->elementBytes;
  result->version = mold->version;
  result->rank = 0;
  result->type = mold->type;
  result->attribute = Allocatable;
  result->base = static_cast<uint8_t *>(malloc(mold->elementBytes));
  if (!result->base)
    endProgram("no memory for TRANSFER in a kernel");
  uint64_t count = elementsOf(source), at = 0;
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t byte = 0; byte < source->elementBytes && at < mold->elementBytes; ++byte)
      result->base[at++] = elementAt(source, i)[byte];
}

extern "C" {

void _FortranAAssign(Descriptor *to, const Descriptor *from, const char *, int) {
  __heddle_fortran_assign(to, from);
}

/// A Cray pointer's pointee, when it is used.
void _FortranAPointerAssociateScalar(Descriptor *pointee, void *address) {
  pointee->base = static_cast<uint8_t *>(address);
}

void _FortranATransfer(Descriptor *result, const Descriptor *source, const Descriptor *mold,
                       const char *, int) {
  __heddle_fortran_transfer(result, source, mold);
}

void _FortranAReportFatalUserError(const char *message, const char *file, int line) {
  struct {
    const char *file;
    int line;
    const char *message;
  } arguments = {file, line, message};
  vprintf("%s:%d: %s\n", &arguments);
  __builtin_trap();
}
}
