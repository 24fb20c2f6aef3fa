// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of cuSPARSE share: arrays in device memory, random dense matrices with holes, and
// their forms in every format. Values are small whole numbers, so that sums are exact in every type
// and results compare equal.
#pragma once

#include "sparse/values.h"

#include <cusparse.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace heddle::sparse::test {

using Wide = std::complex<double>;

/// An array in device memory with what a vector held.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(const std::vector<T> &values) : count(values.size()) {
    EXPECT_EQ(cudaMalloc(&memory, (count + 1) * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  explicit DeviceArray(size_t count) : DeviceArray(std::vector<T>(count)) {}
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(memory); }

  T *get() const { return static_cast<T *>(memory); }
  size_t size() const { return count; }
  std::vector<T> read() const {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

private:
  void *memory = nullptr;
  size_t count;
};

template <typename T> inline constexpr cudaDataType TypeName = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeName<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType TypeName<ComplexFloat> = CUDA_C_32F;
template <> inline constexpr cudaDataType TypeName<ComplexDouble> = CUDA_C_64F;
template <> inline constexpr cudaDataType TypeName<__half> = CUDA_R_16F;
template <> inline constexpr cudaDataType TypeName<__nv_bfloat16> = CUDA_R_16BF;
template <> inline constexpr cudaDataType TypeName<ComplexHalf> = CUDA_C_16F;
template <> inline constexpr cudaDataType TypeName<ComplexBfloat> = CUDA_C_16BF;
template <> inline constexpr cudaDataType TypeName<int8_t> = CUDA_R_8I;
template <> inline constexpr cudaDataType TypeName<int32_t> = CUDA_R_32I;

template <typename I>
inline constexpr cusparseIndexType_t IndexName =
    sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;

/// The number in an element's type; the imaginary part is dropped where it has none.
template <typename T> T element(Wide value) {
  T result;
  if constexpr (isComplexElement<T>)
    store(result, std::complex<float>(value));
  else
    result = T(float(value.real()));
  return result;
}
template <> inline ComplexDouble element<ComplexDouble>(Wide value) { return value; }

template <typename T> Wide wide(const T &value) {
  if constexpr (isComplexElement<T> && !isComplex<T>)
    return Wide(float(value.real), float(value.imaginary));
  else if constexpr (isComplex<T>)
    return Wide(value);
  else
    return Wide(double(float(value)));
}

/// A dense matrix by rows.
struct Matrix {
  int64_t rows, cols;
  std::vector<Wide> values;

  Matrix(int64_t rows, int64_t cols) : rows(rows), cols(cols), values(rows * cols) {}
  Wide &operator()(int64_t i, int64_t j) { return values[i * cols + j]; }
  const Wide &operator()(int64_t i, int64_t j) const { return values[i * cols + j]; }
};

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int below(int bound) { return static_cast<int>(engine() % static_cast<unsigned>(bound)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  Wide value(bool complex) { return Wide(between(-3, 3), complex ? between(-3, 3) : 0); }
  /// A matrix of which one element in `sparsity` is there.
  Matrix matrix(int64_t rows, int64_t cols, bool complex, int sparsity = 1) {
    Matrix m(rows, cols);
    for (Wide &v : m.values)
      if (below(sparsity) == 0)
        v = value(complex);
    return m;
  }

private:
  std::mt19937 engine;
};

inline Matrix operated(const Matrix &m, cusparseOperation_t operation) {
  if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE)
    return m;
  Matrix result(m.cols, m.rows);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.cols; ++j)
      result(j, i) =
          operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(m(i, j)) : m(i, j);
  return result;
}

/// alpha a b + beta c
inline Matrix product(Wide alpha, const Matrix &a, const Matrix &b, Wide beta, const Matrix &c) {
  Matrix result(c.rows, c.cols);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.cols; ++j) {
      Wide sum = 0;
      for (int64_t k = 0; k < a.cols; ++k)
        sum += a(i, k) * b(k, j);
      result(i, j) = alpha * sum + beta * c(i, j);
    }
  return result;
}

