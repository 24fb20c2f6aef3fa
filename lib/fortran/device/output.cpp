// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PRINT and WRITE in kernels: the entries of Flang's runtime that compiled code calls
// (flang/Runtime/io-api.h), for the device. They collect the items' values; the end of the
// statement prints it at once, so that threads' records do not mix. The text is made on the host by
// Flang's own runtime (../output.cpp), so it is Flang's to the letter.
//
// The compiler gives the entries that begin a statement memory of the procedure's frame as a first
// argument.
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"
#include "fortran/device/statement.h"

using namespace heddle::fortran;

namespace {

constexpr int StandardOutput = 6;

/// Room for so many bytes behind the items.
HEDDLE_RARE uint8_t *__heddle_fortran_reserve(Statement *s, uint64_t bytes) {
  uint64_t needed = s->bytes + bytes;
  if (needed > s->capacity) {
    uint64_t capacity = needed * 2;
    auto *larger = static_cast<uint8_t *>(malloc(capacity));
    if (!larger)
      endProgram("no memory for the output of a kernel");
    for (uint64_t i = 0; i < s->bytes; ++i)
      larger[i] = s->items[i];
    if (s->items != s->room)
      free(s->items);
    s->items = larger;
    s->capacity = capacity;
  }
  uint8_t *place = s->items + s->bytes;
  s->bytes = needed;
  return place;
}

uint64_t padded(uint64_t bytes) {
  return (bytes + ItemAlignment - 1) / ItemAlignment * ItemAlignment;
}

/// Adds an item's head; returns where its bytes go.
uint8_t *addItem(Statement *s, ItemKind kind, uint64_t bytes, unsigned rank = 0) {
  uint8_t *place = __heddle_fortran_reserve(s, sizeof(ItemHead) + padded(bytes));
  *reinterpret_cast<ItemHead *>(place) = {kind, rank, bytes};
  return place + sizeof(ItemHead);
}

template <typename T> bool addValue(Statement *s, ItemKind kind, T value) {
  *reinterpret_cast<T *>(addItem(s, kind, sizeof(T))) = value;
  return true;
}

HEDDLE_RARE bool __heddle_fortran_characters(Statement *s, ItemKind kind, const char *text,
                                             uint64_t length) {
  uint8_t *to = addItem(s, kind, length);
  for (uint64_t i = 0; i < length; ++i)
    to[i] = static_cast<uint8_t>(text[i]);
  return true;
}

Statement *begin(Statement *s, int unit) {
  if (unit != StandardOutput)
    endProgram("a kernel writes to another unit than the standard output");
  s->items = s->room;
  s->bytes = 0;
  s->capacity = InlineBytes;
  return s;
}

HEDDLE_RARE bool __heddle_fortran_array(Statement *s, const Descriptor *array) {
  uint64_t count = elementsOf(array), head = sizeof(ArrayItem) + sizeof(int64_t) * array->rank;
  uint8_t *to = addItem(s, ItemKind::Array, head + count * array->elementBytes, array->rank);
  *reinterpret_cast<ArrayItem *>(to) = {array->elementBytes, array->type};
  to += sizeof(ArrayItem);
  for (int d = 0; d < array->rank; ++d, to += sizeof(int64_t))
    *reinterpret_cast<int64_t *>(to) = array->dimensions[d].extent;
  for (uint64_t i = 0; i < count; ++i, to += array->elementBytes)
    copyElement(to, elementAt(array, i), array->elementBytes);
  return true;
}

HEDDLE_RARE int __heddle_fortran_print(Statement *s) {
  vprintf("%\1", &s);
  if (s->items != s->room)
    free(s->items);
  return 0;
}

} // namespace

extern "C" {

Statement *_FortranAioBeginExternalListOutput(Statement *s, int unit, const char *, int) {
  return begin(s, unit);
}

Statement *_FortranAioBeginExternalFormattedOutput(Statement *s, const char *format,
                                                   uint64_t length, const Descriptor *variable,
                                                   int unit, const char *, int) {
  if (variable)
    endProgram("a kernel writes with a format in an array");
  begin(s, unit);
  __heddle_fortran_characters(s, ItemKind::Format, format, length);
  return s;
}

/// advance=, whose value is "yes" or "no" in letters of any case.
bool _FortranAioSetAdvance(Statement *s, const char *value, uint64_t length) {
  if (length != 0 && (value[0] == 'n' || value[0] == 'N'))
    addItem(s, ItemKind::NoAdvance, 0);
  return true;
}

/// iostat=, iomsg= and err=: there is no error that the device could tell.
void _FortranAioEnableHandlers(Statement *, bool, bool, bool, bool, bool) {}
void _FortranAioGetIoMsg(Statement *, char *, uint64_t) {}

bool _FortranAioOutputInteger8(Statement *s, int8_t value) {
  return addValue(s, ItemKind::Integer, value);
}
bool _FortranAioOutputInteger16(Statement *s, int16_t value) {
  return addValue(s, ItemKind::Integer, value);
}
bool _FortranAioOutputInteger32(Statement *s, int32_t value) {
  return addValue(s, ItemKind::Integer, value);
}
bool _FortranAioOutputInteger64(Statement *s, int64_t value) {
  return addValue(s, ItemKind::Integer, value);
}
bool _FortranAioOutputReal32(Statement *s, float value) {
  return addValue(s, ItemKind::Real, value);
}
bool _FortranAioOutputReal64(Statement *s, double value) {
  return addValue(s, ItemKind::Real, value);
}

struct ComplexFloat {
  float real, imaginary;
};
struct ComplexDouble {
  double real, imaginary;
};
bool _FortranAioOutputComplex32(Statement *s, float real, float imaginary) {
  return addValue(s, ItemKind::Complex, ComplexFloat{real, imaginary});
}
bool _FortranAioOutputComplex64(Statement *s, double real, double imaginary) {
  return addValue(s, ItemKind::Complex, ComplexDouble{real, imaginary});
}

bool _FortranAioOutputLogical(Statement *s, bool value) {
  return addValue(s, ItemKind::Logical, static_cast<uint8_t>(value));
}

bool _FortranAioOutputAscii(Statement *s, const char *text, uint64_t length) {
  return __heddle_fortran_characters(s, ItemKind::Character, text, length);
}

bool _FortranAioOutputDescriptor(Statement *s, const Descriptor *array) {
  return __heddle_fortran_array(s, array);
}

int _FortranAioEndIoStatement(Statement *s) { return __heddle_fortran_print(s); }
}
