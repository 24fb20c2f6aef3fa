// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of arrays in device code. The layout is that of flang/ISO_Fortran_binding.h, which
// needs a C library.
#pragma once

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

inline void copyElement(uint8_t *to, const uint8_t *from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    to[i] = from[i];
}

} // namespace heddle::fortran
