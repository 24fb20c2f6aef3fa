// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of arrays in device code. The layout is that of flang/ISO_Fortran_binding.h, which
// needs a C library.
#pragma once

#include "fortran/device/device.h"

#include <stdint.h>

namespace heddle::fortran {

struct Dimension {
  int64_t lower, extent, stride;
};

struct Descriptor {
  uint8_t *base;
  uint64_t elementBytes;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute, extra;
  Dimension dimensions[];
};

constexpr uint8_t Allocatable = 2; ///< the attribute

/// Types' codes.
enum Type : int8_t {
  Int8 = 7,
  Int16,
  Int32,
  Int64,
  Half = 25,
  Float = 27,
  Double,
  FloatComplex = 34,
  DoubleComplex,
  Logical = 39,
  Character,
};

inline uint64_t elementsOf(const Descriptor *array) {
  uint64_t count = 1;
  for (int d = 0; d < array->rank; ++d)
    count *= static_cast<uint64_t>(array->dimensions[d].extent);
  return count;
}

/// The element with that number in the order of the array.
inline uint8_t *elementAt(const Descriptor *array, uint64_t number) {
  uint8_t *place = array->base;
  for (int d = 0; d < array->rank; ++d) {
    auto extent = static_cast<uint64_t>(array->dimensions[d].extent);
    place += static_cast<int64_t>(number % extent) * array->dimensions[d].stride;
    number /= extent;
  }
  return place;
}

/// The element as a logical value.
inline bool isTrueAt(const Descriptor *array, uint64_t number) {
  const uint8_t *place = elementAt(array, number);
  for (uint64_t i = 0; i < array->elementBytes; ++i)
    if (place[i] != 0)
      return true;
  return false;
}

/// A mask that is not there is true.
inline bool isChosen(const Descriptor *mask, uint64_t number) {
  return !mask || !mask->base || isTrueAt(mask, mask->rank == 0 ? 0 : number);
}

inline void copyElement(uint8_t *to, const uint8_t *from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    to[i] = from[i];
}

/// A result of the type of `source`, whose elements are contiguous. The caller sets the extents of
/// the dimensions and then allocates.
inline void beginResult(Descriptor *result, const Descriptor *source, int rank) {
  result->elementBytes = source->elementBytes;
  result->version = source->version;
  result->rank = static_cast<uint8_t>(rank);
  result->type = source->type;
  result->attribute = Allocatable;
  result->extra = 0;
}

/// The memory of a result, which the caller of the runtime's function frees.
inline void allocateResult(Descriptor *result) {
  auto stride = static_cast<int64_t>(result->elementBytes);
  for (int d = 0; d < result->rank; ++d) {
    result->dimensions[d].lower = 1;
    result->dimensions[d].stride = stride;
    stride *= result->dimensions[d].extent;
  }
  result->base = static_cast<uint8_t *>(malloc(stride > 0 ? static_cast<uint64_t>(stride) : 1));
  if (!result->base)
    endProgram("no memory for the result of a function in a kernel");
}

} // namespace heddle::fortran
