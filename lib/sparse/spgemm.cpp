// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha A B + beta C with all three sparse, in CSR (cuSPARSE, "cusparseSpGEMM()",
// "cusparseSpGEMMreuse()").
//
// Gustavson's method: a row of C is a sum of rows of B, added up in a dense row that remembers
// which columns it has. Threads share the rows of A. The caller learns C's size between two calls,
// gives C its arrays, and gets the product copied into them; so `compute` (or `nnz`, where the
// pattern is used again) waits for the stream.
#include "sparse/descriptors.h"
#include "sparse/handle.h"
#include "sparse/lines.h"

#include <memory>

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

/// The pattern of a product, with columns in order in each row.
struct Pattern {
  std::vector<int64_t> offsets, columns;
  virtual ~Pattern() = default;
};

template <typename C> struct Product final : Pattern {
  std::vector<C> values;
};

/// The type that values are computed in.
template <typename T>
using ComputeOf = std::conditional_t<isComplex<T> || std::is_same_v<T, double>, T,
                                     std::conditional_t<isComplexElement<T>, ComplexFloat, float>>;

/// Adds up one row at a time.
template <typename C> class RowSum {
public:
  explicit RowSum(int64_t width) : sums(width), last(width, -1) {}

  void begin(int64_t row) {
    current = row;
    columns.clear();
  }
  void add(int64_t column, C value) {
    if (last[column] != current) {
      last[column] = current, sums[column] = value;
      columns.push_back(column);
    } else {
      sums[column] += value;
    }
  }
  std::vector<int64_t> columns;
  std::vector<C> sums;

private:
  std::vector<int64_t> last;
  int64_t current = -1;
};

/// The rows of the product that one thread makes.
template <typename C> struct Piece {
  int64_t firstRow = 0;
  std::vector<int64_t> counts, columns;
  std::vector<C> values;
};

template <typename T, typename C, typename LA, typename LB>
void multiplyRows(const LA &a, const LB &b, const T *aValues, const T *bValues, int64_t first,
                  int64_t last, Piece<C> &piece) {
  RowSum<C> sum(b.width);
  piece.firstRow = first;
  for (int64_t row = first; row < last; ++row) {
    sum.begin(row);
    for (int64_t i = a.begin(row); i < a.end(row); ++i) {
      C factor = load<C>(aValues[i]);
      int64_t other = a.index(i);
      for (int64_t k = b.begin(other); k < b.end(other); ++k)
        sum.add(b.index(k), factor * load<C>(bValues[k]));
    }
    std::sort(sum.columns.begin(), sum.columns.end());
    piece.counts.push_back(static_cast<int64_t>(sum.columns.size()));
    for (int64_t column : sum.columns) {
      piece.columns.push_back(column);
      piece.values.push_back(sum.sums[column]);
    }
  }
}

template <typename C> void join(const std::vector<Piece<C>> &pieces, Product<C> &product) {
  product.offsets.assign(1, 0);
  product.columns.clear(), product.values.clear();
  for (const Piece<C> &piece : pieces) {
    for (int64_t count : piece.counts)
      product.offsets.push_back(product.offsets.back() + count);
    product.columns.insert(product.columns.end(), piece.columns.begin(), piece.columns.end());
    product.values.insert(product.values.end(), piece.values.begin(), piece.values.end());
  }
}

template <typename T, typename C>
void multiply(const cusparseSpMatDescr &matA, const cusparseSpMatDescr &matB, Product<C> &product) {
  withLines(matA, [&](const auto &a) {
    withLines(matB, [&](const auto &b) {
      int parts = partsOf(a.elements() + a.count, 4096);
      std::vector<Piece<C>> pieces(parts);
      parallelParts(parts, [&](int part) {
        int64_t last = part + 1 == parts ? a.count : firstLineOf(a, part + 1, parts);
        multiplyRows(a, b, static_cast<const T *>(matA.values), static_cast<const T *>(matB.values),
                     firstLineOf(a, part, parts), last, pieces[part]);
      });
      join(pieces, product);
    });
  });
}

/// Elements of A times the rows of B that they meet.
int64_t countProducts(const cusparseSpMatDescr &matA, const cusparseSpMatDescr &matB) {
  int64_t count = 0;
  withLines(matA, [&](const auto &a) {
    withLines(matB, [&](const auto &b) {
      for (int64_t i = 0; i < a.elements(); ++i)
        count += b.end(a.index(i)) - b.begin(a.index(i));
    });
  });
  return count;
}

