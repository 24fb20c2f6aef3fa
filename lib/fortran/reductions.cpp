// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SUM, MAXVAL, MINVAL, MAXLOC and MINLOC of arrays of the device (modules/reductions.inc). They
// wait for kernels of all streams, that of an argument STREAM= included, and are then Flang's
// (on_gpu.h).
#include "fortran/entry.h"
#include "fortran/on_gpu.h"

#include <complex>
#include <cstring>
#include <optional>

using namespace heddle::fortran;

namespace {

constexpr Place Nowhere = {nullptr, 0};

/// An array, or one with a mask, for the host, when the kernels before have ended.
class Operands {
public:
  Operands(const Descriptor *array, const Descriptor *mask) {
    check(cudaDeviceSynchronize(), "work before a reduction of a device array", Nowhere);
    array_.emplace(const_cast<Descriptor &>(*array), false, Nowhere);
    if (mask)
      mask_.emplace(const_cast<Descriptor &>(*mask), false, Nowhere);
  }

private:
  std::optional<Reached> array_, mask_;
};

} // namespace

// The functions that begin with _FortranA are of Flang's runtime library
// (flang/Runtime/reduction.h).
#define HEDDLE_VALUE(Function, Suffix, Type)                                                       \
  extern "C" Type _FortranA##Function##Suffix(const Descriptor &, const char *, int, int,          \
                                              const Descriptor *);                                 \
  HEDDLE_FORTRAN Type heddleFortran##Function##Suffix(const Descriptor *array,                     \
                                                      const Descriptor *mask, const int64_t *) {   \
    Operands operands(array, mask);                                                                \
    return _FortranA##Function##Suffix(*array, nullptr, 0, 0, mask);                               \
  }
#define HEDDLE_PLACES(Function, Suffix)                                                            \
  extern "C" void _FortranA##Function##Suffix(Descriptor &, const Descriptor &, int, const char *, \
                                              int, const Descriptor *, bool);                      \
  HEDDLE_FORTRAN void heddleFortran##Function##Suffix(Descriptor *places, const Descriptor *array, \
                                                      const Descriptor *mask, const int64_t *) {   \
    Operands operands(array, mask);                                                                \
    _FortranA##Function##Suffix(*places, *array, sizeof(int32_t), nullptr, 0, mask, false);        \
  }
#define HEDDLE_REDUCTIONS(Suffix, Type)                                                            \
  HEDDLE_VALUE(Sum, Suffix, Type)                                                                  \
  HEDDLE_VALUE(Maxval, Suffix, Type)                                                               \
  HEDDLE_VALUE(Minval, Suffix, Type) HEDDLE_PLACES(Maxloc, Suffix) HEDDLE_PLACES(Minloc, Suffix)

HEDDLE_REDUCTIONS(Integer4, int32_t)
HEDDLE_REDUCTIONS(Integer8, int64_t)
HEDDLE_REDUCTIONS(Real4, float)
HEDDLE_REDUCTIONS(Real8, double)

#define HEDDLE_COMPLEX_SUM(Suffix, Type)                                                           \
  extern "C" void _FortranACppSum##Suffix(std::complex<Type> &, const Descriptor &, const char *,  \
                                          int, int, const Descriptor *);                           \
  HEDDLE_FORTRAN _Complex Type heddleFortranSum##Suffix(const Descriptor *array,                   \
                                                        const Descriptor *mask, const int64_t *) { \
    Operands operands(array, mask);                                                                \
    std::complex<Type> sum;                                                                        \
    _FortranACppSum##Suffix(sum, *array, nullptr, 0, 0, mask);                                     \
    _Complex Type result;                                                                          \
    std::memcpy(&result, &sum, sizeof result);                                                     \
    return result;                                                                                 \
  }

HEDDLE_COMPLEX_SUM(Complex4, float)
HEDDLE_COMPLEX_SUM(Complex8, double)
