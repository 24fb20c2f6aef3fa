// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices whose element types are known at run time, alone and in batches: D = f(alpha
// op(A) op(B) + beta C).
//
// Where all types are the one that is computed in, OpenBLAS works on the matrices as they lie. Else
// blocks of A and B are converted to that type, multiplied by OpenBLAS, and the sums converted when
// all of them are there: so half, bfloat16 and eight-bit numbers are summed in float, with one
// rounding at the end, as tensor cores do it or better. Integers of eight bits are multiplied in
// float, too, in blocks of 1,024 terms, which are exact in its 24 bits, and these added as
// integers.
#pragma once

#include "blas/element.h"

#include <cublas_api.h>

namespace heddle::blas {

/// A scalar of a type that is known at run time, at work as a complex double, which holds all of
/// them exactly.
class AnyScalar {
public:
  /// Reads it now if `device` is false, else at each get().
  AnyScalar(const void *pointer, cudaDataType type, bool device);
  explicit AnyScalar(cuDoubleComplex value) : value(value), type(CUDA_C_64F) {}
  cuDoubleComplex get() const { return device ? read(device, type) : value; }
  static cuDoubleComplex read(const void *pointer, cudaDataType type);

private:
  cuDoubleComplex value{};
  const void *device = nullptr;
  cudaDataType type;
};

struct AnyMatrix {
  cudaDataType type;
  int64_t ld;
  cublasOperation_t op = CUBLAS_OP_N;
};

/// What happens to the sums of a column before they are stored. For real products alone.
struct Epilogue {
  /// `sums`: the elements row .. row + count - 1 of a column of matrix number `batch`.
  virtual void apply(double *sums, int64_t row, int64_t count, int64_t column,
                     int64_t batch) const = 0;
  virtual ~Epilogue() = default;
};

struct Product {
  int64_t m, n, k;
  AnyMatrix A, B, C, D;
  cudaDataType computeType; // R_32F, R_64F, C_32F, C_64F, R_32I
  AnyScalar alpha, beta;
  const Epilogue *epilogue = nullptr;
};

/// Which matrices of a batch there are: `pointers` of the operands, or first ones and strides in
/// elements.
struct Operands {
  const void *A, *B, *C;
  void *D;
};
struct Batch {
  int64_t count = 1;
  Operands first{};
  int64_t strideA = 0, strideB = 0, strideC = 0, strideD = 0;
  const void *const *arrayA = nullptr, *const *arrayB = nullptr, *const *arrayC = nullptr;
  void *const *arrayD = nullptr;

  Operands at(const Product &product, int64_t i) const;
};

/// Bytes of an element; 0 for types that there is no arithmetic for.
int64_t sizeOf(cudaDataType type);
bool isComplexType(cudaDataType type);

/// Computes all products of a batch: small ones beside each other, each on one core.
void multiply(const Product &product, const Batch &batch);

/// Reads and writes `count` numbers that lie together.
void load(cudaDataType type, const void *from, double *to, int64_t count);
void store(cudaDataType type, const double *from, void *to, int64_t count);

template <typename T> constexpr cudaDataType typeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType typeOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType typeOf<cuComplex> = CUDA_C_32F;
template <> inline constexpr cudaDataType typeOf<cuDoubleComplex> = CUDA_C_64F;
template <> inline constexpr cudaDataType typeOf<__half> = CUDA_R_16F;
template <> inline constexpr cudaDataType typeOf<__nv_bfloat16> = CUDA_R_16BF;

} // namespace heddle::blas