template <typename O>
void copyNumbers(void *array, const std::vector<int64_t> &values, int64_t base) {
  for (size_t i = 0; i < values.size(); ++i)
    static_cast<O *>(array)[i] = static_cast<O>(values[i] + base);
}

void copyPattern(const Pattern &pattern, const cusparseSpMatDescr &c) {
  auto copy = [&](void *array, cusparseIndexType_t type, const std::vector<int64_t> &values) {
    if (type == CUSPARSE_INDEX_64I)
      copyNumbers<int64_t>(array, values, c.base);
    else
      copyNumbers<int32_t>(array, values, c.base);
  };
  copy(c.offsets, c.offsetType, pattern.offsets);
  copy(c.indices, c.indexType, pattern.columns);
}

/// C's values; those that it had are read only if beta is not zero.
template <typename T, typename C>
void copyValues(const Product<C> &product, const cusparseSpMatDescr &matC, C alpha, C beta) {
  T *values = static_cast<T *>(matC.values);
  for (size_t k = 0; k < product.values.size(); ++k) {
    C value = alpha * product.values[k];
    store(values[k], beta == C(0) ? value : value + beta * load<C>(values[k]));
  }
}

} // namespace

struct cusparseSpGEMMDescr {
  std::shared_ptr<Pattern> product;
  int64_t products = 0;
  cudaDataType type = CUDA_R_32F;
};

