// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions to, from and between rows of blocks; rows that are sorted and unsorted; counting,
// compressing, pruning.
#include "sparse/test_support.h"

#include <memory>
#include <numeric>

using namespace heddle::sparse;
using namespace heddle::sparse::test;

namespace {

HEDDLE_FOUR(csr2bsr, cusparseScsr2bsr, cusparseDcsr2bsr, cusparseCcsr2bsr, cusparseZcsr2bsr)
HEDDLE_FOUR(bsr2csr, cusparseSbsr2csr, cusparseDbsr2csr, cusparseCbsr2csr, cusparseZbsr2csr)
HEDDLE_FOUR(gebsr2csr, cusparseSgebsr2csr, cusparseDgebsr2csr, cusparseCgebsr2csr,
            cusparseZgebsr2csr)
HEDDLE_FOUR(csr2gebsr_bufferSize, cusparseScsr2gebsr_bufferSize, cusparseDcsr2gebsr_bufferSize,
            cusparseCcsr2gebsr_bufferSize, cusparseZcsr2gebsr_bufferSize)
HEDDLE_FOUR(csr2gebsr_bufferSizeExt, cusparseScsr2gebsr_bufferSizeExt,
            cusparseDcsr2gebsr_bufferSizeExt, cusparseCcsr2gebsr_bufferSizeExt,
            cusparseZcsr2gebsr_bufferSizeExt)
HEDDLE_FOUR(csr2gebsr, cusparseScsr2gebsr, cusparseDcsr2gebsr, cusparseCcsr2gebsr,
            cusparseZcsr2gebsr)
HEDDLE_FOUR(gebsr2gebsc_bufferSize, cusparseSgebsr2gebsc_bufferSize,
            cusparseDgebsr2gebsc_bufferSize, cusparseCgebsr2gebsc_bufferSize,
            cusparseZgebsr2gebsc_bufferSize)
HEDDLE_FOUR(gebsr2gebsc_bufferSizeExt, cusparseSgebsr2gebsc_bufferSizeExt,
            cusparseDgebsr2gebsc_bufferSizeExt, cusparseCgebsr2gebsc_bufferSizeExt,
            cusparseZgebsr2gebsc_bufferSizeExt)
HEDDLE_FOUR(gebsr2gebsc, cusparseSgebsr2gebsc, cusparseDgebsr2gebsc, cusparseCgebsr2gebsc,
            cusparseZgebsr2gebsc)
HEDDLE_FOUR(gebsr2gebsr_bufferSize, cusparseSgebsr2gebsr_bufferSize,
            cusparseDgebsr2gebsr_bufferSize, cusparseCgebsr2gebsr_bufferSize,
            cusparseZgebsr2gebsr_bufferSize)
HEDDLE_FOUR(gebsr2gebsr_bufferSizeExt, cusparseSgebsr2gebsr_bufferSizeExt,
            cusparseDgebsr2gebsr_bufferSizeExt, cusparseCgebsr2gebsr_bufferSizeExt,
            cusparseZgebsr2gebsr_bufferSizeExt)
HEDDLE_FOUR(gebsr2gebsr, cusparseSgebsr2gebsr, cusparseDgebsr2gebsr, cusparseCgebsr2gebsr,
            cusparseZgebsr2gebsr)
HEDDLE_FOUR(csru2csr_bufferSizeExt, cusparseScsru2csr_bufferSizeExt,
            cusparseDcsru2csr_bufferSizeExt, cusparseCcsru2csr_bufferSizeExt,
            cusparseZcsru2csr_bufferSizeExt)
HEDDLE_FOUR(csru2csr, cusparseScsru2csr, cusparseDcsru2csr, cusparseCcsru2csr, cusparseZcsru2csr)
HEDDLE_FOUR(csr2csru, cusparseScsr2csru, cusparseDcsr2csru, cusparseCcsr2csru, cusparseZcsr2csru)
HEDDLE_FOUR(nnz, cusparseSnnz, cusparseDnnz, cusparseCnnz, cusparseZnnz)
HEDDLE_FOUR(nnz_compress, cusparseSnnz_compress, cusparseDnnz_compress, cusparseCnnz_compress,
            cusparseZnnz_compress)
HEDDLE_FOUR(csr2csr_compress, cusparseScsr2csr_compress, cusparseDcsr2csr_compress,
            cusparseCcsr2csr_compress, cusparseZcsr2csr_compress)

/// With a descriptor of each base.
struct ConversionTest : SparseTest {
  cusparseMatDescr_t descriptors[2] = {};
  void SetUp() override {
    SparseTest::SetUp();
    for (int base : {0, 1}) {
      SPARSE_OK(cusparseCreateMatDescr(&descriptors[base]));
      SPARSE_OK(cusparseSetMatIndexBase(descriptors[base], static_cast<cusparseIndexBase_t>(base)));
    }
  }
  void TearDown() override {
    for (cusparseMatDescr_t descriptor : descriptors)
      cusparseDestroyMatDescr(descriptor);
    SparseTest::TearDown();
  }
};

template <typename T> struct Conversions : ConversionTest {};
using FourTypes = testing::Types<float, double, ComplexFloat, ComplexDouble>;
TYPED_TEST_SUITE(Conversions, FourTypes);

/// The matrix with zeros behind it, so that it consists of whole blocks.
Matrix padded(const Matrix &m, int high, int wide) {
  Matrix result((m.rows + high - 1) / high * high, (m.cols + wide - 1) / wide * wide);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.cols; ++j)
      result(i, j) = m(i, j);
  return result;
}

