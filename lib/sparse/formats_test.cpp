// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by format and type: conversions, sums, factors, systems of few diagonals, rows of
// blocks.
#include "sparse/test_support.h"

#include <memory>
#include <numeric>

using namespace heddle::sparse;
using namespace heddle::sparse::test;

namespace {

HEDDLE_FOUR(csrgeam2_bufferSizeExt, cusparseScsrgeam2_bufferSizeExt,
            cusparseDcsrgeam2_bufferSizeExt, cusparseCcsrgeam2_bufferSizeExt,
            cusparseZcsrgeam2_bufferSizeExt)
HEDDLE_FOUR(csrgeam2, cusparseScsrgeam2, cusparseDcsrgeam2, cusparseCcsrgeam2, cusparseZcsrgeam2)
HEDDLE_FOUR(csrcolor, cusparseScsrcolor, cusparseDcsrcolor, cusparseCcsrcolor, cusparseZcsrcolor)
HEDDLE_FOUR(csrilu02_bufferSize, cusparseScsrilu02_bufferSize, cusparseDcsrilu02_bufferSize,
            cusparseCcsrilu02_bufferSize, cusparseZcsrilu02_bufferSize)
HEDDLE_FOUR(csrilu02_bufferSizeExt, cusparseScsrilu02_bufferSizeExt,
            cusparseDcsrilu02_bufferSizeExt, cusparseCcsrilu02_bufferSizeExt,
            cusparseZcsrilu02_bufferSizeExt)
HEDDLE_FOUR(csrilu02_numericBoost, cusparseScsrilu02_numericBoost, cusparseDcsrilu02_numericBoost,
            cusparseCcsrilu02_numericBoost, cusparseZcsrilu02_numericBoost)
HEDDLE_FOUR(csrilu02_analysis, cusparseScsrilu02_analysis, cusparseDcsrilu02_analysis,
            cusparseCcsrilu02_analysis, cusparseZcsrilu02_analysis)
HEDDLE_FOUR(csrilu02, cusparseScsrilu02, cusparseDcsrilu02, cusparseCcsrilu02, cusparseZcsrilu02)
HEDDLE_FOUR(csric02_bufferSize, cusparseScsric02_bufferSize, cusparseDcsric02_bufferSize,
            cusparseCcsric02_bufferSize, cusparseZcsric02_bufferSize)
HEDDLE_FOUR(csric02_bufferSizeExt, cusparseScsric02_bufferSizeExt, cusparseDcsric02_bufferSizeExt,
            cusparseCcsric02_bufferSizeExt, cusparseZcsric02_bufferSizeExt)
HEDDLE_FOUR(csric02_analysis, cusparseScsric02_analysis, cusparseDcsric02_analysis,
            cusparseCcsric02_analysis, cusparseZcsric02_analysis)
HEDDLE_FOUR(csric02, cusparseScsric02, cusparseDcsric02, cusparseCcsric02, cusparseZcsric02)
HEDDLE_FOUR(bsrilu02_bufferSize, cusparseSbsrilu02_bufferSize, cusparseDbsrilu02_bufferSize,
            cusparseCbsrilu02_bufferSize, cusparseZbsrilu02_bufferSize)
HEDDLE_FOUR(bsrilu02_bufferSizeExt, cusparseSbsrilu02_bufferSizeExt,
            cusparseDbsrilu02_bufferSizeExt, cusparseCbsrilu02_bufferSizeExt,
            cusparseZbsrilu02_bufferSizeExt)
HEDDLE_FOUR(bsrilu02_numericBoost, cusparseSbsrilu02_numericBoost, cusparseDbsrilu02_numericBoost,
            cusparseCbsrilu02_numericBoost, cusparseZbsrilu02_numericBoost)
HEDDLE_FOUR(bsrilu02_analysis, cusparseSbsrilu02_analysis, cusparseDbsrilu02_analysis,
            cusparseCbsrilu02_analysis, cusparseZbsrilu02_analysis)
HEDDLE_FOUR(bsrilu02, cusparseSbsrilu02, cusparseDbsrilu02, cusparseCbsrilu02, cusparseZbsrilu02)
HEDDLE_FOUR(bsric02_bufferSize, cusparseSbsric02_bufferSize, cusparseDbsric02_bufferSize,
            cusparseCbsric02_bufferSize, cusparseZbsric02_bufferSize)
HEDDLE_FOUR(bsric02_bufferSizeExt, cusparseSbsric02_bufferSizeExt, cusparseDbsric02_bufferSizeExt,
            cusparseCbsric02_bufferSizeExt, cusparseZbsric02_bufferSizeExt)
HEDDLE_FOUR(bsric02_analysis, cusparseSbsric02_analysis, cusparseDbsric02_analysis,
            cusparseCbsric02_analysis, cusparseZbsric02_analysis)
HEDDLE_FOUR(bsric02, cusparseSbsric02, cusparseDbsric02, cusparseCbsric02, cusparseZbsric02)
HEDDLE_FOUR(gtsv2_bufferSizeExt, cusparseSgtsv2_bufferSizeExt, cusparseDgtsv2_bufferSizeExt,
            cusparseCgtsv2_bufferSizeExt, cusparseZgtsv2_bufferSizeExt)
HEDDLE_FOUR(gtsv2, cusparseSgtsv2, cusparseDgtsv2, cusparseCgtsv2, cusparseZgtsv2)
HEDDLE_FOUR(gtsv2_nopivot_bufferSizeExt, cusparseSgtsv2_nopivot_bufferSizeExt,
            cusparseDgtsv2_nopivot_bufferSizeExt, cusparseCgtsv2_nopivot_bufferSizeExt,
            cusparseZgtsv2_nopivot_bufferSizeExt)
HEDDLE_FOUR(gtsv2_nopivot, cusparseSgtsv2_nopivot, cusparseDgtsv2_nopivot, cusparseCgtsv2_nopivot,
            cusparseZgtsv2_nopivot)
HEDDLE_FOUR(gtsv2StridedBatch_bufferSizeExt, cusparseSgtsv2StridedBatch_bufferSizeExt,
            cusparseDgtsv2StridedBatch_bufferSizeExt, cusparseCgtsv2StridedBatch_bufferSizeExt,
            cusparseZgtsv2StridedBatch_bufferSizeExt)
HEDDLE_FOUR(gtsv2StridedBatch, cusparseSgtsv2StridedBatch, cusparseDgtsv2StridedBatch,
            cusparseCgtsv2StridedBatch, cusparseZgtsv2StridedBatch)
HEDDLE_FOUR(gtsvInterleavedBatch_bufferSizeExt, cusparseSgtsvInterleavedBatch_bufferSizeExt,
            cusparseDgtsvInterleavedBatch_bufferSizeExt,
            cusparseCgtsvInterleavedBatch_bufferSizeExt,
            cusparseZgtsvInterleavedBatch_bufferSizeExt)
HEDDLE_FOUR(gtsvInterleavedBatch, cusparseSgtsvInterleavedBatch, cusparseDgtsvInterleavedBatch,
            cusparseCgtsvInterleavedBatch, cusparseZgtsvInterleavedBatch)
HEDDLE_FOUR(gpsvInterleavedBatch_bufferSizeExt, cusparseSgpsvInterleavedBatch_bufferSizeExt,
            cusparseDgpsvInterleavedBatch_bufferSizeExt,
            cusparseCgpsvInterleavedBatch_bufferSizeExt,
            cusparseZgpsvInterleavedBatch_bufferSizeExt)
HEDDLE_FOUR(gpsvInterleavedBatch, cusparseSgpsvInterleavedBatch, cusparseDgpsvInterleavedBatch,
            cusparseCgpsvInterleavedBatch, cusparseZgpsvInterleavedBatch)
HEDDLE_FOUR(bsrmv, cusparseSbsrmv, cusparseDbsrmv, cusparseCbsrmv, cusparseZbsrmv)
HEDDLE_FOUR(bsrxmv, cusparseSbsrxmv, cusparseDbsrxmv, cusparseCbsrxmv, cusparseZbsrxmv)
HEDDLE_FOUR(bsrmm, cusparseSbsrmm, cusparseDbsrmm, cusparseCbsrmm, cusparseZbsrmm)
HEDDLE_FOUR(bsrsv2_bufferSize, cusparseSbsrsv2_bufferSize, cusparseDbsrsv2_bufferSize,
            cusparseCbsrsv2_bufferSize, cusparseZbsrsv2_bufferSize)
HEDDLE_FOUR(bsrsv2_bufferSizeExt, cusparseSbsrsv2_bufferSizeExt, cusparseDbsrsv2_bufferSizeExt,
            cusparseCbsrsv2_bufferSizeExt, cusparseZbsrsv2_bufferSizeExt)
HEDDLE_FOUR(bsrsv2_analysis, cusparseSbsrsv2_analysis, cusparseDbsrsv2_analysis,
            cusparseCbsrsv2_analysis, cusparseZbsrsv2_analysis)
HEDDLE_FOUR(bsrsv2_solve, cusparseSbsrsv2_solve, cusparseDbsrsv2_solve, cusparseCbsrsv2_solve,
            cusparseZbsrsv2_solve)
HEDDLE_FOUR(bsrsm2_bufferSize, cusparseSbsrsm2_bufferSize, cusparseDbsrsm2_bufferSize,
            cusparseCbsrsm2_bufferSize, cusparseZbsrsm2_bufferSize)
HEDDLE_FOUR(bsrsm2_bufferSizeExt, cusparseSbsrsm2_bufferSizeExt, cusparseDbsrsm2_bufferSizeExt,
            cusparseCbsrsm2_bufferSizeExt, cusparseZbsrsm2_bufferSizeExt)
HEDDLE_FOUR(bsrsm2_analysis, cusparseSbsrsm2_analysis, cusparseDbsrsm2_analysis,
            cusparseCbsrsm2_analysis, cusparseZbsrsm2_analysis)
HEDDLE_FOUR(bsrsm2_solve, cusparseSbsrsm2_solve, cusparseDbsrsm2_solve, cusparseCbsrsm2_solve,
            cusparseZbsrsm2_solve)
HEDDLE_FOUR(gemvi_bufferSize, cusparseSgemvi_bufferSize, cusparseDgemvi_bufferSize,
            cusparseCgemvi_bufferSize, cusparseZgemvi_bufferSize)
HEDDLE_FOUR(gemvi, cusparseSgemvi, cusparseDgemvi, cusparseCgemvi, cusparseZgemvi)

template <typename T> struct Formats : SparseTest {
  cusparseMatDescr_t general = nullptr;
  DeviceArray<char> buffer{size_t(4096)};
  void SetUp() override {
    SparseTest::SetUp();
    SPARSE_OK(cusparseCreateMatDescr(&general));
  }
  void TearDown() override {
    cusparseDestroyMatDescr(general);
    SparseTest::TearDown();
  }
};
using FourTypes = testing::Types<float, double, ComplexFloat, ComplexDouble>;
TYPED_TEST_SUITE(Formats, FourTypes);

using Indices = SparseTest;

TEST_F(Indices, OfCooAndCsr) {
  DeviceArray<int> rows(std::vector<int>{1, 1, 3, 4, 4}), offsets(5), back(5);
  SPARSE_OK(cusparseXcoo2csr(handle, rows.get(), 5, 4, offsets.get(), CUSPARSE_INDEX_BASE_ONE));
  EXPECT_EQ(offsets.read(), (std::vector<int>{1, 3, 3, 4, 6}));
  SPARSE_OK(cusparseXcsr2coo(handle, offsets.get(), 5, 4, back.get(), CUSPARSE_INDEX_BASE_ONE));
  EXPECT_EQ(back.read(), rows.read());
}

TEST_F(Indices, AreSorted) {
  cusparseMatDescr_t descr;
  SPARSE_OK(cusparseCreateMatDescr(&descr));
  std::vector<int> r{2, 0, 1, 0, 2, 1}, c{1, 3, 0, 2, 0, 0};
  size_t bytes = 0;
  for (bool byRow : {true, false}) {
    DeviceArray<int> rows(r), cols(c), p(6);
    SPARSE_OK(cusparseCreateIdentityPermutation(handle, 6, p.get()));
    SPARSE_OK(cusparseXcoosort_bufferSizeExt(handle, 3, 4, 6, rows.get(), cols.get(), &bytes));
    if (byRow)
      SPARSE_OK(cusparseXcoosortByRow(handle, 3, 4, 6, rows.get(), cols.get(), p.get(), nullptr));
    else
      SPARSE_OK(
          cusparseXcoosortByColumn(handle, 3, 4, 6, rows.get(), cols.get(), p.get(), nullptr));
    std::vector<int> fr = rows.read(), fc = cols.read(), fp = p.read();
    for (int i = 0; i < 6; ++i) {
      EXPECT_TRUE(fr[i] == r[fp[i]] && fc[i] == c[fp[i]]);
      if (i)
        EXPECT_LE(byRow ? std::pair(fr[i - 1], fc[i - 1]) : std::pair(fc[i - 1], fr[i - 1]),
                  byRow ? std::pair(fr[i], fc[i]) : std::pair(fc[i], fr[i]));
    }
  }
  for (bool csr : {true, false}) {
    DeviceArray<int> offsets(std::vector<int>{0, 3, 3, 6}),
        indices(std::vector<int>{2, 0, 1, 3, 1, 2}), p(6);
    SPARSE_OK(cusparseCreateIdentityPermutation(handle, 6, p.get()));
    if (csr) {
      SPARSE_OK(
          cusparseXcsrsort_bufferSizeExt(handle, 3, 4, 6, offsets.get(), indices.get(), &bytes));
      SPARSE_OK(
          cusparseXcsrsort(handle, 3, 4, 6, descr, offsets.get(), indices.get(), p.get(), nullptr));
    } else {
      SPARSE_OK(
          cusparseXcscsort_bufferSizeExt(handle, 4, 3, 6, offsets.get(), indices.get(), &bytes));
      SPARSE_OK(
          cusparseXcscsort(handle, 4, 3, 6, descr, offsets.get(), indices.get(), p.get(), nullptr));
    }
    EXPECT_EQ(indices.read(), (std::vector<int>{0, 1, 2, 1, 2, 3}));
    EXPECT_EQ(p.read(), (std::vector<int>{1, 2, 0, 4, 5, 3}));
  }
  cusparseDestroyMatDescr(descr);
}

TYPED_TEST(Formats, TurnedCsr) {
  using T = TypeParam;
  Random random(1);
  Matrix m = random.matrix(8, 5, isComplex<T>, 2);
  Arrays expected = compressed(m, true);
  auto a = csr<T>(m, 1);
  int nnz = static_cast<int>(a->values.size());
  DeviceArray<int> offsets(6), indices(nnz);
  DeviceArray<T> values(nnz);
  size_t bytes = 0;
  SPARSE_OK(cusparseCsr2cscEx2_bufferSize(
      this->handle, 8, 5, nnz, a->values.get(), a->offsets.get(), a->indices.get(), values.get(),
      offsets.get(), indices.get(), TypeName<T>, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE,
      CUSPARSE_CSR2CSC_ALG1, &bytes));
  SPARSE_OK(cusparseCsr2cscEx2(this->handle, 8, 5, nnz, a->values.get(), a->offsets.get(),
                               a->indices.get(), values.get(), offsets.get(), indices.get(),
                               TypeName<T>, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE,
                               CUSPARSE_CSR2CSC_ALG1, nullptr));
  EXPECT_EQ(offsets.read(), based<int>(expected.offsets, 1));
  EXPECT_EQ(indices.read(), based<int>(expected.indices, 1));
  EXPECT_EQ(values.read(), valuesOf<T>(m, expected));
}

TYPED_TEST(Formats, Sums) {
  using T = TypeParam;
  Random random(2);
  Matrix ma = random.matrix(9, 7, isComplex<T>, 3), mb = random.matrix(9, 7, isComplex<T>, 3);
  auto a = csr<T>(ma);
  auto b = csr<T>(mb);
  int na = static_cast<int>(a->values.size()), nb = static_cast<int>(b->values.size()), nnz = -1;
  DeviceArray<int> offsets(10), indices(63);
  DeviceArray<T> values(63);
  T alpha = element<T>(Wide(2)), beta = element<T>(Wide(-1));
  size_t bytes = 0;
  SPARSE_OK(csrgeam2_bufferSizeExtOf<T>(
      this->handle, 9, 7, api(&alpha), this->general, na, api(a->values.get()), a->offsets.get(),
      a->indices.get(), api(&beta), this->general, nb, api(b->values.get()), b->offsets.get(),
      b->indices.get(), this->general, api(values.get()), offsets.get(), indices.get(), &bytes));
  SPARSE_OK(cusparseXcsrgeam2Nnz(
      this->handle, 9, 7, this->general, na, a->offsets.get(), a->indices.get(), this->general, nb,
      b->offsets.get(), b->indices.get(), this->general, offsets.get(), &nnz, this->buffer.get()));
  SPARSE_OK(csrgeam2Of<T>(this->handle, 9, 7, api(&alpha), this->general, na, api(a->values.get()),
                          a->offsets.get(), a->indices.get(), api(&beta), this->general, nb,
                          api(b->values.get()), b->offsets.get(), b->indices.get(), this->general,
                          api(values.get()), offsets.get(), indices.get(), this->buffer.get()));
  std::vector<int> o = offsets.read(), i = indices.read();
  std::vector<T> v = values.read();
  EXPECT_EQ(o[9], nnz);
  Matrix sum(9, 7);
  for (int row = 0; row < 9; ++row)
    for (int k = o[row]; k < o[row + 1]; ++k)
      sum(row, i[k]) = wide(v[k]);
  for (size_t k = 0; k < sum.values.size(); ++k)
    EXPECT_EQ(sum.values[k], 2.0 * ma.values[k] - mb.values[k]);
}

TYPED_TEST(Formats, Colours) {
  using T = TypeParam;
  Random random(3);
  Matrix m = random.matrix(30, 30, isComplex<T>, 6);
  auto a = csr<T>(m);
  cusparseColorInfo_t info;
  SPARSE_OK(cusparseCreateColorInfo(&info));
  Real<T> fraction = 1;
  int count = 0;
  DeviceArray<int> colours(30), order(30);
  SPARSE_OK(csrcolorOf<T>(this->handle, 30, static_cast<int>(a->values.size()), this->general,
                          api(a->values.get()), a->offsets.get(), a->indices.get(), &fraction,
                          &count, colours.get(), order.get(), info));
  std::vector<int> c = colours.read(), p = order.read();
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(c[i] >= 0 && c[i] < count);
    for (int j = 0; j < 30; ++j) {
      if (i != j && m(i, j) != Wide(0))
        EXPECT_NE(c[i], c[j]);
      if (p[i] < p[j])
        EXPECT_LE(c[i], c[j]);
    }
  }
  SPARSE_OK(cusparseDestroyColorInfo(info));
}

