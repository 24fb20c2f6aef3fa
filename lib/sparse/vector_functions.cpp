// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a sparse and a dense vector (cuSPARSE, "cusparseAxpby()" to "cusparseSpVV()"). The
// elements of a sparse vector are at different places, so loops over them may go in any order.
#include "sparse/descriptors.h"
#include "sparse/handle.h"
#include "support/parallel.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

constexpr int64_t Grain = 32768; ///< elements that a thread should have

/// Calls f with the indices as numbers of their type and the base taken off: f(at), where at(k) is
/// a place.
template <typename F> void withPlaces(const cusparseSpVecDescr &vector, F &&f) {
  int64_t base = vector.base;
  if (vector.indexType == CUSPARSE_INDEX_64I)
    f([=, p = static_cast<const int64_t *>(vector.indices)](int64_t k) { return p[k] - base; });
  else
    f([=, p = static_cast<const int32_t *>(vector.indices)](int64_t k) { return p[k] - base; });
}

template <typename F> void forEach(int64_t count, F &&f) {
  parallelFor(count, Grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      f(k);
  });
}

/// Whether the two vectors fit and are of one type.
bool fit(cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y) {
  return x->size == y->size && x->type == y->type;
}

/// The type that the elements of a vector are computed in.
template <typename T>
using ComputeOf = std::conditional_t<
    std::is_same_v<T, double> || std::is_same_v<T, ComplexDouble>, T,
    std::conditional_t<isComplexElement<T>, ComplexFloat,
                       std::conditional_t<std::is_integral_v<T>, int32_t, float>>>;

cudaDataType computeTypeOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return CUDA_R_32F;
  case CUDA_C_16F:
  case CUDA_C_16BF:
    return CUDA_C_32F;
  case CUDA_R_8I:
    return CUDA_R_32I;
  default:
    return type;
  }
}

bool isFloating(cudaDataType type) { return type != CUDA_R_8I && type != CUDA_R_32I; }

template <typename T, typename C>
void addSparse(const cusparseSpVecDescr &x, const cusparseDnVecDescr &y, C alpha, C beta) {
  T *out = static_cast<T *>(y.values);
  const T *values = static_cast<const T *>(x.values);
  if (beta != C(1))
    forEach(y.size,
            [=](int64_t i) { store(out[i], beta == C(0) ? C(0) : beta * load<C>(out[i])); });
  withPlaces(x, [&](auto at) {
    forEach(x.nnz, [=](int64_t k) {
      store(out[at(k)], alpha * load<C>(values[k]) + load<C>(out[at(k)]));
    });
  });
}

template <typename T, typename C>
void rotate(const cusparseSpVecDescr &x, const cusparseDnVecDescr &y, C c, C s) {
  T *xs = static_cast<T *>(x.values), *ys = static_cast<T *>(y.values);
  withPlaces(x, [&](auto at) {
    forEach(x.nnz, [=](int64_t k) {
      C a = load<C>(xs[k]), b = load<C>(ys[at(k)]);
      store(xs[k], c * a + s * b);
      store(ys[at(k)], c * b - s * a);
    });
  });
}

template <typename T, typename C>
C dot(const cusparseSpVecDescr &x, const cusparseDnVecDescr &y, bool conjugated) {
  C sum(0);
  const T *xs = static_cast<const T *>(x.values), *ys = static_cast<const T *>(y.values);
  withPlaces(x, [&](auto at) {
    for (int64_t k = 0; k < x.nnz; ++k) {
      C factor = load<C>(xs[k]);
      sum += (conjugated ? conjugate(factor) : factor) * load<C>(ys[at(k)]);
    }
  });
  return sum;
}

