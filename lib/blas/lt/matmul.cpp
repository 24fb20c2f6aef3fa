// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLtMatmul (cuBLAS Library, "cublasLtMatmul"): a product with scales, an epilogue and one
// more sum.
//
// A matrix in row order is the transpose of one in column order. So operands in row order have
// their transposition turned around, and where the result is in row order, its transpose is
// computed, op(B)^T op(A)^T. Orders with tiles (COL32 and its like) are for bytes; such matrices
// are copied to column order and back.
//
// Where alpha is a vector, one number for each row of D, it and C come in with the epilogue.
#include "blas/lt/logger.h"
#include "blas/lt/orders.h"
#include "blas/product.h"
#include "support/stream_work.h"

#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

namespace heddle::blas {

namespace {

// The parts that the numbers of epilogues are made of.
enum : uint32_t {
  Relu = 2,
  Bias = 4,
  DRelu = 8,
  BiasGradient = 16,
  Gelu = 32,
  DGelu = 64,
  Aux = 128,
  SumOfA = 256,
  SumOfB = 512
};

/// The tangent form, as documented, and its derivative.
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double geluSlope(double x) {
  double c = std::sqrt(2 / M_PI), t = std::tanh(c * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
}

double numberAt(cudaDataType type, const void *from, int64_t i) {
  double value;
  load(type, static_cast<const char *>(from) + i * sizeOf(type), &value, 1);
  return value;
}

double scaleAt(const void *pointer) { return pointer ? *static_cast<const float *>(pointer) : 1; }

/// Scalars that are vectors: sum(i, j) becomes alpha[i] sum(i, j) + beta C(i, j), where beta may be
/// a vector, too.
struct RowScalars {
  const void *alpha = nullptr, *beta = nullptr; ///< null: a number
  double number = 0;
  cudaDataType type = CUDA_R_32F; ///< of both vectors
  const void *C = nullptr;
  Layout layoutC;

  double apply(double v, int64_t alphaStride, int64_t i, int64_t j, int64_t batch) const {
    v *= numberAt(type, alpha, batch * alphaStride + i);
    double factor = beta ? numberAt(type, beta, i) : number;
    if (factor == 0)
      return v;
    int64_t place = batch * layoutC.batchStride + placeOf(layoutC, i, j);
    return v + factor * numberAt(layoutC.type, C, place);
  }
};

/// Everything that is done with the sums. Rows and columns are those of the product that is
/// computed; the bias runs along the rows of D, which are its columns where D is in row order.
struct LtEpilogue final : Epilogue {
  LtEpilogue(const Matmul &m, cudaDataType biasType, cudaDataType auxType, bool isSwapped)
      : m(m), biasType(biasType), auxType(auxType), isSwapped(isSwapped) {}

  void apply(double *sums, int64_t row, int64_t count, int64_t column,
             int64_t batch) const override {
    double largest = 0, scale = scaleAt(m.scaleD);
    for (int64_t r = 0; r < count; ++r) {
      sums[r] = activate(sums[r], row + r, column, batch);
      largest = std::max(largest, std::fabs(sums[r]));
      sums[r] *= scale;
    }
    double before = amax.load(std::memory_order_relaxed);
    while (m.amaxD && largest > before &&
           !amax.compare_exchange_weak(before, largest, std::memory_order_relaxed))
      ;
  }

  double activate(double v, int64_t i, int64_t j, int64_t batch) const {
    if (scalars.alpha)
      v = scalars.apply(v, m.alphaStride, isSwapped ? j : i, isSwapped ? i : j, batch);
    if (m.epilogue & Bias)
      v += numberAt(biasType, m.bias, batch * m.biasStride + (isSwapped ? j : i));
    int64_t place = batch * m.auxStride + i + j * m.auxLd;
    if (m.epilogue & Relu) {
      if (m.epilogue & Aux)
        setMask(place, v > 0);
      return std::isnan(v) ? v : std::max(v, 0.0);
    }
    if (m.epilogue & DRelu)
      return mask(place) ? v : 0;
    if (m.epilogue & Gelu) {
      if (m.epilogue & Aux)
        store(auxType, &v, static_cast<char *>(m.aux) + place * sizeOf(auxType), 1);
      return gelu(v);
    }
    return m.epilogue & DGelu ? v * geluSlope(numberAt(auxType, m.aux, place)) : v;
  }

  // A bit for each element, a column of them in whole bytes.
  void setMask(int64_t place, bool on) const {
    unsigned char &byte = static_cast<unsigned char *>(m.aux)[place / 8];
    unsigned char bit = static_cast<unsigned char>(1 << place % 8);
    byte = on ? byte | bit : byte & ~bit;
  }
  bool mask(int64_t place) const {
    return static_cast<unsigned char *>(m.aux)[place / 8] >> place % 8 & 1;
  }

  Matmul m;
  cudaDataType biasType, auxType;
  bool isSwapped;
  RowScalars scalars;
  mutable std::atomic<double> amax{0};
};

bool isFp8(cudaDataType type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

bool isComputed(cudaDataType A, cudaDataType B) {
  return sizeOf(A) > 0 && (A == B || (isFp8(A) && isFp8(B)));
}

/// In what is computed; false for what there is no such thing of.
bool computeTypeOf(const Matmul &m, const Layout &A, const Layout &B, const Layout &D,
                   cudaDataType &type) {
  bool isComplex = isComplexType(D.type);
  if (!isComputed(A.type, B.type) || !sizeOf(D.type) || isComplexType(A.type) != isComplex)
    return false;
  switch (m.computeType) {
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
    type = isComplex ? CUDA_C_64F : CUDA_R_64F;
    return sizeOf(A.type) == sizeOf(type) && D.type == type;
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC:
    type = CUDA_R_32I;
    return A.type == CUDA_R_8I && (D.type == CUDA_R_32I || D.type == CUDA_R_8I) &&
           m.epilogue <= Relu;
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC:
    type = CUDA_R_32F;
    return A.type == CUDA_R_16F && D.type == CUDA_R_16F;
  default:
    type = isComplex ? CUDA_C_32F : CUDA_R_32F;
    return A.type != CUDA_R_64F && A.type != CUDA_C_64F && D.type != CUDA_R_64F &&
           D.type != CUDA_C_64F;
  }
}

/// A call's arguments, looked through.
struct Call {
  Matmul m;
  Layout A, B, C, D;

  int64_t rows() const { return D.rows; }
  int64_t columns() const { return D.columns; }
  int64_t terms() const { return m.transa == CUBLAS_OP_N ? A.columns : A.rows; }
  bool isSwapped() const { return isRowOrder(D); }
  bool anyTiles() const { return hasTiles(A) || hasTiles(B) || hasTiles(C) || hasTiles(D); }

  /// The one form that orders with tiles have products of (cuBLAS Library, "cublasLtMatmul()", data
  /// layouts of IMMA kernels).
  bool isTiledProduct() const {
    bool isB = B.order == CUBLASLT_ORDER_COL4_4R2_8C || B.order == CUBLASLT_ORDER_COL32_2R_4R4;
    return A.type == CUDA_R_8I && m.transa == CUBLAS_OP_N && m.transb == CUBLAS_OP_T && isB &&
           A.order == CUBLASLT_ORDER_COL32 && C.order == CUBLASLT_ORDER_COL32 &&
           D.order == CUBLASLT_ORDER_COL32;
  }

  cublasStatus_t check() const {
    bool plainA = m.transa == CUBLAS_OP_N, plainB = m.transb == CUBLAS_OP_N;
    if (!isLayout(A) || !isLayout(B) || !isLayout(C) || !isLayout(D))
      return CUBLAS_STATUS_INVALID_VALUE;
    uint64_t m0 = plainA ? A.rows : A.columns, k = plainA ? A.columns : A.rows;
    uint64_t k0 = plainB ? B.rows : B.columns, n = plainB ? B.columns : B.rows;
    if (m0 != D.rows || n != D.columns || k != k0 || C.rows != D.rows || C.columns != D.columns)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (A.batchCount != D.batchCount || B.batchCount != D.batchCount ||
        C.batchCount != D.batchCount)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m.epilogue & Aux &&
        (!m.aux || m.auxLd < static_cast<int64_t>(isSwapped() ? D.columns : D.rows)))
      return CUBLAS_STATUS_INVALID_VALUE;
    if ((m.epilogue & (Relu | DRelu)) && (m.epilogue & Aux) && m.auxLd % 128 != 0)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m.epilogue & (Bias | BiasGradient | SumOfA | SumOfB) && !m.bias)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m.pointerMode < 0 || m.pointerMode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
      return CUBLAS_STATUS_INVALID_VALUE;
    if (m.pointerMode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO && m.alphaStride)
      return CUBLAS_STATUS_INVALID_VALUE; // "not supported, must be 0"
    return isSupported() ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  }

  bool isSupported() const {
    cudaDataType type;
    for (const Layout *l : {&A, &B, &C, &D})
      if (l->planeOffset || l->ld > INT32_MAX)
        return false;
    if (anyTiles() && !isTiledProduct())
      return false;
    bool conjugates = m.transa == CUBLAS_OP_C || m.transb == CUBLAS_OP_C;
    bool anyRows = isRowOrder(A) || isRowOrder(B) || isRowOrder(D);
    return C.order == D.order && computeTypeOf(m, A, B, D, type) && m.transc == CUBLAS_OP_N &&
           m.fillMode == CUBLAS_FILL_MODE_FULL && !m.scalesBlocks() &&
           !(isComplexType(type) &&
             (m.pointerMode > CUBLASLT_POINTER_MODE_DEVICE ||
              m.epilogue != CUBLASLT_EPILOGUE_DEFAULT || (conjugates && anyRows))) &&
           rows() <= INT32_MAX && columns() <= INT32_MAX && terms() <= INT32_MAX;
  }

  /// op as the product in column order has it.
  cublasOperation_t operation(int32_t op, const Layout &l) const {
    if (op == CUBLAS_OP_C && isComplexType(l.type))
      return CUBLAS_OP_C;
    bool across = (op != CUBLAS_OP_N) != isRowOrder(l);
    return across != isSwapped() ? CUBLAS_OP_T : CUBLAS_OP_N;
  }

  cudaDataType biasType() const {
    if (m.biasType >= 0)
      return static_cast<cudaDataType>(m.biasType);
    return !isFp8(D.type) ? D.type : C.type == CUDA_R_16F ? CUDA_R_16F : CUDA_R_16BF;
  }

  Product product(AnyScalar alpha, AnyScalar beta) const {
    cudaDataType type = CUDA_R_32F;
    computeTypeOf(m, A, B, D, type);
    AnyMatrix a{A.type, A.ld, operation(m.transa, A)}, b{B.type, B.ld, operation(m.transb, B)};
    AnyMatrix c{C.type, C.ld}, d{D.type, D.ld};
    if (isSwapped())
      return {columns(), rows(), terms(), b, a, c, d, type, alpha, beta};
    return {rows(), columns(), terms(), a, b, c, d, type, alpha, beta};
  }

  Batch batch(const void *a, const void *b, const void *c, void *d) const {
    Batch all;
    all.count = D.batchCount;
    all.first = isSwapped() ? Operands{b, a, c, d} : Operands{a, b, c, d};
    all.strideA = isSwapped() ? B.batchStride : A.batchStride;
    all.strideB = isSwapped() ? A.batchStride : B.batchStride;
    all.strideC = C.batchStride;
    all.strideD = D.batchStride;
    return all;
  }
};

/// Writes the sums of the matrix's rows, or of its columns, as the gradient of the bias.
void sumLines(const Layout &l, const void *data, bool ofRows, cudaDataType type, void *to) {
  std::vector<double> sums(ofRows ? l.rows : l.columns);
  for (uint64_t j = 0; j < l.columns; ++j)
    for (uint64_t i = 0; i < l.rows; ++i)
      sums[ofRows ? i : j] += numberAt(l.type, data, placeOf(l, i, j));
  store(type, sums.data(), to, sums.size());
}

void writeGradients(const Call &call, const void *a, const void *b, void *d) {
  const Matmul &m = call.m;
  for (int64_t i = 0; i < call.D.batchCount; ++i) {
    auto at = [&](const Layout &l, const void *data) {
      return static_cast<const char *>(data) + i * l.batchStride * sizeOf(l.type);
    };
    void *to = static_cast<char *>(m.bias) + i * m.biasStride * sizeOf(call.biasType());
    if (m.epilogue & BiasGradient)
      sumLines(call.D, at(call.D, d), true, call.biasType(), to);
    if (m.epilogue & SumOfA)
      sumLines(call.A, at(call.A, a), m.transa == CUBLAS_OP_N, call.biasType(), to);
    if (m.epilogue & SumOfB)
      sumLines(call.B, at(call.B, b), m.transb != CUBLAS_OP_N, call.biasType(), to);
  }
}

cuDoubleComplex scaled(cuDoubleComplex value, double factor) {
  return {value.x * factor, value.y * factor};
}

/// The scalars of a call: numbers, or vectors with which the numbers are 1 and 0.
struct Scalars {
  AnyScalar alpha, beta;
  RowScalars rows;

