// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Flang leaves to its runtime of arrays and pointers in device code, and its fatal errors
// (flang/Runtime/assign.h, misc-intrinsic.h, pointer.h, stop.h).
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

/// Text gets blanks behind it, or is cut.
void assignElement(uint8_t *to, uint64_t toBytes, const uint8_t *from, uint64_t fromBytes) {
  for (uint64_t i = 0; i < toBytes; ++i)
    to[i] = i < fromBytes ? from[i] : static_cast<uint8_t>(' ');
}

/// TRANSFER: the bytes of all elements, as many as there are.
void transferBytes(Descriptor *result, const Descriptor *source) {
  allocateResult(result);
  uint64_t bytes = elementsOf(result) * result->elementBytes;
  for (uint64_t at = 0; at < bytes && at / source->elementBytes < elementsOf(source); ++at)
    result->base[at] = elementAt(source, at / source->elementBytes)[at % source->elementBytes];
}

} // namespace

HEDDLE_RARE void __heddle_fortran_assign(Descriptor *to, const Descriptor *from) {
  bool isLike = to->elementBytes == from->elementBytes || to->type == Character;
  if (!to->base || to->type != from->type || !isLike)
    endProgram("an assignment in a kernel allocates or converts an array");
  uint64_t count = elementsOf(to);
  if (from->rank != 0 && elementsOf(from) != count)
    endProgram("an assignment in a kernel changes the shape of an array");
  for (uint64_t i = 0; i < count; ++i)
    assignElement(elementAt(to, i), to->elementBytes,
                  from->rank == 0 ? from->base : elementAt(from, i), from->elementBytes);
}

HEDDLE_RARE void __heddle_fortran_transfer(Descriptor *result, const Descriptor *source,
                                           const Descriptor *mold) {
  beginResult(result, mold, mold->rank == 0 ? 0 : 1);
  uint64_t bytes = elementsOf(source) * source->elementBytes;
  if (mold->rank != 0)
    result->dimensions[0].extent =
        static_cast<int64_t>((bytes + mold->elementBytes - 1) / mold->elementBytes);
  transferBytes(result, source);
}

/// TRANSFER with SIZE.
HEDDLE_RARE void __heddle_fortran_transfer_size(Descriptor *result, const Descriptor *source,
                                                const Descriptor *mold, int64_t size) {
  beginResult(result, mold, 1);
  result->dimensions[0].extent = size;
  transferBytes(result, source);
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

void _FortranATransferSize(Descriptor *result, const Descriptor *source, const Descriptor *mold,
                           const char *, int, int64_t size) {
  __heddle_fortran_transfer_size(result, source, mold, size);
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
