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

/// The bytes from the first element of an array to its last one.
struct Range {
  const uint8_t *begin, *end;

  explicit Range(const Descriptor *array) : begin(array->base), end(begin + array->elementBytes) {
    for (int d = 0; d < array->rank; ++d) {
      int64_t span = (array->dimensions[d].extent - 1) * array->dimensions[d].stride;
      (span < 0 ? begin : end) += span;
    }
  }
};

bool haveCommonBytes(const Descriptor *a, const Descriptor *b) {
  Range first(a), second(b);
  return first.begin < second.end && second.begin < first.end;
}

/// Elements that lie one behind the other.
void packElements(uint8_t *to, const Descriptor *from) {
  uint64_t bytes = from->elementBytes, count = elementsOf(from);
  for (uint64_t i = 0; i < count; ++i)
    copyElement(to + i * bytes, elementAt(from, i), bytes);
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
  if (count == 0)
    return;
  uint8_t *packed = nullptr; // what an assignment to an array of its own elements reads
  if (haveCommonBytes(to, from)) {
    packed = static_cast<uint8_t *>(malloc(elementsOf(from) * from->elementBytes));
    if (!packed)
      endProgram("no memory for an assignment in a kernel");
    packElements(packed, from);
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t number = from->rank == 0 ? 0 : i;
    assignElement(elementAt(to, i), to->elementBytes,
                  packed ? packed + number * from->elementBytes : elementAt(from, number),
                  from->elementBytes);
  }
  free(packed);
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