/// Ones where the arrays have an element.
Matrix pattern(const Matrix &m, const Arrays &arrays) {
  Matrix result(m.rows, m.cols);
  for (int64_t place : arrays.places)
    result.values[place] = 1;
  return result;
}

/// What CSR arrays of the device are as a dense matrix.
template <typename T>
Matrix dense(int64_t rows, int64_t cols, const DeviceArray<int> &offsets,
             const DeviceArray<int> &indices, const DeviceArray<T> &values, int base) {
  Matrix result(rows, cols);
  std::vector<int> o = offsets.read(), c = indices.read();
  std::vector<T> v = values.read();
  for (int64_t row = 0; row < rows; ++row)
    for (int k = o[row] - base; k < o[row + 1] - base; ++k)
      result(row, c[k] - base) += wide(v[k]);
  return result;
}

struct Case {
  int rows, cols, high, wide;
  bool byRows;
  int baseA, baseC;
  cusparseDirection_t direction() const {
    return byRows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN;
  }
};
const Case Cases[] = {{1, 1, 1, 1, true, 0, 0},   {7, 9, 2, 3, true, 0, 1},
                      {8, 12, 4, 4, false, 1, 0}, {33, 20, 5, 2, false, 1, 1},
                      {3, 50, 4, 7, true, 0, 0},  {0, 6, 3, 2, true, 1, 0}};

TYPED_TEST(Conversions, RowsToBlocks) {
  using T = TypeParam;
  Random random(21);
  for (const Case &c : Cases) {
    Matrix m = random.matrix(c.rows, c.cols, isComplex<T>, 9), whole = padded(m, c.high, c.wide);
    Sparse<T> a(m, compressed(m, false), c.baseA);
    Arrays expected = blocks(whole, c.high, c.wide, c.byRows);
    int rows = static_cast<int>(whole.rows / c.high), total = -1, size = -1;
    size_t bytes = 0;
    DeviceArray<int> offsets(rows + 1), indices(expected.indices.size());
    DeviceArray<T> values(std::vector<T>(expected.places.size(), element<T>(Wide(5))));
    SPARSE_OK(csr2gebsr_bufferSizeOf<T>(this->handle, c.direction(), c.rows, c.cols,
                                        this->descriptors[c.baseA], api(a.values.get()),
                                        a.offsets.get(), a.indices.get(), c.high, c.wide, &size));
    SPARSE_OK(csr2gebsr_bufferSizeExtOf<T>(
        this->handle, c.direction(), c.rows, c.cols, this->descriptors[c.baseA],
        api(a.values.get()), a.offsets.get(), a.indices.get(), c.high, c.wide, &bytes));
    EXPECT_EQ(size_t(size), bytes);
    SPARSE_OK(cusparseXcsr2gebsrNnz(this->handle, c.direction(), c.rows, c.cols,
                                    this->descriptors[c.baseA], a.offsets.get(), a.indices.get(),
                                    this->descriptors[c.baseC], offsets.get(), c.high, c.wide,
                                    &total, nullptr));
    EXPECT_EQ(size_t(total), expected.indices.size());
    EXPECT_EQ(offsets.read(), based<int>(expected.offsets, c.baseC));
    SPARSE_OK(csr2gebsrOf<T>(this->handle, c.direction(), c.rows, c.cols,
                             this->descriptors[c.baseA], api(a.values.get()), a.offsets.get(),
                             a.indices.get(), this->descriptors[c.baseC], api(values.get()),
                             offsets.get(), indices.get(), c.high, c.wide, nullptr));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(indices.read(), based<int>(expected.indices, c.baseC));
    EXPECT_EQ(values.read(), valuesOf<T>(whole, expected));
  }
}

