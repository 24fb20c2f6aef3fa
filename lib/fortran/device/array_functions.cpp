// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions over arrays that Flang does not write out in device code (flang/Runtime/reduction.h,
// transformational.h). What they give is in memory that the caller frees. An array's elements are
// numbered in its order; along a dimension `dim` each lies `step` behind the last, where `step` is
// the product of the extents below `dim`.
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

using namespace heddle::fortran;

namespace {

// ---- IALL, IANY, IPARITY

struct And {
  static constexpr int64_t Start = -1;
  static int64_t apply(int64_t a, int64_t b) { return a & b; }
};
struct Or {
  static constexpr int64_t Start = 0;
  static int64_t apply(int64_t a, int64_t b) { return a | b; }
};
struct Xor {
  static constexpr int64_t Start = 0;
  static int64_t apply(int64_t a, int64_t b) { return a ^ b; }
};

int64_t integerAt(const Descriptor *array, uint64_t number) {
  const uint8_t *place = elementAt(array, number);
  switch (array->elementBytes) {
  case 1:
    return static_cast<int8_t>(*place);
  case 2:
    return *reinterpret_cast<const int16_t *>(place);
  case 4:
    return *reinterpret_cast<const int32_t *>(place);
  default:
    return *reinterpret_cast<const int64_t *>(place);
  }
}

void storeInteger(uint8_t *place, int64_t value, uint64_t bytes) {
  copyElement(place, reinterpret_cast<const uint8_t *>(&value), bytes); // the lowest come first
}

/// The lines along a dimension: where each begins, how far its elements are apart and how many
/// there are.
struct Lines {
  uint64_t step = 1, extent, count;

  Lines(const Descriptor *array, int dim)
      : extent(static_cast<uint64_t>(array->dimensions[dim - 1].extent)) {
    for (int d = 0; d < dim - 1; ++d)
      step *= static_cast<uint64_t>(array->dimensions[d].extent);
    count = extent == 0 ? 0 : elementsOf(array) / extent;
  }
  uint64_t element(uint64_t line, uint64_t i) const {
    return line % step + (line / step * extent + i) * step;
  }
};

/// A result with all dimensions but one.
void createWithout(Descriptor *result, const Descriptor *array, int dim, uint64_t bytes) {
  beginResult(result, array, array->rank - 1);
  result->elementBytes = bytes;
  for (int d = 0, to = 0; d < array->rank; ++d)
    if (d != dim - 1)
      result->dimensions[to++].extent = array->dimensions[d].extent;
  allocateResult(result);
}

template <typename Op> int64_t reduceAll(const Descriptor *array, const Descriptor *mask) {
  int64_t value = Op::Start;
  for (uint64_t i = 0, n = elementsOf(array); i < n; ++i)
    if (isChosen(mask, i))
      value = Op::apply(value, integerAt(array, i));
  return value;
}

template <typename Op>
void reduceLines(Descriptor *result, const Descriptor *array, int dim, const Descriptor *mask) {
  createWithout(result, array, dim, array->elementBytes);
  Lines lines(array, dim);
  for (uint64_t line = 0; line < lines.count; ++line) {
    int64_t value = Op::Start;
    for (uint64_t i = 0; i < lines.extent; ++i)
      if (uint64_t at = lines.element(line, i); isChosen(mask, at))
        value = Op::apply(value, integerAt(array, at));
    storeInteger(elementAt(result, line), value, result->elementBytes);
  }
}

// ---- FINDLOC

struct Number {
  double real = 0, imaginary = 0;
  int64_t integer = 0;
  bool isInteger = false;
};

Number numberAt(const Descriptor *array, uint64_t i) {
  const uint8_t *place = elementAt(array, i);
  switch (array->type) {
  case Half:
    return {static_cast<double>(*reinterpret_cast<const _Float16 *>(place))};
  case Float:
    return {*reinterpret_cast<const float *>(place)};
  case Double:
    return {*reinterpret_cast<const double *>(place)};
  case FloatComplex:
    return {reinterpret_cast<const float *>(place)[0], reinterpret_cast<const float *>(place)[1]};
  case DoubleComplex:
    return {reinterpret_cast<const double *>(place)[0], reinterpret_cast<const double *>(place)[1]};
  default:
    int64_t value = integerAt(array, i);
    return {static_cast<double>(value), 0, value, true};
  }
}

bool isEqualText(const Descriptor *array, uint64_t i, const Descriptor *value) {
  const uint8_t *text = elementAt(array, i);
  uint64_t length = array->elementBytes, other = value->elementBytes;
  for (uint64_t at = 0; at < length || at < other; ++at)
    if ((at < length ? text[at] : ' ') != (at < other ? value->base[at] : ' '))
      return false;
  return true;
}

bool isEqual(const Descriptor *array, uint64_t i, const Descriptor *value) {
  if (array->type == Character)
    return isEqualText(array, i, value);
  if (array->type == Logical)
    return isTrueAt(array, i) == isTrueAt(value, 0);
  Number a = numberAt(array, i), b = numberAt(value, 0);
  if (a.isInteger && b.isInteger)
    return a.integer == b.integer;
  return a.real == b.real && a.imaginary == b.imaginary;
}

struct Search {
  const Descriptor *array, *value, *mask;
  bool back;