namespace {

/// A buffer must be there when the work is wanted: a null pointer asks for its size. So no size is
/// 0.
constexpr size_t SomeBytes = 256;

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                       cusparseSpMatDescr_t matC, cusparseSpGEMMDescr_t descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(matA && matB && matC && descr, INVALID_VALUE);
  HEDDLE_REQUIRE(matA->cols == matB->rows && matC->rows == matA->rows && matC->cols == matB->cols,
                 INVALID_VALUE);
  HEDDLE_REQUIRE(opA == CUSPARSE_OPERATION_NON_TRANSPOSE && opB == CUSPARSE_OPERATION_NON_TRANSPOSE,
                 NOT_SUPPORTED);
  for (cusparseConstSpMatDescr_t matrix : {matA, matB, cusparseConstSpMatDescr_t(matC)})
    HEDDLE_REQUIRE(matrix->format == CUSPARSE_FORMAT_CSR && matrix->type == matA->type,
                   NOT_SUPPORTED);
  HEDDLE_REQUIRE(matA->type != CUDA_R_8I && matA->type != CUDA_R_32I, NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void *alpha, cusparseConstSpMatDescr_t matA,
                       cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
                       cudaDataType computeType, cusparseSpGEMMDescr_t descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(alpha && beta, INVALID_VALUE);
  cusparseStatus_t status = check(handle, opA, opB, matA, matB, matC, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  bool half = computeType == CUDA_R_32F && (matA->type == CUDA_R_16F || matA->type == CUDA_R_16BF);
  half |= computeType == CUDA_C_32F && (matA->type == CUDA_C_16F || matA->type == CUDA_C_16BF);
  HEDDLE_REQUIRE(computeType == matA->type || half, NOT_SUPPORTED);
  return status;
}

/// Makes the product, waits, and tells the descriptor of C its size.
cusparseStatus_t multiplyAndWait(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                 cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                 cusparseSpGEMMDescr_t descr) {
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  withElement(matA->type, [&]<typename T>(Type<T>) {
    using C = ComputeOf<T>;
    auto product = std::make_shared<Product<C>>();
    descr->product = product, descr->type = matA->type;
    status = inStreamAndWait(handle, [=, a = *matA, b = *matB] { multiply<T>(a, b, *product); });
  });
  if (status == CUSPARSE_STATUS_SUCCESS)
    matC->nnz = descr->product->offsets.back();
  return status;
}

/// Copies what was made into C's arrays: its pattern, its values or both.
cusparseStatus_t copyInStream(cusparseHandle_t handle, const void *alpha, const void *beta,
                              cusparseSpMatDescr_t matC, cudaDataType computeType,
                              cusparseSpGEMMDescr_t descr, bool withPattern) {
  HEDDLE_REQUIRE(descr->product && descr->type == matC->type, INVALID_VALUE);
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  withElement(matC->type, [&]<typename T>(Type<T>) {
    using C = ComputeOf<T>;
    status = inStream(handle, [withPattern, pattern = descr->product, c = *matC,
                               a = scalar(handle, alpha, computeType),
                               b = scalar(handle, beta, computeType)] {
      if (withPattern)
        copyPattern(*pattern, c);
      copyValues<T>(static_cast<const Product<C> &>(*pattern), c, a.template get<C>(),
                    b.template get<C>());
    });
  });
  return status;
}

/// True if the caller asks for the size of a buffer only.
bool asksSize(size_t *size, const void *buffer) {
  if (!buffer)
    *size = SomeBytes;
  return !buffer;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr) {
  HEDDLE_REQUIRE(descr, INVALID_VALUE);
  *descr = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t descr, size_t *bufferSize1, void *buffer1) {
  cusparseStatus_t status =
      check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize1, INVALID_VALUE);
  if (asksSize(bufferSize1, buffer1))
    return CUSPARSE_STATUS_SUCCESS;
  return inStreamAndWait(handle,
                         [=, a = *matA, b = *matB] { descr->products = countProducts(a, b); });
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr,
                                                             int64_t *products) {
  HEDDLE_REQUIRE(descr && products, INVALID_VALUE);
  *products = descr->products;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_estimateMemory(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t descr, float chunkFraction, size_t *bufferSize3, void *buffer3,
    size_t *bufferSize2) {
  cusparseStatus_t status =
      check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(alg == CUSPARSE_SPGEMM_ALG2 || alg == CUSPARSE_SPGEMM_ALG3, NOT_SUPPORTED);
  HEDDLE_REQUIRE(bufferSize3 && chunkFraction > 0 && chunkFraction <= 1, INVALID_VALUE);
  if (!asksSize(bufferSize3, buffer3) && bufferSize2)
    *bufferSize2 = SomeBytes;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_compute(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t descr, size_t *bufferSize2, void *buffer2) {
  cusparseStatus_t status =
      check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize2, INVALID_VALUE);
  if (asksSize(bufferSize2, buffer2))
    return CUSPARSE_STATUS_SUCCESS;
  return multiplyAndWait(handle, matA, matB, matC, descr);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMM_copy(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t descr) {
  cusparseStatus_t status =
      check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, descr);
  return status == CUSPARSE_STATUS_SUCCESS
             ? copyInStream(handle, alpha, beta, matC, computeType, descr, true)
             : status;
}

HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMMreuse_workEstimation(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *bufferSize1, void *buffer1) {
  cusparseStatus_t status = check(handle, opA, opB, matA, matB, matC, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize1, INVALID_VALUE);
  asksSize(bufferSize1, buffer1);
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMMreuse_nnz(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *bufferSize2, void *buffer2,
    size_t *bufferSize3, void *buffer3, size_t *bufferSize4, void *buffer4) {
  cusparseStatus_t status = check(handle, opA, opB, matA, matB, matC, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize2 && bufferSize3 && bufferSize4, INVALID_VALUE);
  bool asks = asksSize(bufferSize2, buffer2);
  asks |= asksSize(bufferSize3, buffer3);
  asks |= asksSize(bufferSize4, buffer4);
  return asks ? CUSPARSE_STATUS_SUCCESS : multiplyAndWait(handle, matA, matB, matC, descr);
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMMreuse_copy(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr, size_t *bufferSize5, void *buffer5) {
  cusparseStatus_t status = check(handle, opA, opB, matA, matB, matC, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize5 && descr->product, INVALID_VALUE);
  if (asksSize(bufferSize5, buffer5))
    return CUSPARSE_STATUS_SUCCESS;
  return inStream(handle, [pattern = descr->product, c = *matC] { copyPattern(*pattern, c); });
}
HEDDLE_EXPORT cusparseStatus_t cusparseSpGEMMreuse_compute(
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
    cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB, const void *beta,
    cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
    cusparseSpGEMMDescr_t descr) {
  cusparseStatus_t status =
      check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, descr);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(descr->product && descr->type == matA->type, INVALID_VALUE);
  // The values may be others than before; the pattern is the same, as the caller promises.
  withElement(matA->type, [&]<typename T>(Type<T>) {
    status = inStream(handle, [a = *matA, b = *matB, pattern = descr->product] {
      multiply<T>(a, b, static_cast<Product<ComputeOf<T>> &>(*pattern));
    });
  });
  return status == CUSPARSE_STATUS_SUCCESS
             ? copyInStream(handle, alpha, beta, matC, computeType, descr, false)
             : status;
}