/// A matrix whose factors without fill-in are exact: it has no place for fill-in, being L U with
/// dense rows.
template <typename T> Matrix product(const Matrix &l, const Matrix &u) {
  return test::product(1, l, u, 0, Matrix(l.rows, u.cols));
}

template <typename T>
void expectClose(const std::vector<T> &found, const Matrix &expected,
                 const std::vector<int64_t> &places) {
  for (size_t k = 0; k < places.size(); ++k)
    if (places[k] >= 0)
      ASSERT_LT(std::abs(wide(found[k]) - expected.values[places[k]]), 1e-3) << k;
}

TYPED_TEST(Formats, FactorsOfFullMatrices) {
  using T = TypeParam;
  Random random(4);
  const int n = 8;
  for (int block : {1, 2, 4})
    for (bool cholesky : {false, true}) {
      Matrix l(n, n), u(n, n), factors(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (j < i)
            l(i, j) = random.value(isComplex<T>) / 4.0;
          else
            u(i, j) = i == j ? Wide(2) : random.value(isComplex<T>) / 4.0;
      for (int i = 0; i < n; ++i)
        l(i, i) = cholesky ? Wide(2) : Wide(1);
      if (cholesky)
        u = operated(l, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
      Matrix m = product<T>(l, u);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          factors(i, j) = cholesky ? (j <= i ? l(i, j) : m(i, j)) : (j < i ? l(i, j) : u(i, j));
      Arrays arrays = block == 1 ? compressed(m, false) : blocks(m, block, block, true);
      // Elements that are zero by chance belong to the pattern.
      if (block == 1) {
        arrays = Arrays();
        for (int i = 0; i <= n; ++i)
          arrays.offsets.push_back(i * n);
        for (int k = 0; k < n * n; ++k)
          arrays.indices.push_back(k % n), arrays.places.push_back(k);
      }
      DeviceArray<int> offsets(based<int>(arrays.offsets, 0)),
          indices(based<int>(arrays.indices, 0));
      DeviceArray<T> values(valuesOf<T>(m, arrays));
      int nnz = static_cast<int>(arrays.indices.size()), size = 0, position = 5, mb = n / block;
      size_t bytes = 0;
      auto h = this->handle;
      auto g = this->general;
      constexpr auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
      constexpr auto Row = CUSPARSE_DIRECTION_ROW;
      if (block == 1 && !cholesky) {
        csrilu02Info_t info;
        SPARSE_OK(cusparseCreateCsrilu02Info(&info));
        double tolerance = 0;
        T boost = element<T>(Wide(1));
        SPARSE_OK(csrilu02_bufferSizeOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                           indices.get(), info, &size));
        SPARSE_OK(csrilu02_bufferSizeExtOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                              indices.get(), info, &bytes));
        SPARSE_OK(csrilu02_numericBoostOf<T>(h, info, 1, &tolerance, api(&boost)));
        SPARSE_OK(csrilu02_analysisOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                         indices.get(), info, policy, nullptr));
        SPARSE_OK(csrilu02Of<T>(h, n, nnz, g, api(values.get()), offsets.get(), indices.get(), info,
                                policy, nullptr));
        SPARSE_OK(cusparseXcsrilu02_zeroPivot(h, info, &position));
        SPARSE_OK(cusparseDestroyCsrilu02Info(info));
      } else if (block == 1) {
        csric02Info_t info;
        SPARSE_OK(cusparseCreateCsric02Info(&info));
        SPARSE_OK(csric02_bufferSizeOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                          indices.get(), info, &size));
        SPARSE_OK(csric02_bufferSizeExtOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                             indices.get(), info, &bytes));
        SPARSE_OK(csric02_analysisOf<T>(h, n, nnz, g, api(values.get()), offsets.get(),
                                        indices.get(), info, policy, nullptr));
        SPARSE_OK(csric02Of<T>(h, n, nnz, g, api(values.get()), offsets.get(), indices.get(), info,
                               policy, nullptr));
        SPARSE_OK(cusparseXcsric02_zeroPivot(h, info, &position));
        SPARSE_OK(cusparseDestroyCsric02Info(info));
      } else if (!cholesky) {
        bsrilu02Info_t info;
        SPARSE_OK(cusparseCreateBsrilu02Info(&info));
        SPARSE_OK(bsrilu02_bufferSizeOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                           indices.get(), block, info, &size));
        SPARSE_OK(bsrilu02_bufferSizeExtOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                              indices.get(), block, info, &bytes));
        SPARSE_OK(bsrilu02_numericBoostOf<T>(h, info, 0, nullptr, nullptr));
        SPARSE_OK(bsrilu02_analysisOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                         indices.get(), block, info, policy, nullptr));
        SPARSE_OK(bsrilu02Of<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(), indices.get(),
                                block, info, policy, nullptr));
        SPARSE_OK(cusparseXbsrilu02_zeroPivot(h, info, &position));
        SPARSE_OK(cusparseDestroyBsrilu02Info(info));
      } else {
        bsric02Info_t info;
        SPARSE_OK(cusparseCreateBsric02Info(&info));
        SPARSE_OK(bsric02_bufferSizeOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                          indices.get(), block, info, &size));
        SPARSE_OK(bsric02_bufferSizeExtOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                             indices.get(), block, info, &bytes));
        SPARSE_OK(bsric02_analysisOf<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(),
                                        indices.get(), block, info, policy, nullptr));
        SPARSE_OK(bsric02Of<T>(h, Row, mb, nnz, g, api(values.get()), offsets.get(), indices.get(),
                               block, info, policy, nullptr));
        SPARSE_OK(cusparseXbsric02_zeroPivot(h, info, &position));
        SPARSE_OK(cusparseDestroyBsric02Info(info));
      }
      EXPECT_EQ(position, -1);
      expectClose(values.read(), factors, arrays.places);
    }
}