  bool isFound(uint64_t i) const { return isChosen(mask, i) && isEqual(array, i, value); }
};

Type integerOf(int kind) {
  return kind == 1 ? Int8 : kind == 2 ? Int16 : kind == 4 ? Int32 : Int64;
}

void findInAll(Descriptor *result, const Search &search, int kind) {
  const Descriptor *array = search.array;
  beginResult(result, array, 1);
  result->elementBytes = static_cast<uint64_t>(kind);
  result->type = integerOf(kind);
  result->dimensions[0].extent = array->rank;
  allocateResult(result);
  uint64_t n = elementsOf(array), i = 0;
  auto place = [&](uint64_t step) { return search.back ? n - 1 - step : step; };
  while (i < n && !search.isFound(place(i)))
    ++i;
  uint64_t rest = i < n ? place(i) : 0;
  for (int d = 0; d < array->rank; ++d) {
    auto extent = static_cast<uint64_t>(array->dimensions[d].extent);
    storeInteger(elementAt(result, static_cast<uint64_t>(d)),
                 i < n ? static_cast<int64_t>(rest % extent) + 1 : 0, result->elementBytes);
    rest = extent == 0 ? 0 : rest / extent;
  }
}

void findInLines(Descriptor *result, const Search &search, int kind, int dim) {
  createWithout(result, search.array, dim, static_cast<uint64_t>(kind));
  result->type = integerOf(kind);
  Lines lines(search.array, dim);
  for (uint64_t line = 0; line < elementsOf(result); ++line) {
    int64_t found = 0;
    for (uint64_t step = 0; step < lines.extent && found == 0; ++step) {
      uint64_t i = search.back ? lines.extent - 1 - step : step;
      if (search.isFound(lines.element(line, i)))
        found = static_cast<int64_t>(i) + 1;
    }
    storeInteger(elementAt(result, line), found, result->elementBytes);
  }
}

// ---- PACK, UNPACK, SPREAD

void pack(Descriptor *result, const Descriptor *source, const Descriptor *mask,
          const Descriptor *vector) {
  uint64_t n = elementsOf(source), count = 0;
  for (uint64_t i = 0; i < n; ++i)
    count += isChosen(mask, i);
  uint64_t length = vector ? elementsOf(vector) : count;
  beginResult(result, source, 1);
  result->dimensions[0].extent = static_cast<int64_t>(length);
  allocateResult(result);
  uint64_t to = 0;
  for (uint64_t i = 0; i < n && to < length; ++i)
    if (isChosen(mask, i))
      copyElement(elementAt(result, to++), elementAt(source, i), source->elementBytes);
  for (; to < length; ++to)
    copyElement(elementAt(result, to), elementAt(vector, to), source->elementBytes);
}

void unpack(Descriptor *result, const Descriptor *vector, const Descriptor *mask,
            const Descriptor *field) {
  beginResult(result, vector, mask->rank);
  for (int d = 0; d < mask->rank; ++d)
    result->dimensions[d].extent = mask->dimensions[d].extent;
  allocateResult(result);
  uint64_t from = 0;
  for (uint64_t i = 0, n = elementsOf(result); i < n; ++i)
    copyElement(elementAt(result, i),
                isChosen(mask, i) ? elementAt(vector, from++)
                                  : elementAt(field, field->rank == 0 ? 0 : i),
                result->elementBytes);
}

void spread(Descriptor *result, const Descriptor *source, int dim, int64_t copies) {
  beginResult(result, source, source->rank + 1);
  for (int d = 0, from = 0; d < result->rank; ++d)
    result->dimensions[d].extent = d != dim - 1 ? source->dimensions[from++].extent
                                   : copies > 0 ? copies
                                                : 0;
  allocateResult(result);
  Lines lines(result, dim);
  for (uint64_t line = 0; line < lines.count; ++line)
    for (uint64_t i = 0; i < lines.extent; ++i)
      copyElement(elementAt(result, lines.element(line, i)), elementAt(source, line),
                  source->elementBytes);
}

} // namespace

