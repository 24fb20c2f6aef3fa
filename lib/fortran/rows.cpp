// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of one type, row by row: a row is what lies one behind the other along the first
// dimension. Flang's assignment calls a function for each element, which takes ten times as long.
#include "fortran/entry.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::fortran {

namespace {

bool haveOneType(const Descriptor &a, const Descriptor &b) {
  constexpr unsigned char HasAddendum = 1;
  return a.base_addr && b.base_addr && a.type == b.type && a.elem_len == b.elem_len &&
         !((a.extra | b.extra) & HasAddendum);
}

bool hasRows(const Descriptor &array) {
  return array.rank > 0 &&
         (array.dim[0].extent == 1 || array.dim[0].sm == static_cast<CFI_index_t>(array.elem_len));
}

/// The memory from an array's first byte to behind its last one.
std::pair<const char *, const char *> spanOf(const Descriptor &array) {
  auto *first = static_cast<const char *>(array.base_addr), *last = first;
  for (int d = 0; d < array.rank; ++d) {
    CFI_index_t reach = (array.dim[d].extent - 1) * array.dim[d].sm;
    (reach < 0 ? first : last) += reach;
  }
  return {first, last + array.elem_len};
}

bool areApart(const Descriptor &a, const Descriptor &b) {
  auto [beginA, endA] = spanOf(a);
  auto [beginB, endB] = spanOf(b);
  return endA <= beginB || endB <= beginA;
}

/// Steps through the rows of an array of some shape; tells how far each array's next row is.
class Rows {
public:
  explicit Rows(const Descriptor &shape) : shape_(shape) {}

  bool exist() const { return elementsOf(shape_) != 0; }

  /// Where an array of the shape has the row, in bytes behind its first element.
  CFI_index_t offsetIn(const Descriptor &array) const {
    CFI_index_t offset = 0;
    for (int d = 1; d < array.rank; ++d)
      offset += index_[static_cast<size_t>(d)] * array.dim[d].sm;
    return offset;
  }

  /// False behind the last row.
  bool advance() {
    for (int d = 1; d < shape_.rank; ++d) {
      CFI_index_t &index = index_[static_cast<size_t>(d)];
      if (++index < shape_.dim[d].extent)
        return true;
      index = 0;
    }
    return false;
  }

private:
  const Descriptor &shape_;
  std::array<CFI_index_t, CFI_MAX_RANK> index_ = {};
};

template <typename T> void fillAs(char *to, const char *value, size_t count) {
  T element;
  std::memcpy(&element, value, sizeof(T));
  std::fill_n(reinterpret_cast<T *>(to), count, element);
}

void fillRow(char *to, const char *value, size_t elementBytes, size_t count) {
  switch (elementBytes) {
  case 1:
    return fillAs<uint8_t>(to, value, count);
  case 2:
    return fillAs<uint16_t>(to, value, count);
  case 4:
    return fillAs<uint32_t>(to, value, count);
  case 8:
    return fillAs<uint64_t>(to, value, count);
  default:
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to + i * elementBytes, value, elementBytes);
  }
}

} // namespace

bool copyRows(const Descriptor &to, const Descriptor &from) {
  if (!haveOneType(to, from) || !haveOneShape(to, from) || !hasRows(to) || !hasRows(from) ||
      !areApart(to, from))
    return false;
  Rows rows(to);
  size_t bytes = static_cast<size_t>(to.dim[0].extent) * to.elem_len;
  for (bool more = rows.exist(); more; more = rows.advance())
    std::memcpy(static_cast<char *>(to.base_addr) + rows.offsetIn(to),
                static_cast<const char *>(from.base_addr) + rows.offsetIn(from), bytes);
  return true;
}

bool fillRows(const Descriptor &to, const Descriptor &value) {
  if (value.rank != 0 || !haveOneType(to, value) || !hasRows(to) || !areApart(to, value))
    return false;
  Rows rows(to);
  for (bool more = rows.exist(); more; more = rows.advance())
    fillRow(static_cast<char *>(to.base_addr) + rows.offsetIn(to),
            static_cast<const char *>(value.base_addr), to.elem_len,
            static_cast<size_t>(to.dim[0].extent));
  return true;
}

} // namespace heddle::fortran
