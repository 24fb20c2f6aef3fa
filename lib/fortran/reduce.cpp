// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ends of reductions in CUF loops: each thread of the kernel leaves its part, and the host puts
// them together. Sums and products are made by halves, so that the error grows with the logarithm
// of their number; the order is the same in each run.
#include "fortran/entry.h"

#include <algorithm>
#include <complex>
#include <cstring>

namespace heddle::fortran {

namespace {

// As Flang numbers them (fir::ReduceOperationEnum).
enum Operation {
  Take = 0, // ours: of what one thread carries
  Add = 1,
  Multiply = 2,
  And = 4,
  Or = 8,
  Equivalent = 16,
  NotEquivalent = 32,
  Max = 64,
  Min = 128,
  BitAnd = 256,
  BitOr = 512,
  BitXor = 1024,
};

template <typename T, typename F> T halves(const T *parts, int64_t count, F combine) {
  if (count == 1)
    return parts[0];
  return combine(halves(parts, count / 2, combine),
                 halves(parts + count / 2, count - count / 2, combine));
}

template <typename T, typename F>
void combineInto(void *to, const void *parts, int64_t count, F combine) {
  T *variable = static_cast<T *>(to);
  *variable = combine(*variable, halves(static_cast<const T *>(parts), count, combine));
}

/// Sums and products of any number. False for another operation.
template <typename T> bool reduceNumber(void *to, const void *parts, int64_t count, int operation) {
  if (operation == Add)
    combineInto<T>(to, parts, count, [](T a, T b) { return static_cast<T>(a + b); });
  else if (operation == Multiply)
    combineInto<T>(to, parts, count, [](T a, T b) { return static_cast<T>(a * b); });
  else
    return false;
  return true;
}

template <typename T>
bool reduceOrdered(void *to, const void *parts, int64_t count, int operation) {
  if (operation == Max)
    combineInto<T>(to, parts, count, [](T a, T b) { return std::max(a, b); });
  else if (operation == Min)
    combineInto<T>(to, parts, count, [](T a, T b) { return std::min(a, b); });
  else
    return reduceNumber<T>(to, parts, count, operation);
  return true;
}

template <typename T>
bool reduceInteger(void *to, const void *parts, int64_t count, int operation) {
  if (operation == BitAnd)
    combineInto<T>(to, parts, count, [](T a, T b) { return static_cast<T>(a & b); });
  else if (operation == BitOr)
    combineInto<T>(to, parts, count, [](T a, T b) { return static_cast<T>(a | b); });
  else if (operation == BitXor)
    combineInto<T>(to, parts, count, [](T a, T b) { return static_cast<T>(a ^ b); });
  else
    return reduceOrdered<T>(to, parts, count, operation);
  return true;
}

template <typename T>
bool reduceLogical(void *to, const void *parts, int64_t count, int operation) {
  if (operation == And)
    combineInto<T>(to, parts, count, [](T a, T b) { return T(a && b); });
  else if (operation == Or)
    combineInto<T>(to, parts, count, [](T a, T b) { return T(a || b); });
  else if (operation == Equivalent)
    combineInto<T>(to, parts, count, [](T a, T b) { return T(!a == !b); });
  else if (operation == NotEquivalent)
    combineInto<T>(to, parts, count, [](T a, T b) { return T(!a != !b); });
  else
    return false;
  return true;
}

bool reduceAny(void *to, const void *parts, int64_t count, int64_t bytes, int kind, int operation) {
  if (operation == Take) {
    std::memcpy(to, parts, static_cast<size_t>(bytes));
    return true;
  }
  switch (kind * 100 + static_cast<int>(bytes)) {
  case 'i' * 100 + 1:
    return reduceInteger<int8_t>(to, parts, count, operation);
  case 'i' * 100 + 2:
    return reduceInteger<int16_t>(to, parts, count, operation);
  case 'i' * 100 + 4:
    return reduceInteger<int32_t>(to, parts, count, operation);
  case 'i' * 100 + 8:
    return reduceInteger<int64_t>(to, parts, count, operation);
  case 'r' * 100 + 4:
    return reduceOrdered<float>(to, parts, count, operation);
  case 'r' * 100 + 8:
    return reduceOrdered<double>(to, parts, count, operation);
  case 'c' * 100 + 8:
    return reduceNumber<std::complex<float>>(to, parts, count, operation);
  case 'c' * 100 + 16:
    return reduceNumber<std::complex<double>>(to, parts, count, operation);
  case 'l' * 100 + 1:
    return reduceLogical<int8_t>(to, parts, count, operation);
  case 'l' * 100 + 2:
    return reduceLogical<int16_t>(to, parts, count, operation);
  case 'l' * 100 + 4:
    return reduceLogical<int32_t>(to, parts, count, operation);
  case 'l' * 100 + 8:
    return reduceLogical<int64_t>(to, parts, count, operation);
  default:
    return false;
  }
}

} // namespace

} // namespace heddle::fortran

using namespace heddle::fortran;

/// Memory for the parts of so many threads.
HEDDLE_FORTRAN void *heddleFortranPartials(int64_t threads, int64_t bytes) {
  void *memory = nullptr;
  check(cudaMallocManaged(&memory, static_cast<size_t>(threads * bytes), cudaMemAttachGlobal),
        "memory for a reduction", {nullptr, 0});
  return memory;
}

/// Waits for the kernel, puts the parts into the variable and frees them. `kind`: 'i', 'r', 'c' or
/// 'l' for integer, real, complex and logical.
HEDDLE_FORTRAN void heddleFortranReduce(void *variable, void *parts, int64_t threads, int64_t bytes,
                                        int kind, int operation) {
  check(cudaDeviceSynchronize(), "a CUF loop with a reduction", {nullptr, 0});
  if (!reduceAny(variable, parts, threads, bytes, kind, operation))
    check(cudaErrorNotSupported, "a reduction of this type", {nullptr, 0});
  cudaFree(parts);
}