  static Scalars of(const Call &call, const void *alpha, const void *beta, const void *C) {
    auto type = static_cast<cudaDataType>(call.m.scaleType);
    bool device = call.m.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
    if (call.m.pointerMode <= CUBLASLT_POINTER_MODE_DEVICE)
      return {{alpha, type, device}, {beta, type, device}, {}};
    RowScalars rows{alpha, nullptr, 0, type, C, call.C};
    if (call.m.pointerMode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
      rows.beta = beta;
    else if (call.m.pointerMode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
      rows.number = AnyScalar::read(beta, type).x;
    return {AnyScalar({1, 0}), AnyScalar({0, 0}), rows};
  }
};

void run(Call call, const Scalars &scalars, const void *a, const void *b, const void *c, void *d) {
  const Matmul &m = call.m;
  cuDoubleComplex factor = scaled(scalars.alpha.get(), scaleAt(m.scaleA) * scaleAt(m.scaleB));
  cuDoubleComplex other = scaled(scalars.beta.get(), scaleAt(m.scaleC));
  Product product = call.product(AnyScalar(factor), AnyScalar(other));
  if (other.x == 0 && other.y == 0) // C is not read, so D may stand for it
    c = d, product.C = product.D;
  cudaDataType auxType = m.auxType >= 0 ? static_cast<cudaDataType>(m.auxType) : call.D.type;
  LtEpilogue epilogue(m, call.biasType(), auxType, call.isSwapped());
  epilogue.scalars = scalars.rows;
  constexpr uint32_t OfElements = Relu | Bias | DRelu | Gelu | DGelu;
  if (m.epilogue & OfElements || m.scaleD || m.amaxD || scalars.rows.alpha)
    product.epilogue = &epilogue;
  Batch batch = call.batch(a, b, c, d);
  if (c == d)
    batch.strideC = batch.strideD;
  multiply(product, batch);
  if (m.amaxD)
    *static_cast<float *>(m.amaxD) = static_cast<float>(epilogue.amax.load());
  if (m.epilogue & (BiasGradient | SumOfA | SumOfB))
    writeGradients(call, a, b, d);
}

/// The same of matrices in orders with tiles.
void runInColumns(Call call, const Scalars &scalars, const void *a, const void *b, const void *c,
                  void *d) {
  std::vector<char> rooms[4];
  auto room = [&](std::vector<char> &bytes, const Layout &l) {
    bytes.resize(l.batchStride * l.batchCount * sizeOf(l.type));
    return bytes.data();
  };
  auto copied = [&](std::vector<char> &bytes, Layout &l, const void *data) -> const void * {
    Layout columns = columnsOf(l);
    char *copy = room(bytes, columns);
    if (data)
      reorder(l, data, columns, copy);
    l = columns;
    return copy;
  };
  Layout tiled = std::exchange(call.D, columnsOf(call.D));
  char *result = room(rooms[3], call.D);
  a = copied(rooms[0], call.A, a);
  b = copied(rooms[1], call.B, b);
  c = copied(rooms[2], call.C, c);
  run(call, scalars, a, b, c, result);
  reorder(call.D, result, tiled, d);
}

/// Null descriptors are the caller's mistake.
template <typename... D> bool areThere(D... descriptors) { return (descriptors && ...); }

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;

static cublasStatus_t submitMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                                   const void *alpha, const void *A, cublasLtMatrixLayout_t layoutA,
                                   const void *B, cublasLtMatrixLayout_t layoutB, const void *beta,
                                   const void *C, cublasLtMatrixLayout_t layoutC, void *D,
                                   cublasLtMatrixLayout_t layoutD, cudaStream_t stream) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!areThere(matmul, alpha, A, B, D, layoutA, layoutB, layoutC, layoutD))
    return CUBLAS_STATUS_INVALID_VALUE;
  Call call{inside<Matmul>(matmul), inside<Layout>(layoutA), inside<Layout>(layoutB),
            inside<Layout>(layoutC), inside<Layout>(layoutD)};
  if (cublasStatus_t bad = call.check())
    return bad;
  if (!beta && call.m.pointerMode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
    return CUBLAS_STATUS_INVALID_VALUE;
  Scalars scalars = Scalars::of(call, alpha, beta, C);
  cudaError_t error = heddle::library::enqueue(
      stream, [=] { (call.anyTiles() ? runInColumns : run)(call, scalars, A, B, C, D); });
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

#define HEDDLE_EXPORT __attribute__((visibility("default")))

extern "C" {

HEDDLE_EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul, cublasLtMatrixLayout_t A,
    cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
    cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult_t results[],
    int *returned) {
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!areThere(matmul, A, B, C, D, preference, results, returned) || requested <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  *returned = 0;
  Matmul m = inside<Matmul>(matmul);
  // The pointers may be set between this call and the product.
  if (!m.bias)
    m.epilogue &= ~(Bias | BiasGradient | SumOfA | SumOfB);
  if (!m.aux)
    m.epilogue &= ~Aux;
  Call call{m, inside<Layout>(A), inside<Layout>(B), inside<Layout>(C), inside<Layout>(D)};
  if (cublasStatus_t bad = call.check())
    return bad;
  results[0] = {};
  new (&results[0].algo) Algorithm;
  results[0].wavesCount = 1;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

HEDDLE_EXPORT cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul, const void *alpha, const void *A,
    cublasLtMatrixLayout_t layoutA, const void *B, cublasLtMatrixLayout_t layoutB, const void *beta,
    const void *C, cublasLtMatrixLayout_t layoutC, void *D, cublasLtMatrixLayout_t layoutD,
    const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
  return logged("cublasLtMatmul", submitMatmul(handle, matmul, alpha, A, layoutA, B, layoutB, beta,
                                               C, layoutC, D, layoutD, stream));
}

} // extern "C"
