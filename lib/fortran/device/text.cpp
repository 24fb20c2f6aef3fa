// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Flang leaves to its runtime of text in device code (flang/Runtime/character.h). Text is of
// one byte each character. Functions whose result is text give it in memory that the caller frees.
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

constexpr char Blank = ' ';

uint64_t lengthWithoutBlanks(const char *text, uint64_t length) {
  while (length > 0 && text[length - 1] == Blank)
    --length;
  return length;
}

uint64_t blanksInFront(const char *text, uint64_t length) {
  uint64_t blanks = 0;
  while (blanks < length && text[blanks] == Blank)
    ++blanks;
  return blanks;
}

bool isIn(char c, const char *set, uint64_t length) {
  for (uint64_t i = 0; i < length; ++i)
    if (set[i] == c)
      return true;
  return false;
}

/// The place of the first character, or the last, that is in the set or not; 0 if there is none.
uint64_t findOfSet(const char *text, uint64_t length, const char *set, uint64_t setLength,
                   bool back, bool wanted) {
  for (uint64_t i = 0; i < length; ++i) {
    uint64_t at = back ? length - 1 - i : i;
    if (isIn(text[at], set, setLength) == wanted)
      return at + 1;
  }
  return 0;
}

bool isAt(const char *text, const char *wanted, uint64_t length) {
  for (uint64_t i = 0; i < length; ++i)
    if (text[i] != wanted[i])
      return false;
  return true;
}

/// Memory for text of that length, with the shape of `source`.
void createText(Descriptor *result, const Descriptor *source, uint64_t length) {
  beginResult(result, source, source->rank);
  result->elementBytes = length;
  for (int d = 0; d < source->rank; ++d)
    result->dimensions[d].extent = source->dimensions[d].extent;
  allocateResult(result);
}

/// Each element with its blanks at the other end.
void adjust(Descriptor *result, const Descriptor *source, bool toTheRight) {
  uint64_t length = source->elementBytes;
  createText(result, source, length);
  for (uint64_t i = 0; i < elementsOf(source); ++i) {
    auto *from = reinterpret_cast<const char *>(elementAt(source, i));
    auto *to = reinterpret_cast<char *>(elementAt(result, i));
    uint64_t shift = toTheRight ? lengthWithoutBlanks(from, length) : blanksInFront(from, length);
    for (uint64_t at = 0; at < length; ++at)
      to[at] = from[(at + shift) % length]; // what comes round are the blanks
  }
}

} // namespace

HEDDLE_RARE void __heddle_fortran_adjust(Descriptor *result, const Descriptor *source,
                                         bool toTheRight) {
  adjust(result, source, toTheRight);
}

HEDDLE_RARE void __heddle_fortran_trim(Descriptor *result, const Descriptor *source) {
  uint64_t length =
      lengthWithoutBlanks(reinterpret_cast<const char *>(source->base), source->elementBytes);
  createText(result, source, length);
  copyElement(result->base, source->base, length);
}

HEDDLE_RARE void __heddle_fortran_repeat(Descriptor *result, const Descriptor *source,
                                         int64_t copies) {
  uint64_t length = source->elementBytes, count = copies > 0 ? static_cast<uint64_t>(copies) : 0;
  createText(result, source, length * count);
  for (uint64_t i = 0; i < count; ++i)
    copyElement(result->base + i * length, source->base, length);
}

extern "C" {

/// The thread's own copy of a value among a launch's arguments.
void heddleFortranTakeText(char *to, const char *from, uint64_t length) {
  __builtin_memcpy(to, from, length);
}

/// -1, 0 or 1; the shorter text has blanks behind it.
int32_t _FortranACharacterCompareScalar1(const char *x, const char *y, uint64_t xLength,
                                         uint64_t yLength) {
  for (uint64_t i = 0; i < xLength || i < yLength; ++i) {
    auto a = static_cast<uint8_t>(i < xLength ? x[i] : Blank);
    auto b = static_cast<uint8_t>(i < yLength ? y[i] : Blank);
    if (a != b)
      return a < b ? -1 : 1;
  }
  return 0;
}

uint64_t _FortranALenTrim1(const char *text, uint64_t length) {
  return lengthWithoutBlanks(text, length);
}

uint64_t _FortranAIndex1(const char *text, uint64_t length, const char *wanted,
                         uint64_t wantedLength, bool back) {
  if (wantedLength > length)
    return 0;
  uint64_t places = length - wantedLength + 1;
  for (uint64_t i = 0; i < places; ++i) {
    uint64_t at = back ? places - 1 - i : i;
    if (isAt(text + at, wanted, wantedLength))
      return at + 1;
  }
  return 0;
}

uint64_t _FortranAScan1(const char *text, uint64_t length, const char *set, uint64_t setLength,
                        bool back) {
  return findOfSet(text, length, set, setLength, back, true);
}

uint64_t _FortranAVerify1(const char *text, uint64_t length, const char *set, uint64_t setLength,
                          bool back) {
  return findOfSet(text, length, set, setLength, back, false);
}

void _FortranAAdjustl(Descriptor *result, const Descriptor *source, const char *, int) {
  __heddle_fortran_adjust(result, source, false);
}

void _FortranAAdjustr(Descriptor *result, const Descriptor *source, const char *, int) {
  __heddle_fortran_adjust(result, source, true);
}

void _FortranATrim(Descriptor *result, const Descriptor *source, const char *, int) {
  __heddle_fortran_trim(result, source);
}

void _FortranARepeat(Descriptor *result, const Descriptor *source, int64_t copies, const char *,
                     int) {
  __heddle_fortran_repeat(result, source, copies);
}
}