/// A matrix's arrays in one of the formats, on the host: what `places` names are the elements (row
/// * cols + column, or -1 for padding) that the values are.
struct Arrays {
  std::vector<int64_t> offsets, indices, places;
};

/// By rows; by columns if `turned`. Zeros are left out.
inline Arrays compressed(const Matrix &m, bool turned) {
  Arrays a;
  a.offsets.push_back(0);
  for (int64_t i = 0; i < (turned ? m.cols : m.rows); ++i) {
    for (int64_t j = 0; j < (turned ? m.rows : m.cols); ++j) {
      int64_t place = turned ? j * m.cols + i : i * m.cols + j;
      if (m.values[place] == Wide(0))
        continue;
      a.indices.push_back(j), a.places.push_back(place);
    }
    a.offsets.push_back(static_cast<int64_t>(a.indices.size()));
  }
  return a;
}

/// `offsets` are the rows here.
inline Arrays coordinates(const Matrix &m) {
  Arrays a;
  for (int64_t place = 0; place < m.rows * m.cols; ++place)
    if (m.values[place] != Wide(0)) {
      a.offsets.push_back(place / m.cols), a.indices.push_back(place % m.cols);
      a.places.push_back(place);
    }
  return a;
}

inline Arrays blocks(const Matrix &m, int high, int wide, bool byRows) {
  Arrays a;
  a.offsets.push_back(0);
  for (int64_t bi = 0; bi < m.rows / high; ++bi) {
    for (int64_t bj = 0; bj < m.cols / wide; ++bj) {
      bool any = false;
      for (int k = 0; k < high * wide; ++k)
        any |= m(bi * high + k / wide, bj * wide + k % wide) != Wide(0);
      if (!any)
        continue;
      a.indices.push_back(bj);
      for (int k = 0; k < high * wide; ++k) {
        int i = byRows ? k / wide : k % high, j = byRows ? k % wide : k / high;
        a.places.push_back((bi * high + i) * m.cols + bj * wide + j);
      }
    }
    a.offsets.push_back(static_cast<int64_t>(a.indices.size()));
  }
  return a;
}

inline Arrays slices(const Matrix &m, int size) {
  Arrays rows = compressed(m, false), a;
  a.offsets.push_back(0);
  for (int64_t first = 0; first < m.rows; first += size) {
    int64_t widest = 0;
    for (int64_t i = first; i < std::min<int64_t>(m.rows, first + size); ++i)
      widest = std::max(widest, rows.offsets[i + 1] - rows.offsets[i]);
    for (int64_t j = 0; j < widest; ++j)
      for (int64_t i = first; i < first + size; ++i) {
        bool there = i < m.rows && rows.offsets[i] + j < rows.offsets[i + 1];
        a.indices.push_back(there ? rows.indices[rows.offsets[i] + j] : -1);
        a.places.push_back(there ? rows.places[rows.offsets[i] + j] : -1);
      }
    a.offsets.push_back(static_cast<int64_t>(a.indices.size()));
  }
  return a;
}

/// `width` blocks a row.
inline Arrays blockedEll(const Matrix &m, int size, int width) {
  Arrays b = blocks(m, size, size, true), a;
  a.places.assign(m.rows * width * size, -1);
  for (int64_t bi = 0; bi < m.rows / size; ++bi)
    for (int k = 0; k < width; ++k) {
      int64_t from = b.offsets[bi] + k;
      bool there = from < b.offsets[bi + 1];
      a.indices.push_back(there ? b.indices[from] : -1);
      for (int e = 0; there && e < size * size; ++e)
        a.places[(bi * size + e / size) * width * size + k * size + e % size] =
            b.places[from * size * size + e];
    }
  return a;
}

/// Elements in another type, counted from a base; -1 stays before the base.
template <typename I> std::vector<I> based(const std::vector<int64_t> &values, int base) {
  std::vector<I> result;
  for (int64_t v : values)
    result.push_back(static_cast<I>(v + base));
  return result;
}

template <typename T> std::vector<T> valuesOf(const Matrix &m, const Arrays &a) {
  std::vector<T> result;
  for (int64_t place : a.places)
    result.push_back(place < 0 ? element<T>(Wide(99)) : element<T>(m.values[place]));
  return result;
}

