// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The combinations of types that a product of a sparse matrix A and something dense X into Y may
// have (cuSPARSE, "cusparseSpMV()", "cusparseSpMM()", "cusparseSDDMM()": their tables of data
// types), and the type computed with.
#pragma once

#include "sparse/values.h"

namespace heddle::sparse {

/// Calls f(Type<A>, Type<X>, Type<Y>, Type<C>) for the types; false if a product has none such.
template <typename F>
bool withProduct(cudaDataType a, cudaDataType x, cudaDataType y, cudaDataType compute, F &&f) {
#define HEDDLE_PRODUCT(A, X, Y, C, typeA, typeX, typeY, typeC)                                     \
  if (a == CUDA_##typeA && x == CUDA_##typeX && y == CUDA_##typeY && compute == CUDA_##typeC)      \
    return f(Type<A>(), Type<X>(), Type<Y>(), Type<C>()), true;
  HEDDLE_PRODUCT(float, float, float, float, R_32F, R_32F, R_32F, R_32F)
  HEDDLE_PRODUCT(double, double, double, double, R_64F, R_64F, R_64F, R_64F)
  HEDDLE_PRODUCT(ComplexFloat, ComplexFloat, ComplexFloat, ComplexFloat, C_32F, C_32F, C_32F, C_32F)
  HEDDLE_PRODUCT(ComplexDouble, ComplexDouble, ComplexDouble, ComplexDouble, C_64F, C_64F, C_64F,
                 C_64F)
  HEDDLE_PRODUCT(int8_t, int8_t, int32_t, int32_t, R_8I, R_8I, R_32I, R_32I)
  HEDDLE_PRODUCT(int8_t, int8_t, float, float, R_8I, R_8I, R_32F, R_32F)
  HEDDLE_PRODUCT(__half, __half, float, float, R_16F, R_16F, R_32F, R_32F)
  HEDDLE_PRODUCT(__half, __half, __half, float, R_16F, R_16F, R_16F, R_32F)
  HEDDLE_PRODUCT(__half, __half, __half, float, R_16F, R_16F, R_16F, R_16F)
  HEDDLE_PRODUCT(__nv_bfloat16, __nv_bfloat16, float, float, R_16BF, R_16BF, R_32F, R_32F)
  HEDDLE_PRODUCT(__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, R_16BF, R_16BF, R_16BF, R_32F)
  HEDDLE_PRODUCT(ComplexHalf, ComplexHalf, ComplexHalf, ComplexFloat, C_16F, C_16F, C_16F, C_32F)
  HEDDLE_PRODUCT(ComplexBfloat, ComplexBfloat, ComplexBfloat, ComplexFloat, C_16BF, C_16BF, C_16BF,
                 C_32F)
  HEDDLE_PRODUCT(float, double, double, double, R_32F, R_64F, R_64F, R_64F)
  HEDDLE_PRODUCT(float, ComplexFloat, ComplexFloat, ComplexFloat, R_32F, C_32F, C_32F, C_32F)
  HEDDLE_PRODUCT(double, ComplexDouble, ComplexDouble, ComplexDouble, R_64F, C_64F, C_64F, C_64F)
#undef HEDDLE_PRODUCT
  return false;
}

} // namespace heddle::sparse