TYPED_TEST(Conversions, RowsToSquareBlocksAndBack) {
  using T = TypeParam;
  Random random(22);
  for (int size : {1, 2, 5}) {
    Matrix m = random.matrix(17, 23, isComplex<T>, 6), whole = padded(m, size, size);
    Sparse<T> a(m, compressed(m, false), 1);
    Arrays expected = blocks(whole, size, size, false);
    int mb = static_cast<int>(whole.rows) / size, nb = static_cast<int>(whole.cols) / size;
    int nnz = static_cast<int>(expected.places.size());
    DeviceArray<int> offsets(mb + 1), indices(expected.indices.size()), total(1);
    DeviceArray<T> values(expected.places.size());
    SPARSE_OK(cusparseSetPointerMode(this->handle, CUSPARSE_POINTER_MODE_DEVICE));
    SPARSE_OK(cusparseXcsr2bsrNnz(this->handle, CUSPARSE_DIRECTION_COLUMN, 17, 23,
                                  this->descriptors[1], a.offsets.get(), a.indices.get(), size,
                                  this->descriptors[0], offsets.get(), total.get()));
    SPARSE_OK(csr2bsrOf<T>(this->handle, CUSPARSE_DIRECTION_COLUMN, 17, 23, this->descriptors[1],
                           api(a.values.get()), a.offsets.get(), a.indices.get(), size,
                           this->descriptors[0], api(values.get()), offsets.get(), indices.get()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(total.read()[0], int(expected.indices.size()));
    EXPECT_EQ(values.read(), valuesOf<T>(whole, expected));

    DeviceArray<int> rows(whole.rows + 1), columns(nnz);
    DeviceArray<T> elements(nnz);
    SPARSE_OK(bsr2csrOf<T>(this->handle, CUSPARSE_DIRECTION_COLUMN, mb, nb, this->descriptors[0],
                           api(values.get()), offsets.get(), indices.get(), size,
                           this->descriptors[1], api(elements.get()), rows.get(), columns.get()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(rows.read().back(), nnz + 1);
    EXPECT_EQ(dense(whole.rows, whole.cols, rows, columns, elements, 1).values, whole.values);
  }
}

TYPED_TEST(Conversions, BlocksToRows) {
  using T = TypeParam;
  Random random(23);
  for (const Case &c : Cases) {
    Matrix m = padded(random.matrix(c.rows, c.cols, isComplex<T>, 9), c.high, c.wide);
    Sparse<T> a(m, blocks(m, c.high, c.wide, c.byRows), c.baseA);
    int mb = static_cast<int>(m.rows) / c.high, nb = static_cast<int>(m.cols) / c.wide;
    DeviceArray<int> offsets(m.rows + 1), indices(a.values.size());
    DeviceArray<T> values(a.values.size());
    SPARSE_OK(gebsr2csrOf<T>(this->handle, c.direction(), mb, nb, this->descriptors[c.baseA],
                             api(a.values.get()), a.offsets.get(), a.indices.get(), c.high, c.wide,
                             this->descriptors[c.baseC], api(values.get()), offsets.get(),
                             indices.get()));
    DeviceArray<int> offsetsAlone(m.rows + 1), indicesAlone(a.values.size());
    SPARSE_OK(cusparseXgebsr2csr(this->handle, c.direction(), mb, nb, this->descriptors[c.baseA],
                                 a.offsets.get(), a.indices.get(), c.high, c.wide,
                                 this->descriptors[c.baseC], offsetsAlone.get(),
                                 indicesAlone.get()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(offsets.read().back(), int(a.values.size()) + c.baseC);
    EXPECT_EQ(dense(m.rows, m.cols, offsets, indices, values, c.baseC).values, m.values);
    EXPECT_EQ(offsetsAlone.read(), offsets.read());
    EXPECT_EQ(indicesAlone.read(), indices.read());
  }
}

TYPED_TEST(Conversions, BlocksToOtherBlocks) {
  using T = TypeParam;
  Random random(24);
  for (const Case &c : Cases)
    for (int high : {1, 3}) {
      const int wide = 4;
      Matrix m = padded(random.matrix(c.rows, c.cols, isComplex<T>, 12), c.high, c.wide);
      Arrays from = blocks(m, c.high, c.wide, c.byRows);
      Sparse<T> a(m, from, c.baseA);
      Matrix whole = padded(m, high, wide);
      Arrays expected = blocks(padded(pattern(m, from), high, wide), high, wide, c.byRows);
      int mb = static_cast<int>(m.rows) / c.high, nb = static_cast<int>(m.cols) / c.wide;
      int nnzb = static_cast<int>(from.indices.size()), total = -1, size = -1;
      size_t bytes = 0;
      DeviceArray<int> offsets(whole.rows / high + 1), indices(expected.indices.size());
      DeviceArray<T> values(expected.places.size());
      SPARSE_OK(gebsr2gebsr_bufferSizeOf<T>(this->handle, c.direction(), mb, nb, nnzb,
                                            this->descriptors[c.baseA], api(a.values.get()),
                                            a.offsets.get(), a.indices.get(), c.high, c.wide, high,
                                            wide, &size));
      SPARSE_OK(gebsr2gebsr_bufferSizeExtOf<T>(this->handle, c.direction(), mb, nb, nnzb,
                                               this->descriptors[c.baseA], api(a.values.get()),
                                               a.offsets.get(), a.indices.get(), c.high, c.wide,
                                               high, wide, &bytes));
      SPARSE_OK(cusparseXgebsr2gebsrNnz(this->handle, c.direction(), mb, nb, nnzb,
                                        this->descriptors[c.baseA], a.offsets.get(),
                                        a.indices.get(), c.high, c.wide, this->descriptors[c.baseC],
                                        offsets.get(), high, wide, &total, nullptr));
      EXPECT_EQ(size_t(total), expected.indices.size());
      EXPECT_EQ(offsets.read(), based<int>(expected.offsets, c.baseC));
      SPARSE_OK(gebsr2gebsrOf<T>(this->handle, c.direction(), mb, nb, nnzb,
                                 this->descriptors[c.baseA], api(a.values.get()), a.offsets.get(),
                                 a.indices.get(), c.high, c.wide, this->descriptors[c.baseC],
                                 api(values.get()), offsets.get(), indices.get(), high, wide,
                                 nullptr));
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      EXPECT_EQ(indices.read(), based<int>(expected.indices, c.baseC));
      EXPECT_EQ(values.read(), valuesOf<T>(whole, expected));
    }
}

TYPED_TEST(Conversions, BlocksByColumns) {
  using T = TypeParam;
  Random random(25);
  for (const Case &c : Cases) {
    Matrix m = padded(random.matrix(c.rows, c.cols, isComplex<T>, 9), c.high, c.wide);
    Sparse<T> a(m, blocks(m, c.high, c.wide, c.byRows), c.baseA);
    int mb = static_cast<int>(m.rows) / c.high, nb = static_cast<int>(m.cols) / c.wide;
    int nnzb = static_cast<int>(a.indices.size()), size = -1, elements = c.high * c.wide;
    size_t bytes = 0;
    auto base = static_cast<cusparseIndexBase_t>(c.baseA);
    SPARSE_OK(gebsr2gebsc_bufferSizeOf<T>(this->handle, mb, nb, nnzb, api(a.values.get()),
                                          a.offsets.get(), a.indices.get(), c.high, c.wide, &size));
    SPARSE_OK(gebsr2gebsc_bufferSizeExtOf<T>(this->handle, mb, nb, nnzb, api(a.values.get()),
                                             a.offsets.get(), a.indices.get(), c.high, c.wide,
                                             &bytes));
    for (cusparseAction_t action : {CUSPARSE_ACTION_NUMERIC, CUSPARSE_ACTION_SYMBOLIC}) {
      DeviceArray<int> offsets(nb + 1), rows(nnzb);
      DeviceArray<T> values(a.values.size());
      SPARSE_OK(gebsr2gebscOf<T>(this->handle, mb, nb, nnzb, api(a.values.get()), a.offsets.get(),
                                 a.indices.get(), c.high, c.wide, api(values.get()), rows.get(),
                                 offsets.get(), action, base, nullptr));
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      std::vector<T> from = a.values.read(), to = values.read(), expected(to.size());
      std::vector<int> expectedOffsets{c.baseA}, expectedRows;
      for (int64_t column = 0; column < nb; ++column) {
        for (int64_t row = 0; row < mb; ++row)
          for (int64_t k = a.arrays.offsets[row]; k < a.arrays.offsets[row + 1]; ++k)
            if (a.arrays.indices[k] == column) {
              if (action == CUSPARSE_ACTION_NUMERIC)
                std::copy_n(from.begin() + k * elements, elements,
                            expected.begin() + int64_t(expectedRows.size()) * elements);
              expectedRows.push_back(static_cast<int>(row) + c.baseA);
            }
        expectedOffsets.push_back(static_cast<int>(expectedRows.size()) + c.baseA);
      }
      EXPECT_EQ(offsets.read(), expectedOffsets);
      EXPECT_EQ(rows.read(), expectedRows);
      EXPECT_EQ(to, expected);
    }
  }
}

TYPED_TEST(Conversions, RowsAreSortedAndUnsorted) {
  using T = TypeParam;
  Random random(26);
  Matrix m = random.matrix(40, 31, isComplex<T>, 3);
  Sparse<T> a(m, compressed(m, false), 1);
  std::vector<int> offsets = a.offsets.read(), sorted = a.indices.read(), mixed = sorted;
  std::vector<T> sortedValues = a.values.read(), mixedValues = sortedValues;
  for (int row = 0; row < 40; ++row)
    for (int k = offsets[row] - 1, last = offsets[row + 1] - 2; k < last; ++k) {
      int other = random.between(k, last);
      std::swap(mixed[k], mixed[other]), std::swap(mixedValues[k], mixedValues[other]);
    }
  DeviceArray<int> indices(mixed);
  DeviceArray<T> values(mixedValues);
  int nnz = static_cast<int>(mixed.size());
  csru2csrInfo_t info = nullptr;
  SPARSE_OK(cusparseCreateCsru2csrInfo(&info));
  size_t bytes = 0;
  SPARSE_OK(csru2csr_bufferSizeExtOf<T>(this->handle, 40, 31, nnz, api(values.get()),
                                        a.offsets.get(), indices.get(), info, &bytes));
  EXPECT_EQ(csr2csruOf<T>(this->handle, 40, 31, nnz, this->descriptors[1], api(values.get()),
                          a.offsets.get(), indices.get(), info, nullptr),
            CUSPARSE_STATUS_INVALID_VALUE); // nothing has been sorted
  SPARSE_OK(csru2csrOf<T>(this->handle, 40, 31, nnz, this->descriptors[1], api(values.get()),
                          a.offsets.get(), indices.get(), info, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(indices.read(), sorted);
  EXPECT_EQ(values.read(), sortedValues);
  SPARSE_OK(csr2csruOf<T>(this->handle, 40, 31, nnz, this->descriptors[1], api(values.get()),
                          a.offsets.get(), indices.get(), info, nullptr));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(indices.read(), mixed);
  EXPECT_EQ(values.read(), mixedValues);
  SPARSE_OK(cusparseDestroyCsru2csrInfo(info));
}

TYPED_TEST(Conversions, CountsOfDense) {
  using T = TypeParam;
  Random random(27);
  Matrix m = random.matrix(13, 8, isComplex<T>, 2);
  Dense<T> a(m, false, 3);
  for (auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
    bool byRows = direction == CUSPARSE_DIRECTION_ROW;
    std::vector<int> expected(byRows ? 13 : 8);
    for (int i = 0; i < 13; ++i)
      for (int j = 0; j < 8; ++j)
        expected[byRows ? i : j] += m(i, j) != Wide(0);
    DeviceArray<int> counts(expected.size());
    int total = -1;
    SPARSE_OK(nnzOf<T>(this->handle, direction, 13, 8, this->descriptors[0], api(a.values.get()),
                       static_cast<int>(a.ld), counts.get(), &total));
    EXPECT_EQ(counts.read(), expected);
    EXPECT_EQ(total, std::accumulate(expected.begin(), expected.end(), 0));
  }
  EXPECT_EQ(nnzOf<T>(this->handle, CUSPARSE_DIRECTION_ROW, 13, 8, this->descriptors[0],
                     api(a.values.get()), 12, nullptr, nullptr),
            CUSPARSE_STATUS_INVALID_VALUE);
}

/// The matrix without elements that are not larger than the threshold.
Matrix without(const Matrix &m, double threshold) {
  Matrix result = m;
  for (Wide &value : result.values)
    if (!(std::abs(value) > threshold))
      value = 0;
  return result;
}

TYPED_TEST(Conversions, SmallElementsAreLeftOut) {
  using T = TypeParam;
  Random random(28);
  for (int base : {0, 1}) {
    Matrix m = random.matrix(29, 18, isComplex<T>, 3);
    Sparse<T> a(m, compressed(m, false), base);
    Matrix expected = without(m, 2);
    Arrays arrays = compressed(expected, false);
    int nnz = static_cast<int>(a.values.size()), total = -1;
    T tolerance = element<T>(Wide(2)), negative = element<T>(Wide(-1));
    DeviceArray<int> counts(29), offsets(30), indices(arrays.indices.size());
    DeviceArray<T> values(arrays.indices.size());
    SPARSE_OK(nnz_compressOf<T>(this->handle, 29, this->descriptors[base], api(a.values.get()),
                                a.offsets.get(), counts.get(), &total, *api(&tolerance)));
    EXPECT_EQ(size_t(total), arrays.indices.size());
    SPARSE_OK(csr2csr_compressOf<T>(this->handle, 29, 18, this->descriptors[base],
                                    api(a.values.get()), a.indices.get(), a.offsets.get(), nnz,
                                    counts.get(), api(values.get()), indices.get(), offsets.get(),
                                    *api(&tolerance)));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(offsets.read(), based<int>(arrays.offsets, base));
    EXPECT_EQ(dense(29, 18, offsets, indices, values, base).values, expected.values);
    EXPECT_EQ(nnz_compressOf<T>(this->handle, 29, this->descriptors[base], api(a.values.get()),
                                a.offsets.get(), counts.get(), &total, *api(&negative)),
              CUSPARSE_STATUS_INVALID_VALUE);
  }
}

/// The functions of a type that prunes, under one name.
#define HEDDLE_THREE(name, s, d, h)                                                                \
  template <typename T> constexpr auto name##Of = pickOfThree<T>(s, d, h);
template <typename T, typename S, typename D, typename H>
constexpr auto pickOfThree(S s, D d, H h) {
  if constexpr (std::is_same_v<T, float>)
    return s;
  else if constexpr (std::is_same_v<T, double>)
    return d;
  else
    return h;
}
HEDDLE_THREE(pruneDense2csr_bufferSizeExt, cusparseSpruneDense2csr_bufferSizeExt,
             cusparseDpruneDense2csr_bufferSizeExt, cusparseHpruneDense2csr_bufferSizeExt)
HEDDLE_THREE(pruneDense2csrNnz, cusparseSpruneDense2csrNnz, cusparseDpruneDense2csrNnz,
             cusparseHpruneDense2csrNnz)
HEDDLE_THREE(pruneDense2csr, cusparseSpruneDense2csr, cusparseDpruneDense2csr,
             cusparseHpruneDense2csr)
HEDDLE_THREE(pruneCsr2csr_bufferSizeExt, cusparseSpruneCsr2csr_bufferSizeExt,
             cusparseDpruneCsr2csr_bufferSizeExt, cusparseHpruneCsr2csr_bufferSizeExt)
HEDDLE_THREE(pruneCsr2csrNnz, cusparseSpruneCsr2csrNnz, cusparseDpruneCsr2csrNnz,
             cusparseHpruneCsr2csrNnz)
HEDDLE_THREE(pruneCsr2csr, cusparseSpruneCsr2csr, cusparseDpruneCsr2csr, cusparseHpruneCsr2csr)
HEDDLE_THREE(pruneDense2csrByPercentage_bufferSizeExt,
             cusparseSpruneDense2csrByPercentage_bufferSizeExt,
             cusparseDpruneDense2csrByPercentage_bufferSizeExt,
             cusparseHpruneDense2csrByPercentage_bufferSizeExt)
HEDDLE_THREE(pruneDense2csrNnzByPercentage, cusparseSpruneDense2csrNnzByPercentage,
             cusparseDpruneDense2csrNnzByPercentage, cusparseHpruneDense2csrNnzByPercentage)
HEDDLE_THREE(pruneDense2csrByPercentage, cusparseSpruneDense2csrByPercentage,
             cusparseDpruneDense2csrByPercentage, cusparseHpruneDense2csrByPercentage)
HEDDLE_THREE(pruneCsr2csrByPercentage_bufferSizeExt,
             cusparseSpruneCsr2csrByPercentage_bufferSizeExt,
             cusparseDpruneCsr2csrByPercentage_bufferSizeExt,
             cusparseHpruneCsr2csrByPercentage_bufferSizeExt)
HEDDLE_THREE(pruneCsr2csrNnzByPercentage, cusparseSpruneCsr2csrNnzByPercentage,
             cusparseDpruneCsr2csrNnzByPercentage, cusparseHpruneCsr2csrNnzByPercentage)
HEDDLE_THREE(pruneCsr2csrByPercentage, cusparseSpruneCsr2csrByPercentage,
             cusparseDpruneCsr2csrByPercentage, cusparseHpruneCsr2csrByPercentage)

template <typename T> struct Pruning : ConversionTest {
  pruneInfo_t info = nullptr;
  size_t bytes = 0;
  int total = -1;

  void SetUp() override {
    ConversionTest::SetUp();
    SPARSE_OK(cusparseCreatePruneInfo(&info));
  }
  void TearDown() override {
    SPARSE_OK(cusparseDestroyPruneInfo(info));
    ConversionTest::TearDown();
  }

  /// Has the matrix pruned by functions of (offsets) and (values, offsets, indices), and compares.
  template <typename F, typename G>
  void expectKept(const Matrix &expected, int base, F countInto, G writeInto) {
    Arrays arrays = compressed(expected, false);
    DeviceArray<int> offsets(expected.rows + 1), indices(arrays.indices.size());
    DeviceArray<T> values(arrays.indices.size());
    SPARSE_OK(countInto(offsets.get()));
    ASSERT_EQ(size_t(total), arrays.indices.size());
    SPARSE_OK(writeInto(values.get(), offsets.get(), indices.get()));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(offsets.read(), based<int>(arrays.offsets, base));
    EXPECT_EQ(dense(expected.rows, expected.cols, offsets, indices, values, base).values,
              expected.values);
  }
};
using ThreeTypes = testing::Types<float, double, __half>;
TYPED_TEST_SUITE(Pruning, ThreeTypes);

TYPED_TEST(Pruning, ByThreshold) {
  using T = TypeParam;
  Random random(29);
  auto h = this->handle;
  for (int baseC : {0, 1}) {
    cusparseMatDescr_t dA = this->descriptors[1 - baseC], dC = this->descriptors[baseC];
    Matrix m = random.matrix(21, 15, false, 2);
    Dense<T> full(m, false, 2);
    Sparse<T> a(m, compressed(m, false), 1 - baseC);
    int ld = static_cast<int>(full.ld), nnz = static_cast<int>(a.values.size());
    T threshold = element<T>(Wide(1));
    const T *A = full.values.get(), *t = &threshold;
    SPARSE_OK(pruneDense2csr_bufferSizeExtOf<T>(h, 21, 15, A, ld, t, dC, (T *)nullptr,
                                                (int *)nullptr, (int *)nullptr, &this->bytes));
    this->expectKept(
        without(m, 1), baseC,
        [&](int *o) {
          return pruneDense2csrNnzOf<T>(h, 21, 15, A, ld, t, dC, o, &this->total, nullptr);
        },
        [&](T *v, int *o, int *i) {
          return pruneDense2csrOf<T>(h, 21, 15, A, ld, t, dC, v, o, i, nullptr);
        });
    const T *va = a.values.get();
    const int *oa = a.offsets.get(), *ia = a.indices.get();
    SPARSE_OK(pruneCsr2csr_bufferSizeExtOf<T>(h, 21, 15, nnz, dA, va, oa, ia, t, dC, (T *)nullptr,
                                              (int *)nullptr, (int *)nullptr, &this->bytes));
    this->expectKept(
        without(m, 1), baseC,
        [&](int *o) {
          return pruneCsr2csrNnzOf<T>(h, 21, 15, nnz, dA, va, oa, ia, t, dC, o, &this->total,
                                      nullptr);
        },
        [&](T *v, int *o, int *i) {
          return pruneCsr2csrOf<T>(h, 21, 15, nnz, dA, va, oa, ia, t, dC, v, o, i, nullptr);
        });
  }
}

/// The magnitude that a percentage stands for (cuSPARSE, "pruneDense2csrByPercentage()").
double thresholdAt(std::vector<double> magnitudes, float percentage) {
  std::sort(magnitudes.begin(), magnitudes.end());
  auto count = static_cast<int>(magnitudes.size());
  int at = static_cast<int>(std::ceil(count * (percentage / 100))) - 1;
  return magnitudes[std::max(0, std::min(at, count - 1))];
}

TYPED_TEST(Pruning, ByPercentage) {
  using T = TypeParam;
  Random random(30);
  auto h = this->handle;
  pruneInfo_t info = this->info;
  cusparseMatDescr_t dA = this->descriptors[0], dC = this->descriptors[1];
  Matrix m(16, 8);
  for (size_t i = 0; i < m.values.size(); ++i)
    m.values[i] = random.below(3) ? Wide(double(i % 2 ? i : -double(i))) : Wide(0);
  Dense<T> full(m, false);
  Sparse<T> a(m, compressed(m, false), 0);
  int nnz = static_cast<int>(a.values.size());
  const T *A = full.values.get(), *va = a.values.get();
  const int *oa = a.offsets.get(), *ia = a.indices.get();
  std::vector<double> all, stored;
  for (Wide value : m.values) {
    all.push_back(std::abs(value));
    if (value != Wide(0))
      stored.push_back(std::abs(value));
  }
  for (float p : {0.0f, 50.0f, 75.0f, 100.0f}) {
    SPARSE_OK(pruneDense2csrByPercentage_bufferSizeExtOf<T>(
        h, 16, 8, A, 16, p, dC, (T *)nullptr, (int *)nullptr, (int *)nullptr, info, &this->bytes));
    this->expectKept(
        without(m, thresholdAt(all, p)), 1,
        [&](int *o) {
          return pruneDense2csrNnzByPercentageOf<T>(h, 16, 8, A, 16, p, dC, o, &this->total, info,
                                                    nullptr);
        },
        [&](T *v, int *o, int *i) {
          return pruneDense2csrByPercentageOf<T>(h, 16, 8, A, 16, p, dC, v, o, i, info, nullptr);
        });
    SPARSE_OK(pruneCsr2csrByPercentage_bufferSizeExtOf<T>(h, 16, 8, nnz, dA, va, oa, ia, p, dC,
                                                          (T *)nullptr, (int *)nullptr,
                                                          (int *)nullptr, info, &this->bytes));
    this->expectKept(
        without(m, thresholdAt(stored, p)), 1,
        [&](int *o) {
          return pruneCsr2csrNnzByPercentageOf<T>(h, 16, 8, nnz, dA, va, oa, ia, p, dC, o,
                                                  &this->total, info, nullptr);
        },
        [&](T *v, int *o, int *i) {
          return pruneCsr2csrByPercentageOf<T>(h, 16, 8, nnz, dA, va, oa, ia, p, dC, v, o, i, info,
                                               nullptr);
        });
  }
  EXPECT_EQ(pruneDense2csrNnzByPercentageOf<T>(h, 16, 8, A, 16, 101.0f, dC, (int *)nullptr,
                                               &this->total, info, nullptr),
            CUSPARSE_STATUS_INVALID_VALUE);
}

TEST_F(ConversionTest, RefusesWhatIsWrong) {
  DeviceArray<int> offsets(3), indices(2);
  DeviceArray<float> values(2);
  int total = 0;
  auto count = [&](cusparseHandle_t h, cusparseDirection_t direction, int m, int size) {
    return cusparseXcsr2bsrNnz(h, direction, m, 2, descriptors[0], offsets.get(), indices.get(),
                               size, descriptors[0], offsets.get(), &total);
  };
  EXPECT_EQ(count(nullptr, CUSPARSE_DIRECTION_ROW, 2, 1), CUSPARSE_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(count(handle, static_cast<cusparseDirection_t>(7), 2, 1),
            CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(count(handle, CUSPARSE_DIRECTION_ROW, -1, 1), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(count(handle, CUSPARSE_DIRECTION_ROW, 2, 0), CUSPARSE_STATUS_INVALID_VALUE);
  SPARSE_OK(cusparseSetMatType(descriptors[1], CUSPARSE_MATRIX_TYPE_SYMMETRIC));
  EXPECT_EQ(cusparseSbsr2csr(handle, CUSPARSE_DIRECTION_ROW, 1, 1, descriptors[1], values.get(),
                             offsets.get(), indices.get(), 1, descriptors[0], values.get(),
                             offsets.get(), indices.get()),
            CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
  EXPECT_EQ(cusparseCreatePruneInfo(nullptr), CUSPARSE_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusparseCreateCsru2csrInfo(nullptr), CUSPARSE_STATUS_INVALID_VALUE);
}

} // namespace