#define HEDDLE_BITS(NAME, OP)                                                                      \
  HEDDLE_RARE int64_t __heddle_fortran_##OP(const Descriptor *x, const Descriptor *mask) {         \
    return reduceAll<OP>(x, mask);                                                                 \
  }                                                                                                \
  HEDDLE_RARE void __heddle_fortran_##OP##_lines(Descriptor *result, const Descriptor *x, int dim, \
                                                 const Descriptor *mask) {                         \
    reduceLines<OP>(result, x, dim, mask);                                                         \
  }                                                                                                \
  HEDDLE_BITS_OF(NAME, OP, 1, int8_t)                                                              \
  HEDDLE_BITS_OF(NAME, OP, 2, int16_t)                                                             \
  HEDDLE_BITS_OF(NAME, OP, 4, int32_t)                                                             \
  HEDDLE_BITS_OF(NAME, OP, 8, int64_t)                                                             \
  extern "C" void _FortranA##NAME##Dim(Descriptor *result, const Descriptor *x, int dim,           \
                                       const char *, int, const Descriptor *mask) {                \
    __heddle_fortran_##OP##_lines(result, x, dim, mask);                                           \
  }

#define HEDDLE_BITS_OF(NAME, OP, KIND, TYPE)                                                       \
  extern "C" TYPE _FortranA##NAME##KIND(const Descriptor *x, const char *, int, int,               \
                                        const Descriptor *mask) {                                  \
    return static_cast<TYPE>(__heddle_fortran_##OP(x, mask));                                      \
  }

HEDDLE_BITS(IAll, And)
HEDDLE_BITS(IAny, Or)
HEDDLE_BITS(IParity, Xor)

HEDDLE_RARE void __heddle_fortran_findloc(Descriptor *result, const Search *search, int kind,
                                          int dim) {
  if (dim == 0)
    findInAll(result, *search, kind);
  else
    findInLines(result, *search, kind, dim);
}
HEDDLE_RARE void __heddle_fortran_pack(Descriptor *result, const Descriptor *source,
                                       const Descriptor *mask, const Descriptor *vector) {
  pack(result, source, mask, vector);
}
HEDDLE_RARE void __heddle_fortran_unpack(Descriptor *result, const Descriptor *vector,
                                         const Descriptor *mask, const Descriptor *field) {
  unpack(result, vector, mask, field);
}
HEDDLE_RARE void __heddle_fortran_spread(Descriptor *result, const Descriptor *source, int dim,
                                         int64_t copies) {
  spread(result, source, dim, copies);
}

extern "C" {

void _FortranAFindloc(Descriptor *result, const Descriptor *x, const Descriptor *value, int kind,
                      const char *, int, const Descriptor *mask, bool back) {
  Search search = {x, value, mask, back};
  __heddle_fortran_findloc(result, &search, kind, 0);
}
void _FortranAFindlocDim(Descriptor *result, const Descriptor *x, const Descriptor *value, int kind,
                         int dim, const char *, int, const Descriptor *mask, bool back) {
  Search search = {x, value, mask, back};
  __heddle_fortran_findloc(result, &search, kind, dim);
}
void _FortranAPack(Descriptor *result, const Descriptor *source, const Descriptor *mask,
                   const Descriptor *vector, const char *, int) {
  __heddle_fortran_pack(result, source, mask, vector);
}
void _FortranAUnpack(Descriptor *result, const Descriptor *vector, const Descriptor *mask,
                     const Descriptor *field, const char *, int) {
  __heddle_fortran_unpack(result, vector, mask, field);
}
void _FortranASpread(Descriptor *result, const Descriptor *source, int dim, int64_t copies,
                     const char *, int) {
  __heddle_fortran_spread(result, source, dim, copies);
}
}