/// A matrix in device memory with its descriptor.
template <typename T, typename O = int, typename I = int> struct Sparse {
  Arrays arrays;
  DeviceArray<O> offsets;
  DeviceArray<I> indices;
  DeviceArray<T> values;
  cusparseSpMatDescr_t descriptor = nullptr;

  Sparse(const Matrix &m, const Arrays &arrays, int base)
      : arrays(arrays), offsets(based<O>(arrays.offsets, base)),
        indices(based<I>(arrays.indices, base)), values(valuesOf<T>(m, arrays)) {}
  ~Sparse() { EXPECT_EQ(cusparseDestroySpMat(descriptor), CUSPARSE_STATUS_SUCCESS); }

  static cusparseIndexBase_t baseOf(int base) { return static_cast<cusparseIndexBase_t>(base); }
};

#define SPARSE_OK(call) ASSERT_EQ(call, CUSPARSE_STATUS_SUCCESS)
#define SPARSE_EXPECT_OK(call) EXPECT_EQ(call, CUSPARSE_STATUS_SUCCESS)

template <typename T, typename O = int, typename I = int>
std::unique_ptr<Sparse<T, O, I>> csr(const Matrix &m, int base = 0) {
  auto s = std::make_unique<Sparse<T, O, I>>(m, compressed(m, false), base);
  SPARSE_EXPECT_OK(cusparseCreateCsr(&s->descriptor, m.rows, m.cols, s->values.size(),
                                     s->offsets.get(), s->indices.get(), s->values.get(),
                                     IndexName<O>, IndexName<I>, s->baseOf(base), TypeName<T>));
  return s;
}

/// Dense values with a leading dimension.
template <typename T> struct Dense {
  int64_t rows, cols, ld;
  bool byRows;
  DeviceArray<T> values;
  cusparseDnMatDescr_t descriptor = nullptr;

  Dense(const Matrix &m, bool byRows, int padding = 0)
      : rows(m.rows), cols(m.cols), ld((byRows ? m.cols : m.rows) + padding), byRows(byRows),
        values(laidOut(m)) {
    SPARSE_EXPECT_OK(cusparseCreateDnMat(&descriptor, rows, cols, ld, values.get(), TypeName<T>,
                                         byRows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
  }
  ~Dense() { EXPECT_EQ(cusparseDestroyDnMat(descriptor), CUSPARSE_STATUS_SUCCESS); }

  int64_t place(int64_t i, int64_t j) const { return byRows ? i * ld + j : j * ld + i; }
  std::vector<T> laidOut(const Matrix &m) const {
    std::vector<T> result(ld * (byRows ? rows : cols), element<T>(Wide(77)));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        result[place(i, j)] = element<T>(m(i, j));
    return result;
  }
  Matrix read() const {
    std::vector<T> all = values.read();
    Matrix m(rows, cols);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        m(i, j) = wide(all[place(i, j)]);
    return m;
  }
};

/// The functions of the four types under one name: HEDDLE_FOUR(gtsv2, cusparseSgtsv2, ...) defines
/// gtsv2Of<T>.
#define HEDDLE_FOUR(name, s, d, c, z)                                                              \
  template <typename T> constexpr auto name##Of = pickFunction<T>(s, d, c, z);
template <typename T, typename S, typename D, typename C, typename Z>
constexpr auto pickFunction(S s, D d, C c, Z z) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else if constexpr (std::is_same_v<T, ComplexFloat>)
    return c;
  else
    return z;
}

/// The pointer as the functions of T's letter take it.
inline float *api(float *p) { return p; }
inline double *api(double *p) { return p; }
inline cuComplex *api(ComplexFloat *p) { return reinterpret_cast<cuComplex *>(p); }
inline cuDoubleComplex *api(ComplexDouble *p) { return reinterpret_cast<cuDoubleComplex *>(p); }

/// A test with a handle.
struct SparseTest : testing::Test {
  cusparseHandle_t handle = nullptr;
  void SetUp() override { SPARSE_OK(cusparseCreate(&handle)); }
  void TearDown() override { SPARSE_OK(cusparseDestroy(handle)); }
};

} // namespace heddle::sparse::test
