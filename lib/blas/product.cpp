// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/product.h"

#include "blas/arguments.h"
#include "blas/openblas.h"
#include "support/parallel.h"

#include <cuda_fp8.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace heddle::blas {

namespace {

/// Calls f with a value of the type's C++ type, if there is one of a real number.
template <typename F> bool withType(cudaDataType type, F f) {
  switch (type) {
  case CUDA_R_32F:
  case CUDA_C_32F:
    return f(float{}), true;
  case CUDA_R_64F:
  case CUDA_C_64F:
    return f(double{}), true;
  case CUDA_R_16F:
    return f(__half{}), true;
  case CUDA_R_16BF:
    return f(__nv_bfloat16{}), true;
  case CUDA_R_8F_E4M3:
    return f(__nv_fp8_e4m3{}), true;
  case CUDA_R_8F_E5M2:
    return f(__nv_fp8_e5m2{}), true;
  case CUDA_R_8I:
  case CUDA_C_8I:
    return f(static_cast<signed char>(0)), true;
  case CUDA_R_8U:
    return f(static_cast<unsigned char>(0)), true;
  case CUDA_R_32I:
    return f(0), true;
  default:
    return false;
  }
}

template <typename S, typename D> D convert(S value) {
  if constexpr (std::is_integral_v<D>) {
    double low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
    return static_cast<D>(std::clamp(std::nearbyint(static_cast<double>(value)), low, high));
  } else if constexpr (std::is_arithmetic_v<S> || std::is_arithmetic_v<D>) {
    if constexpr (std::is_arithmetic_v<D>)
      return std::is_arithmetic_v<S> ? static_cast<D>(value)
                                     : static_cast<D>(static_cast<float>(value));
    else
      return D(value);
  }
}

/// `count` real numbers; a complex one is two.
template <typename D> void loadNumbers(cudaDataType type, const void *from, D *to, int64_t count) {
  withType(type, [&](auto kind) {
    auto *numbers = static_cast<const decltype(kind) *>(from);
    for (int64_t i = 0; i < count; ++i)
      to[i] = convert<decltype(kind), D>(numbers[i]);
  });
}

template <typename S> void storeNumbers(cudaDataType type, const S *from, void *to, int64_t count) {
  withType(type, [&](auto kind) {
    auto *numbers = static_cast<decltype(kind) *>(to);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = convert<S, decltype(kind)>(from[i]);
  });
}

template <typename T> constexpr int64_t Parts = IsComplex<T> ? 2 : 1;

template <typename T> T scalarOf(cuDoubleComplex value) {
  if constexpr (IsComplex<T>)
    return {static_cast<Real<T>>(value.x), static_cast<Real<T>>(value.y)};
  else
    return static_cast<T>(value.x);
}

const void *advance(const void *pointer, cudaDataType type, int64_t elements) {
  return static_cast<const char *>(pointer) + elements * sizeOf(type);
}
void *advance(void *pointer, cudaDataType type, int64_t elements) {
  return static_cast<char *>(pointer) + elements * sizeOf(type);
}

/// A block of an operand, as it lies, converted.
template <typename T>
void pack(const AnyMatrix &matrix, const void *data, int64_t row, int64_t column, int64_t rows,
          int64_t columns, T *to) {
  library::parallelFor(columns, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(rows, 1)),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t j = begin; j < end; ++j)
                           loadNumbers(matrix.type,
                                       advance(data, matrix.type, row + (column + j) * matrix.ld),
                                       reinterpret_cast<Real<T> *>(to + j * rows), rows * Parts<T>);
                       });
}

constexpr int64_t BlockSize = 1024;

/// Blocks of a product, multiplied in T and summed in Sum, which is T or int64_t.
template <typename T, typename Sum> class BlockProduct {
public:
  BlockProduct(const Product &product, const Operands &operands, int64_t batch)
      : p(product), o(operands), batch(batch), alpha(p.alpha.get()), beta(p.beta.get()) {}

  void run() {
    for (int64_t j = 0; j < p.n; j += BlockSize)
      for (int64_t i = 0; i < p.m; i += BlockSize)
        block(i, std::min(BlockSize, p.m - i), j, std::min(BlockSize, p.n - j));
  }

private:
  using Wide = std::conditional_t<IsComplex<T>, cuDoubleComplex, double>;

  void block(int64_t i, int64_t rows, int64_t j, int64_t columns) {
    sums.assign(rows * columns, Sum{});
    if (alpha.x != 0 || alpha.y != 0)
      for (int64_t q = 0; q < p.k; q += BlockSize)
        addTerms(i, rows, j, columns, q, std::min(BlockSize, p.k - q));
    library::parallelFor(
        columns, std::max<int64_t>(1, (1 << 13) / rows), [&](int64_t begin, int64_t end) {
          std::vector<Wide> column(rows), before(rows);
          for (int64_t c = begin; c < end; ++c)
            finish(i, rows, j + c, sums.data() + c * rows, column.data(), before.data());
        });
  }

  void addTerms(int64_t i, int64_t rows, int64_t j, int64_t columns, int64_t q, int64_t terms) {
    bool plainA = p.A.op == CUBLAS_OP_N, plainB = p.B.op == CUBLAS_OP_N;
    int64_t lda = plainA ? rows : terms, ldb = plainB ? terms : columns;
    a.resize(rows * terms);
    b.resize(terms * columns);
    pack(p.A, o.A, plainA ? i : q, plainA ? q : i, lda, plainA ? terms : rows, a.data());
    pack(p.B, o.B, plainB ? q : j, plainB ? j : q, ldb, plainB ? columns : terms, b.data());
    const T one = scalarOf<T>({1, 0}), other = scalarOf<T>({std::is_same_v<T, Sum> ? 1.0 : 0.0, 0});
    T *to;
    if constexpr (std::is_same_v<T, Sum>) {
      to = sums.data();
    } else {
      part.resize(rows * columns);
      to = part.data();
    }
    HEDDLE_BLAS(T, gemm)(CblasColMajor, transposeOf<T>(p.A.op), transposeOf<T>(p.B.op), rows,
                         columns, terms, pass(one), a.data(), lda, b.data(), ldb, pass(other), to,
                         rows);
    if constexpr (!std::is_same_v<T, Sum>)
      for (int64_t e = 0; e < rows * columns; ++e)
        sums[e] += static_cast<Sum>(part[e]);
  }

  /// Scales a column's sums, adds C, and stores them.
  void finish(int64_t row, int64_t rows, int64_t column, const Sum *from, Wide *values,
              Wide *before) const {
    const Wide a = scalarOf<Wide>(alpha), b = scalarOf<Wide>(beta);
    for (int64_t r = 0; r < rows; ++r)
      values[r] = a * widen(from[r]);
    if (!isZero(b)) {
      loadNumbers(p.C.type, advance(o.C, p.C.type, row + column * p.C.ld),
                  reinterpret_cast<double *>(before), rows * Parts<T>);
      for (int64_t r = 0; r < rows; ++r)
        values[r] = values[r] + b * before[r];
    }
    if constexpr (!IsComplex<T>)
      if (p.epilogue)
        p.epilogue->apply(values, row, rows, column, batch);
    storeNumbers(p.D.type, reinterpret_cast<const double *>(values),
                 advance(o.D, p.D.type, row + column * p.D.ld), rows * Parts<T>);
  }

  static Wide widen(Sum value) {
    if constexpr (IsComplex<T>)
      return {value.x, value.y};
    else
      return static_cast<double>(value);
  }

  const Product &p;
  const Operands &o;
  int64_t batch;
  cuDoubleComplex alpha, beta;
  std::vector<Sum> sums;
  std::vector<T> a, b, part;
};