TYPED_TEST(Formats, ZeroPivots) {
  using T = TypeParam;
  Matrix m(4, 4);
  for (int i = 0; i < 4; ++i)
    m(i, i) = Wide(i == 2 ? 0 : 1);
  m(2, 0) = Wide(1);
  auto a = csr<T>(m, 1);
  SPARSE_OK(cusparseSetMatIndexBase(this->general, CUSPARSE_INDEX_BASE_ONE));
  csrilu02Info_t info;
  SPARSE_OK(cusparseCreateCsrilu02Info(&info));
  SPARSE_OK(csrilu02_analysisOf<T>(this->handle, 4, 4, this->general, api(a->values.get()),
                                   a->offsets.get(), a->indices.get(), info,
                                   CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
  int position = -5;
  EXPECT_EQ(cusparseXcsrilu02_zeroPivot(this->handle, info, &position), CUSPARSE_STATUS_ZERO_PIVOT);
  EXPECT_EQ(position, 3);
  SPARSE_OK(cusparseDestroyCsrilu02Info(info));
}

TYPED_TEST(Formats, Diagonals) {
  using T = TypeParam;
  Random random(5);
  const int m = 17, n = 3, count = 4;
  auto h = this->handle;
  auto list = [&](double middle) {
    std::vector<Wide> v;
    for (int i = 0; i < m; ++i)
      v.push_back(random.value(isComplex<T>) / 4.0 + middle);
    return v;
  };
  auto typed = [&](const std::vector<Wide> &v) {
    std::vector<T> r;
    for (Wide x : v)
      r.push_back(element<T>(x));
    return r;
  };
  std::vector<Wide> ds = list(0), dl = list(0), d = list(5), du = list(0), dw = list(0);
  Matrix three(m, m), five(m, m), x = random.matrix(m, n, isComplex<T>);
  for (int i = 0; i < m; ++i)
    for (int k = -2; k <= 2; ++k)
      if (i + k >= 0 && i + k < m) {
        Wide v = k == -2 ? ds[i] : k == -1 ? dl[i] : k == 0 ? d[i] : k == 1 ? du[i] : dw[i];
        five(i, i + k) = v;
        if (std::abs(k) < 2)
          three(i, i + k) = v;
      }
  Matrix b3 = product<T>(three, x), b5 = product<T>(five, x);
  DeviceArray<T> tl(typed(dl)), td(typed(d)), tu(typed(du));
  auto expectSolution = [&](const Matrix &found) {
    for (size_t i = 0; i < x.values.size(); ++i)
      ASSERT_LT(std::abs(found.values[i] - x.values[i]), 1e-3);
  };
  size_t bytes = 0;
  for (bool pivots : {true, false}) {
    Dense<T> b(b3, false, 2);
    int ld = static_cast<int>(b.ld);
    if (pivots) {
      SPARSE_OK(gtsv2_bufferSizeExtOf<T>(h, m, n, api(tl.get()), api(td.get()), api(tu.get()),
                                         api(b.values.get()), ld, &bytes));
      SPARSE_OK(gtsv2Of<T>(h, m, n, api(tl.get()), api(td.get()), api(tu.get()),
                           api(b.values.get()), ld, this->buffer.get()));
    } else {
      SPARSE_OK(gtsv2_nopivot_bufferSizeExtOf<T>(h, m, n, api(tl.get()), api(td.get()),
                                                 api(tu.get()), api(b.values.get()), ld, &bytes));
      SPARSE_OK(gtsv2_nopivotOf<T>(h, m, n, api(tl.get()), api(td.get()), api(tu.get()),
                                   api(b.values.get()), ld, this->buffer.get()));
    }
    expectSolution(b.read());
  }
  EXPECT_EQ(gtsv2Of<T>(h, 2, n, api(tl.get()), api(td.get()), api(tu.get()), api(td.get()), m,
                       this->buffer.get()),
            CUSPARSE_STATUS_INVALID_VALUE);
  // Batches of the same system: `count` of them behind each other, or element by element.
  auto repeated = [&](const std::vector<Wide> &v, bool interleaved) {
    std::vector<T> r(m * count);
    for (int s = 0; s < count; ++s)
      for (int i = 0; i < m; ++i)
        r[interleaved ? i * count + s : s * m + i] = element<T>(v[i]);
    return r;
  };
  auto column = [&](const Matrix &b) {
    std::vector<Wide> v;
    for (int i = 0; i < m; ++i)
      v.push_back(b(i, 0));
    return v;
  };
  auto expectBatch = [&](const std::vector<T> &found, bool interleaved) {
    for (int s = 0; s < count; ++s)
      for (int i = 0; i < m; ++i)
        ASSERT_LT(std::abs(wide(found[interleaved ? i * count + s : s * m + i]) - x(i, 0)), 1e-3);
  };
  DeviceArray<T> l1(repeated(dl, false)), d1(repeated(d, false)), u1(repeated(du, false)),
      x1(repeated(column(b3), false));
  SPARSE_OK(gtsv2StridedBatch_bufferSizeExtOf<T>(h, m, api(l1.get()), api(d1.get()), api(u1.get()),
                                                 api(x1.get()), count, m, &bytes));
  SPARSE_OK(gtsv2StridedBatchOf<T>(h, m, api(l1.get()), api(d1.get()), api(u1.get()), api(x1.get()),
                                   count, m, this->buffer.get()));
  expectBatch(x1.read(), false);
  DeviceArray<T> s2(repeated(ds, true)), l2(repeated(dl, true)), d2(repeated(d, true)),
      u2(repeated(du, true)), w2(repeated(dw, true)), x2(repeated(column(b3), true)),
      x3(repeated(column(b5), true));
  SPARSE_OK(gtsvInterleavedBatch_bufferSizeExtOf<T>(h, 1, m, api(l2.get()), api(d2.get()),
                                                    api(u2.get()), api(x2.get()), count, &bytes));
  SPARSE_OK(gtsvInterleavedBatchOf<T>(h, 1, m, api(l2.get()), api(d2.get()), api(u2.get()),
                                      api(x2.get()), count, this->buffer.get()));
  expectBatch(x2.read(), true);
  SPARSE_OK(gpsvInterleavedBatch_bufferSizeExtOf<T>(h, 0, m, api(s2.get()), api(l2.get()),
                                                    api(d2.get()), api(u2.get()), api(w2.get()),
                                                    api(x3.get()), count, &bytes));
  SPARSE_OK(gpsvInterleavedBatchOf<T>(h, 0, m, api(s2.get()), api(l2.get()), api(d2.get()),
                                      api(u2.get()), api(w2.get()), api(x3.get()), count,
                                      this->buffer.get()));
  expectBatch(x3.read(), true);
}

TYPED_TEST(Formats, BlocksAndSparseVectors) {
  using T = TypeParam;
  Random random(6);
  auto h = this->handle;
  auto g = this->general;
  constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr auto Row = CUSPARSE_DIRECTION_ROW;
  const int size = 3, mb = 4, nb = 4, rows = mb * size, n = 5;
  Matrix m = random.matrix(rows, rows, isComplex<T>, 5);
  for (int i = 0; i < rows; ++i)
    m(i, i) = Wide(1);
  Arrays arrays = blocks(m, size, size, true);
  DeviceArray<int> offsets(based<int>(arrays.offsets, 0)), indices(based<int>(arrays.indices, 0));
  DeviceArray<T> values(valuesOf<T>(m, arrays));
  int nnzb = static_cast<int>(arrays.indices.size());
  T alpha = element<T>(Wide(2)), beta = element<T>(Wide(3));
  Matrix x = random.matrix(rows, 1, isComplex<T>), y = random.matrix(rows, 1, isComplex<T>);
  Dense<T> dx(x, false), dy(y, false), dz(y, false);
  SPARSE_OK(bsrmvOf<T>(h, Row, N, mb, nb, nnzb, api(&alpha), g, api(values.get()), offsets.get(),
                       indices.get(), size, api(dx.values.get()), api(&beta),
                       api(dy.values.get())));
  Matrix expected = test::product(2, m, x, 3, y);
  EXPECT_EQ(dy.read().values, expected.values);
  std::vector<int> o = offsets.read();
  DeviceArray<int> mask(std::vector<int>{2, 0}), begins(std::vector<int>(o.begin(), o.end() - 1)),
      ends(std::vector<int>(o.begin() + 1, o.end()));
  SPARSE_OK(bsrxmvOf<T>(h, Row, N, 2, mb, nb, nnzb, api(&alpha), g, api(values.get()), mask.get(),
                        begins.get(), ends.get(), indices.get(), size, api(dx.values.get()),
                        api(&beta), api(dz.values.get())));
  Matrix z = dz.read();
  for (int i = 0; i < rows; ++i)
    EXPECT_EQ(z(i, 0), (i / size == 2 || i / size == 0 ? expected : y)(i, 0));
  Matrix b = random.matrix(rows, n, isComplex<T>), c = random.matrix(rows, n, isComplex<T>);
  Dense<T> db(b, false), dc(c, false, 1);
  SPARSE_OK(bsrmmOf<T>(h, Row, N, N, mb, n, nb, nnzb, api(&alpha), g, api(values.get()),
                       offsets.get(), indices.get(), size, api(db.values.get()), rows, api(&beta),
                       api(dc.values.get()), static_cast<int>(dc.ld)));
  EXPECT_EQ(dc.read().values, test::product(2, m, b, 3, c).values);

  // Triangular systems with ones on the diagonal
  Matrix lower(rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= i; ++j)
      lower(i, j) = m(i, j);
  Matrix right = product<T>(lower, x), rights = product<T>(lower, b);
  Dense<T> df(right, false), dsx(x, false), dbs(rights, false), dxs(b, false);
  bsrsv2Info_t sv;
  bsrsm2Info_t sm;
  int bufferSize = 0, position = 0;
  size_t bytes = 0;
  constexpr auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
  SPARSE_OK(cusparseCreateBsrsv2Info(&sv));
  SPARSE_OK(bsrsv2_bufferSizeOf<T>(h, Row, N, mb, nnzb, g, api(values.get()), offsets.get(),
                                   indices.get(), size, sv, &bufferSize));
  SPARSE_OK(bsrsv2_bufferSizeExtOf<T>(h, Row, N, mb, nnzb, g, api(values.get()), offsets.get(),
                                      indices.get(), size, sv, &bytes));
  SPARSE_OK(bsrsv2_analysisOf<T>(h, Row, N, mb, nnzb, g, api(values.get()), offsets.get(),
                                 indices.get(), size, sv, policy, nullptr));
  SPARSE_OK(bsrsv2_solveOf<T>(h, Row, N, mb, nnzb, api(&alpha), g, api(values.get()), offsets.get(),
                              indices.get(), size, sv, api(df.values.get()), api(dsx.values.get()),
                              policy, nullptr));
  SPARSE_OK(cusparseXbsrsv2_zeroPivot(h, sv, &position));
  EXPECT_EQ(position, -1);
  Matrix found = dsx.read();
  for (int i = 0; i < rows; ++i)
    EXPECT_EQ(found(i, 0), 2.0 * x(i, 0));
  SPARSE_OK(cusparseDestroyBsrsv2Info(sv));
  SPARSE_OK(cusparseCreateBsrsm2Info(&sm));
  SPARSE_OK(bsrsm2_bufferSizeOf<T>(h, Row, N, N, mb, n, nnzb, g, api(values.get()), offsets.get(),
                                   indices.get(), size, sm, &bufferSize));
  SPARSE_OK(bsrsm2_bufferSizeExtOf<T>(h, Row, N, N, mb, n, nnzb, g, api(values.get()),
                                      offsets.get(), indices.get(), size, sm, &bytes));
  SPARSE_OK(bsrsm2_analysisOf<T>(h, Row, N, N, mb, n, nnzb, g, api(values.get()), offsets.get(),
                                 indices.get(), size, sm, policy, nullptr));
  SPARSE_OK(bsrsm2_solveOf<T>(h, Row, N, N, mb, n, nnzb, api(&alpha), g, api(values.get()),
                              offsets.get(), indices.get(), size, sm, api(dbs.values.get()), rows,
                              api(dxs.values.get()), rows, policy, nullptr));
  SPARSE_OK(cusparseXbsrsm2_zeroPivot(h, sm, &position));
  found = dxs.read();
  for (size_t i = 0; i < found.values.size(); ++i)
    EXPECT_EQ(found.values[i], 2.0 * b.values[i]);
  SPARSE_OK(cusparseDestroyBsrsm2Info(sm));

  // A dense matrix and a sparse vector
  Dense<T> full(m, false, 1), dv(y, false);
  DeviceArray<int> places(std::vector<int>{7, 2});
  DeviceArray<T> few(std::vector<T>{element<T>(Wide(2)), element<T>(Wide(-1))});
  Matrix sparseX(rows, 1);
  sparseX(7, 0) = Wide(2), sparseX(2, 0) = Wide(-1);
  SPARSE_OK(gemvi_bufferSizeOf<T>(h, N, rows, rows, 2, &bufferSize));
  SPARSE_OK(gemviOf<T>(h, N, rows, rows, api(&alpha), api(full.values.get()),
                       static_cast<int>(full.ld), 2, api(few.get()), places.get(), api(&beta),
                       api(dv.values.get()), CUSPARSE_INDEX_BASE_ZERO, nullptr));
  EXPECT_EQ(dv.read().values, test::product(2, m, sparseX, 3, y).values);
}

} // namespace