/// Work with a factor each for both vectors.
template <typename F>
cusparseStatus_t withFactors(cusparseHandle_t handle, const void *alpha,
                             cusparseConstSpVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                             F f) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(alpha && x && beta && y && fit(x, y), INVALID_VALUE);
  HEDDLE_REQUIRE(isFloating(x->type), NOT_SUPPORTED);
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  cudaDataType compute = computeTypeOf(x->type);
  withElement(x->type, [&]<typename T>(Type<T> type) {
    status = inStream(handle, [=, x = *x, y = *y, a = scalar(handle, alpha, compute),
                               b = scalar(handle, beta, compute)] {
      using C = ComputeOf<T>;
      f(type, x, y, a.template get<C>(), b.template get<C>());
    });
  });
  return status;
}

bool isDotType(cudaDataType type, cudaDataType compute) {
  return compute == computeTypeOf(type) || (type == CUDA_R_8I && compute == CUDA_R_32F);
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                                             cusparseConstSpVecDescr_t vecX, const void *beta,
                                             cusparseDnVecDescr_t vecY) {
  return withFactors(handle, alpha, vecX, beta, vecY,
                     []<typename T>(Type<T>, const auto &x, const auto &y, auto a, auto b) {
                       addSparse<T>(x, y, a, b);
                     });
}

HEDDLE_EXPORT cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
                                           cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY) {
  return withFactors(handle, c, vecX, s, vecY,
                     []<typename T>(Type<T>, const auto &x, const auto &y, auto c, auto s) {
                       rotate<T>(x, y, c, s);
                     });
}

/// Copies between the places of a sparse vector and a dense one: `gather` from the dense one.
static cusparseStatus_t copyPlaces(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                   cusparseConstDnVecDescr_t vecY, bool gather) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(vecX && vecY && fit(vecX, vecY), INVALID_VALUE);
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  withElement(vecX->type, [&]<typename T>(Type<T>) {
    status = inStream(handle, [gather, x = *vecX, xs = static_cast<T *>(vecX->values),
                               ys = static_cast<T *>(vecY->values)] {
      withPlaces(x, [&](auto at) {
        forEach(x.nnz, [=](int64_t k) { gather ? xs[k] = ys[at(k)] : ys[at(k)] = xs[k]; });
      });
    });
  });
  return status;
}

HEDDLE_EXPORT cusparseStatus_t cusparseGather(cusparseHandle_t handle,
                                              cusparseConstDnVecDescr_t vecY,
                                              cusparseSpVecDescr_t vecX) {
  return copyPlaces(handle, vecX, vecY, true);
}

HEDDLE_EXPORT cusparseStatus_t cusparseScatter(cusparseHandle_t handle,
                                               cusparseConstSpVecDescr_t vecX,
                                               cusparseDnVecDescr_t vecY) {
  return copyPlaces(handle, vecX, vecY, false);
}

static cusparseStatus_t checkDot(cusparseHandle_t handle, cusparseOperation_t opX,
                                 cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                                 const void *result, cudaDataType computeType) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(vecX && vecY && result && fit(vecX, vecY) && isOperation(opX), INVALID_VALUE);
  HEDDLE_REQUIRE(isDotType(vecX->type, computeType), NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle,
                                                       cusparseOperation_t opX,
                                                       cusparseConstSpVecDescr_t vecX,
                                                       cusparseConstDnVecDescr_t vecY,
                                                       const void *result, cudaDataType computeType,
                                                       size_t *bufferSize) {
  cusparseStatus_t status = checkDot(handle, opX, vecX, vecY, result, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                                            cusparseConstSpVecDescr_t vecX,
                                            cusparseConstDnVecDescr_t vecY, void *result,
                                            cudaDataType computeType, void *buffer) {
  cusparseStatus_t status = checkDot(handle, opX, vecX, vecY, result, computeType);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  bool conjugated = opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  withElement(vecX->type, [&]<typename T>(Type<T>) {
    status = inStreamForLaterResult(handle, [=, x = *vecX, y = *vecY] {
      if (std::is_integral_v<T> && computeType == CUDA_R_32F)
        *static_cast<float *>(result) =
            static_cast<float>(std::real(dot<T, ComputeOf<T>>(x, y, conjugated)));
      else
        *static_cast<ComputeOf<T> *>(result) = dot<T, ComputeOf<T>>(x, y, conjugated);
    });
  });
  return status;
}