/// The product where OpenBLAS can take the matrices as they are; false if it cannot.
template <typename T> bool multiplyDirectly(const Product &p, const Operands &o) {
  cudaDataType type = typeOf<T>;
  bool direct = p.A.type == type && p.B.type == type && p.C.type == type && p.D.type == type &&
                !p.epilogue && o.C == o.D && p.C.ld == p.D.ld;
  if (!direct)
    return false;
  const T alpha = scalarOf<T>(p.alpha.get()), beta = scalarOf<T>(p.beta.get());
  HEDDLE_BLAS(T, gemm)(CblasColMajor, transposeOf<T>(p.A.op), transposeOf<T>(p.B.op), p.m, p.n, p.k,
                       pass(alpha), static_cast<const T *>(o.A), p.A.ld,
                       static_cast<const T *>(o.B), p.B.ld, pass(beta), static_cast<T *>(o.D),
                       p.D.ld);
  return true;
}

template <typename T> void multiplyAs(const Product &p, const Operands &o, int64_t batch) {
  if (!multiplyDirectly<T>(p, o))
    BlockProduct<T, T>(p, o, batch).run();
}

void multiplyOne(const Product &p, const Operands &o, int64_t batch) {
  switch (p.computeType) {
  case CUDA_R_64F:
    return multiplyAs<double>(p, o, batch);
  case CUDA_C_32F:
    return multiplyAs<cuComplex>(p, o, batch);
  case CUDA_C_64F:
    return multiplyAs<cuDoubleComplex>(p, o, batch);
  case CUDA_R_32I:
    return BlockProduct<float, int64_t>(p, o, batch).run();
  default:
    return multiplyAs<float>(p, o, batch);
  }
}

} // namespace

int64_t sizeOf(cudaDataType type) {
  int64_t size = 0;
  withType(type, [&](auto kind) { size = sizeof(kind); });
  return isComplexType(type) ? 2 * size : size;
}

bool isComplexType(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_8I;
}

void load(cudaDataType type, const void *from, double *to, int64_t count) {
  loadNumbers(type, from, to, count);
}
void store(cudaDataType type, const double *from, void *to, int64_t count) {
  storeNumbers(type, from, to, count);
}

AnyScalar::AnyScalar(const void *pointer, cudaDataType type, bool isOnDevice) : type(type) {
  if (isOnDevice)
    device = pointer;
  else
    value = read(pointer, type);
}

cuDoubleComplex AnyScalar::read(const void *pointer, cudaDataType type) {
  double parts[2] = {0, 0};
  loadNumbers(type, pointer, parts, isComplexType(type) ? 2 : 1);
  return {parts[0], parts[1]};
}

Operands Batch::at(const Product &p, int64_t i) const {
  if (arrayA)
    return {arrayA[i], arrayB[i], arrayC[i], arrayD[i]};
  return {advance(first.A, p.A.type, i * strideA), advance(first.B, p.B.type, i * strideB),
          advance(first.C, p.C.type, i * strideC), advance(first.D, p.D.type, i * strideD)};
}

void multiply(const Product &product, const Batch &batch) {
  if (product.m == 0 || product.n == 0)
    return;
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      multiplyOne(product, batch.at(product, i), i);
  };
  // From here on OpenBLAS uses all cores for one product.
  constexpr double Large = 256.0 * 256 * 256;
  double size = double(product.m) * double(product.n) * double(std::max<int64_t>(product.k, 1));
  if (batch.count == 1 || (size > Large && batch.count < 2 * int64_t(library::loopThreads())))
    return run(0, batch.count);
  OneThreadEach single;
  int64_t grain = std::max<int64_t>(
      1, std::min<int64_t>(batch.count / (4 * library::loopThreads()), 1 + 1e5 / size));
  library::parallelFor(batch.count, grain, run);
}

} // namespace heddle::blas
