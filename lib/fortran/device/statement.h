// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output statement of a kernel, as device code collects it (output.cpp beside this) and the host
// formats it (../output.cpp).
#pragma once

#include <stdint.h>

namespace heddle::fortran {

enum class ItemKind : uint32_t {
  Format, ///< characters: the statement's format, in front of all items; without one it is list-directed
  Integer,
  Real,
  Complex,
  Logical, ///< one byte: 0 or 1
  Character,
  NoAdvance, ///< advance='no'; without bytes
  Array,     ///< an ArrayItem, its extents and its elements, one behind the other
};

/// In front of each item's bytes, which are padded to a multiple of ItemAlignment.
struct ItemHead {
  ItemKind kind;
  uint32_t rank; ///< of an array
  uint64_t bytes;
};

/// What an array's descriptor says of its elements.
struct ArrayItem {
  uint64_t elementBytes;
  int64_t type; ///< the descriptor's code
};

inline constexpr uint64_t ItemAlignment = 8;

/// Room that a statement has of itself; longer ones are in memory of the heap.
inline constexpr uint64_t InlineBytes = 232;

/// On the stack of the procedure. The compiler knows the size
/// (frontend/fortran/device_library.cpp).
struct Statement {
  uint8_t *items;
  uint64_t bytes, capacity;
  uint8_t room[InlineBytes];
};
inline constexpr uint64_t StatementBytes = 256;
static_assert(sizeof(Statement) == StatementBytes);

} // namespace heddle::fortran
